//! Measures of frames that several cards use.

mod beam;
mod heap;
mod layers;
mod spread;
mod state;

pub use beam::{Sections, Swing};
pub use heap::{Heap, radius_of_mass};
pub use layers::layers;
pub use spread::{
    Nearest, bulking, chamfer, clusters, intersection_over_union, kernel_density, mean_neighbors, nearest,
    nearest_within, overlap, shape_distance,
};
pub use state::*;
