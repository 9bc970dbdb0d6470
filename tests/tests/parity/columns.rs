//! Derived columns of frames, compared with closed forms and with the reference.

use glam::{DMat3, DVec3};
use tuff_problem::Frame;
use tuff_run::{Derived, GpuSimulation, Simulation};
use tuff_solver::attributes::{
    COMMITTED_IDENTITY, COMMITTED_STRAIN_DIAGONAL, COMMITTED_STRAIN_SHEAR, COMMITTED_VELOCITY,
};
use tuff_tests::{gpu, problem, reference, step, step_reference};

use crate::scenes;

const COLUMNS: &str =
    "\n[output]\nattributes = [\"stress\", \"pressure\", \"von_mises\", \"deformation\"]\npreview = false\n";

/// A block of elastic matter; one substep of 0.01 s without iterations.
const BLOCK: &str = r#"
format = 1
[scene]
name = "block"
gravity = [0.0, 0.0, 0.0]
[time]
frames = [1, 2]
frame_rate = 100.0
max_substep = 1e-2
[solver]
kernel_radius = 0.025
scheme = "gauss_seidel"
iterations = 1
position_correction = { kind = "none" }
[[material]]
name = "rubber"
model = "elastic"
density = 1000.0
youngs_modulus = 1.0e5
poisson_ratio = 0.3
[[body]]
name = "block"
material = "rubber"
shape = { box = { min = [-0.05, -0.05, -0.05], max = [0.05, 0.05, 0.05] } }
sampling = { kind = "lattice", spacing = 0.025 }
"#;

/// Moves every particle with the affine field of `gradient` [1/s].
fn drive(simulation: &mut GpuSimulation, start: &[DVec3], gradient: DMat3) {
    let store = simulation.solver_mut().store_mut();
    let identity: Vec<[u32; 4]> = store.download(COMMITTED_IDENTITY, start.len()).unwrap();
    let mut rows: Vec<[f32; 4]> = store.download(COMMITTED_VELOCITY, start.len()).unwrap();
    for (row, id) in rows.iter_mut().zip(&identity) {
        let v = (gradient * start[id[0] as usize]).as_vec3();
        *row = [v.x, v.y, v.z, row[3]];
    }
    store.upload(COMMITTED_VELOCITY, &rows).unwrap();
}

fn off(found: &[f32], expected: &[f64]) -> f64 {
    std::iter::zip(found, expected).map(|(a, b)| (f64::from(*a) - b).abs()).fold(0.0, f64::max)
}

/// A stretch along the axes and a shear: `F = I + dt L`, `sigma = (2 mu dev ln V + kappa tr ln V) / J` of Hencky's material.
pub fn an_affine_motion_has_the_stress_of_its_closed_form() {
    let mut problem = problem(&(BLOCK.to_owned() + COLUMNS));
    problem.scene.solver.iterations = 0;
    let (mu, kappa) = (1e5 / 2.6, 1e5 / 1.2);
    let stretch = DMat3::from_diagonal(DVec3::new(1.1, 0.96, 1.02));
    let shear = DMat3::from_cols(DVec3::X, DVec3::new(0.3, 1.0, 0.0), DVec3::Z);
    for f in [stretch, shear] {
        let mut simulation = gpu(&problem);
        drive(&mut simulation, &problem.particles.position, (f - DMat3::IDENTITY) * (1.0 / 0.01));
        step(&mut simulation, 1);
        let mut frame = simulation.frame().unwrap();
        Derived::of(&problem).add(&problem, &mut frame);
        let (hencky, axes) = {
            let (w, axes) = tuff_reference::symmetric::eigen(f * f.transpose() - DMat3::IDENTITY);
            (DVec3::from_array(w.to_array().map(|w| 0.5 * w.ln_1p())), axes)
        };
        let volume = hencky.element_sum();
        let principal = (2.0 * mu * (hencky - volume / 3.0) + kappa * volume) / f.determinant();
        let sigma = axes * DMat3::from_diagonal(principal) * axes.transpose();
        let voigt =
            [sigma.x_axis.x, sigma.y_axis.y, sigma.z_axis.z, sigma.y_axis.z, sigma.x_axis.z, sigma.x_axis.y];
        let deviator = principal - principal.element_sum() / 3.0;
        let scale = principal.abs().max_element();
        let f_rows = f.transpose().to_cols_array();
        let worst = (0..frame.position.len()).map(|p| {
            let stress = off(&frame.stress[p], &voigt) / scale;
            let pressure = off(&[frame.pressure[p]], &[-principal.element_sum() / 3.0]) / scale;
            let mises = off(&[frame.von_mises[p]], &[1.5_f64.sqrt() * deviator.length()]) / scale;
            [off(&frame.deformation[p], &f_rows), stress, pressure, mises]
        });
        let worst = worst.reduce(|a, b| std::array::from_fn(|i| a[i].max(b[i]))).unwrap();
        println!(
            "F off by {:.1e}, stress {:.1e}, pressure {:.1e}, von Mises {:.1e} of it",
            worst[0], worst[1], worst[2], worst[3]
        );
        assert!(worst[0] < 2e-6 && worst[1..].iter().all(|&off| off < 1e-4), "{worst:?}");
    }
}

/// Equal stretches with shears whose squares underflow in f32: the rotation that removes the shears turns by 45 degrees at most, and the
/// stretches stay.
pub fn shears_whose_squares_underflow_change_nothing() {
    let mut problem = problem(BLOCK);
    problem.scene.solver.iterations = 0;
    for shear in [8e-20_f32, -3e-20, 1e-22] {
        let mut simulation = gpu(&problem);
        let store = simulation.solver_mut().store_mut();
        let count = problem.particle_count();
        let mut diagonal: Vec<[f32; 4]> = store.download(COMMITTED_STRAIN_DIAGONAL, count).unwrap();
        let mut shears: Vec<[f32; 4]> = store.download(COMMITTED_STRAIN_SHEAR, count).unwrap();
        diagonal.iter_mut().for_each(|row| *row = [1e-2, 1e-2, 1e-2, row[3]]);
        shears.iter_mut().for_each(|row| *row = [shear, 0.0, shear, row[3]]);
        store.upload(COMMITTED_STRAIN_DIAGONAL, &diagonal).unwrap();
        store.upload(COMMITTED_STRAIN_SHEAR, &shears).unwrap();
        step(&mut simulation, 1);
        let after: Vec<[f32; 4]> =
            simulation.solver().store().download(COMMITTED_STRAIN_DIAGONAL, count).unwrap();
        let worst = after.iter().map(|row| off(&row[..3], &[1e-2; 3])).fold(0.0, f64::max);
        println!("shear {shear:e}: stretches off by {worst:.1e}");
        assert!(worst < 1e-7, "{worst}");
    }
}

/// Models of both variants, with substeps that sort, compared with the reference's columns.
pub fn columns_agree_with_the_reference() {
    for scene in [scenes::MIXED, scenes::TENSORS] {
        let (before, _) = scene.split_once("[output]").unwrap_or((scene, ""));
        let problem = problem(&(before.to_owned() + COLUMNS));
        let (mut device, mut twin) = (gpu(&problem), reference(&problem));
        step(&mut device, 5);
        step_reference(&mut twin, 5);
        let derived = Derived::of(&problem);
        let full = |mut frame: Frame| {
            derived.add(&problem, &mut frame);
            frame
        };
        let (ours, theirs) = (full(device.frame().unwrap()), full(twin.frame().unwrap()));
        let most = theirs.stress.iter().flatten().fold(0.0_f32, |most, s| most.max(s.abs()));
        let apart =
            |a: &[f32], b: &[f32]| std::iter::zip(a, b).map(|(a, b)| (a - b).abs()).fold(0.0_f32, f32::max);
        let stress = apart(ours.stress.as_flattened(), theirs.stress.as_flattened()) / most;
        let deformation = apart(ours.deformation.as_flattened(), theirs.deformation.as_flattened());
        let moved = apart(
            theirs.deformation.as_flattened(),
            &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0].repeat(ours.stress.len()),
        );
        println!(
            "F {deformation:.1e} apart where it moved {moved:.1e}, stress {stress:.1e} of {most:.1e} Pa"
        );
        assert!(ours.body == theirs.body && moved > 1e-4 && most > 0.0);
        assert!(deformation < 1e-4 * (1.0 + moved) && stress < 1e-2, "{deformation} {stress}");
    }
}
