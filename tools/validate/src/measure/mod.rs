//! Measures of frames that more than one card takes.

mod heap;
mod layers;
mod spread;
mod state;

pub use heap::{Heap, radius_of_mass};
pub use layers::layers;
pub use spread::{Nearest, chamfer, clusters, nearest};
pub use state::*;
