//! Arrays of a state as columns of words.

use bytemuck::Pod;
use tuff_problem::{Column, SimulationError, SolverState};

/// Stores an array as a column.
pub(crate) fn column<T: Pod>(name: &str, values: &[T]) -> Column {
    Column::new(name, bytemuck::pod_collect_to_vec(values))
}

/// Reads the `count` values of a column.
///
/// # Errors
/// [`SimulationError::StateMismatch`] if the column is missing or has another length.
pub(crate) fn values<T: Pod>(
    state: &SolverState,
    name: &str,
    count: usize,
) -> Result<Vec<T>, SimulationError> {
    let words = state.words(name, count * size_of::<T>() / size_of::<u32>())?;
    Ok(bytemuck::pod_collect_to_vec(words))
}
