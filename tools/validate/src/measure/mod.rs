//! Measures of frames that more than one card takes.

mod heap;
mod spread;
mod state;

pub use heap::{Heap, radius_of_mass};
pub use spread::{
    Nearest, chamfer, clusters, intersection_over_union, kernel_density, nearest, nearest_within, overlap,
    shape_distance,
};
pub use state::*;
