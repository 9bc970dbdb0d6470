//! Matter that starts inside colliders and other matter.

use tuff_run::Simulation;
use tuff_tests::{gpu, problem, reference, step, step_reference};

use crate::runs::distance;

/// Two blocks that share a layer, inside colliders of several kinds; a pin prevents moving them out as a whole. No force pulls at them.
const SUNK: &str = r#"
format = 1
[scene]
name = "sunk"
gravity = [0.0, 0.0, 0.0]
[time]
frames = [1, 2]
max_substep = 1e-3
[solver]
kernel_radius = 0.02
iterations = 10
SCHEME
[[material]]
name = "rubber"
model = "elastic"
density = 1000.0
youngs_modulus = 1e5
poisson_ratio = 0.3
[[body]]
name = "low"
material = "rubber"
overlap = "push_out"
shape = { box = { min = [0.0, 0.0, 0.0], max = [0.12, 0.08, 0.12] } }
[[body]]
name = "high"
material = "rubber"
overlap = "push_out"
shape = { box = { min = [0.0, 0.065, 0.0], max = [0.12, 0.14, 0.12] } }
[[pin]]
body = "high"
region = { sphere = { center = [0.06, 0.13, 0.06], radius = 0.02 } }
[[collider]]
name = "floor"
shape = { plane = { point = [0.0, 0.012, 0.0], normal = [0.1, 1.0, 0.0] } }
[[collider]]
name = "ball"
shape = { sphere = { center = [-0.03, 0.06, 0.06], radius = 0.05 } }
[[collider]]
name = "bar"
shape = { capsule = { from = [-0.1, 0.06, 0.13], to = [0.3, 0.06, 0.13], radius = 0.03 } }
[[collider]]
name = "glass"
inside = true
shape = { cylinder = { from = [0.06, -0.1, 0.06], to = [0.06, 0.5, 0.06], radius = 0.075 } }
"#;

/// Matter leaves by displacement alone: nothing ever moves, and at the end nothing is too deep.
pub fn matter_that_starts_in_something_leaves_it_without_speed() {
    for scheme in ["gauss_seidel", "newton_cg"] {
        let problem = problem(&SUNK.replace("SCHEME", &format!("scheme = \"{scheme}\"")));
        assert_eq!(problem.overlaps.len(), 9, "the floor is below the high block");
        let (mut device, mut twin) = (gpu(&problem), reference(&problem));
        for (substeps, apart) in [(1, 1e-6), (20, 1e-2)] {
            let (ours, theirs) = (step(&mut device, substeps), step_reference(&mut twin, substeps));
            println!("{scheme}: {:?} and {:?}", ours.counters, theirs.counters);
            for report in [&ours, &theirs] {
                assert_eq!((report.max_speed, report.energies.elastic), (0.0, 0.0), "{scheme}: {report:?}");
            }
            let [ours, theirs] = [&ours, &theirs].map(|r| r.counters.overlap_displaced);
            assert!(theirs > 100 && ours.abs_diff(theirs) <= theirs / 50, "{ours} and {theirs} displaced");
            let (off, worst) = distance(&device.frame().unwrap(), &twin.frame().unwrap());
            assert!(off < apart * problem.scene.solver.kernel_radius, "particle {worst} is {off} m off");
        }
        // Matter that pairs push into a collider is moved out again, so a little may remain.
        let state = twin.solver().state();
        let depths = (0..state.particle_count()).filter(|&p| state.inverse_mass[p] > 0.0).map(|p| {
            let radius = tuff_scene::contact_radius(state.rest_volume[p]);
            let depth = |c: &tuff_scene::Collider| {
                let side = if c.inside { -1.0 } else { 1.0 };
                radius - side * c.shape.signed_distance(state.position[p])
            };
            problem.scene.colliders.iter().map(depth).fold(0.0, f64::max)
        });
        let deepest = depths.fold(0.0, f64::max) / problem.scene.solver.kernel_radius;
        assert!(deepest < 0.2, "{deepest} r");
    }
}
