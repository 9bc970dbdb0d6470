//! Card B3: homogeneous deformation of a cloud, surface included, without a solve.
//!
//! Closed forms: particles that move with constant velocities v = L X have F = I + n dt L after n substeps,
//! b = F F^T, J = det F, and the Hencky model has tau = 2 mu ln V + lambda tr(ln V) I. Tolerance 1e-4 (f32).

use glam::{DMat3, DVec3};
use nalgebra::Matrix3;
use tuff_solver::attributes::COMMITTED_MEMORY;
use tuff_tests::{gpu, problem, step};

use crate::support::{Draws, PLAIN, body, elastic, kirchhoff, norm, now, of_hencky, scene, strain};

const STEPS: u32 = 100;

fn to_nalgebra(m: DMat3) -> Matrix3<f64> {
    Matrix3::from_column_slice(&m.to_cols_array())
}

pub fn strain_volume_and_stress() {
    let (dt, spacing, moduli) = (1e-3, 0.05, (1e5, 0.3));
    let shape = "{ box = { min = [0.0, 0.0, 0.0], max = [0.5, 0.5, 0.5] } }";
    let sampling = format!("{{ kind = \"poisson_disk\", spacing = {spacing:?}, seed = 2 }}");
    let rest = elastic(1000.0, moduli.0, moduli.1) + &body("cloud", shape, &sampling, "");
    let mut problem = problem(&scene(dt, [0.0; 3], spacing, PLAIN, &rest));
    problem.scene.solver.iterations = 0;
    let draws = Draws(7).matrix();
    // Half a unit of displacement gradient in the end, and a right-handed one.
    let rate = draws * (0.5 / (f64::from(STEPS) * dt * norm(draws)));
    let drift = DVec3::new(0.3, -0.2, 0.5);
    for (v, x) in problem.particles.velocity.iter_mut().zip(&problem.particles.position) {
        *v = rate * *x + drift;
    }
    let f = DMat3::IDENTITY + rate * f64::from(STEPS) * dt;
    let expected = to_nalgebra(f * f.transpose() - DMat3::IDENTITY);
    let (mu, lambda) = (moduli.0 / 2.6, moduli.0 * 0.3 / (1.3 * 0.4));
    let stress = of_hencky(expected, |e| e.map(|eps| 2.0 * mu * eps + lambda * e.iter().sum::<f64>()));

    let mut device = gpu(&problem);
    step(&mut device, STEPS);
    let frame = now(&mut device);
    let (mut worst, count) = ([0.0_f64; 4], problem.particle_count());
    let memory: Vec<[f32; 4]> = device.store().download(COMMITTED_MEMORY, count).unwrap();
    for (p, words) in memory.iter().enumerate() {
        let remembered = DVec3::new(words[0].into(), words[1].into(), words[2].into());
        let off = [
            (strain(&frame, p) - expected).norm() / expected.norm(),
            (f64::from(frame.volume_ratio[p]) - f.determinant()).abs() / f.determinant(),
            (kirchhoff(&problem, &frame, p) - stress).norm() / stress.norm(),
            remembered.length() / spacing,
        ];
        worst = [0, 1, 2, 3].map(|k| worst[k].max(off[k]));
    }
    println!(
        "{count} particles, J = {:.3}: E {:.1e}, J {:.1e}, tau {:.1e}, h {:.1e}",
        f.determinant(),
        worst[0],
        worst[1],
        worst[2],
        worst[3]
    );
    for (what, off) in ["E", "J", "tau", "h"].into_iter().zip(worst) {
        assert!(off < 1e-4, "{what} is off by {off:.2e}");
    }
}
