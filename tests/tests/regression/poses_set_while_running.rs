//! A collider that is moved from outside does work on matter, but the run still checked that nothing gains energy, and repeated frames.

use serde_json::Value;
use tuff_run::{CpuSimulation, Simulation};
use tuff_scene::Motion;
use tuff_tests::problem;
use tuff_tests::program::SCENE;

/// Whether energies are checked is part of a saved state.
fn closed(run: &CpuSimulation) -> Value {
    serde_json::to_value(run.save().unwrap().steps).unwrap()["closed"].clone()
}

#[test]
fn a_run_that_is_driven_is_not_closed() {
    let scene =
        SCENE.replace("max_substep = 2.0e-3", "max_substep = \"auto\"").replace("iterations = 2\n", "");
    let mut run = CpuSimulation::new(&problem(&scene));
    let before = run.save().unwrap();
    assert_eq!(closed(&run), true);
    run.set_pose("floor", Motion::IDENTITY.pose(0.0)).unwrap();
    assert_eq!(closed(&run), false);
    // The collider is driven whatever state the run returns to.
    run.restore(&before).unwrap();
    assert_eq!(closed(&run), false);
}
