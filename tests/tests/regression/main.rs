//! One test per bug, named after what broke.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod check_passes_what_run_refuses;
mod component_loads_by_address;
mod libraries_that_end_the_process;
mod memory_before_estimate;
mod misleading_texts;
mod names_that_steer_terminals;
mod points_beyond_all_cells;
mod poisson_disks_in_open_meshes;
mod poses_set_while_running;
mod runs_in_one_folder;
mod signals_of_a_run;
