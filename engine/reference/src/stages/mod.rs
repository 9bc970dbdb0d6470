//! The stages of the substep, one file each, named like their shaders.

pub mod bin;
pub mod commit;
pub mod commit_grains;
pub mod correct_kernel;
pub mod curvature;
pub mod diagnose;
pub mod find_neighbors;
pub mod find_walls;
pub mod loose;
pub mod measure_density;
pub mod measure_total;
pub mod overlap;
pub mod packing;
pub mod predict_velocity;
pub mod pull_surface;
pub mod push_apart;
pub mod residual;
pub mod reverse_pairs;
pub mod smooth_velocity;
pub mod solve_colliders;
pub mod solve_contacts;
pub mod solve_grains;
pub mod solve_inelastic;
pub mod solve_links;
pub mod solve_total;
pub mod sort;
