//! Card B17 (a): viscometry of Herschel-Bulkley matter in affinely driven simple shear.
//!
//! Closed form: the steady shear stress at the rate g is tau_y + K g^h, with tau_y = sY / sqrt 3 and K the
//! model's `consistency`. Three decades of rates, h = 0.3, 1 and 3, tolerance 2 %. The modulus is 50 times the
//! largest stress and more, so that the elastic strain does not matter.

use glam::{DMat3, DVec3};
use tuff_tests::{gpu, problem};

use crate::support::{PLAIN, drive, lattice_box, material, mean_kirchhoff, now, scene};

const YIELD: f64 = 100.0;
/// Viscous part of the stress at the highest rate [Pa].
const VISCOUS: f64 = 500.0;
const RATES: [f64; 4] = [0.1, 1.0, 10.0, 100.0];
const FASTEST: f64 = RATES[3];

pub fn flow_curve() {
    for power in [0.3, 1.0, 3.0] {
        let consistency = VISCOUS / FASTEST.powf(power);
        let law = format!("yield_stress = {YIELD:?}\nconsistency = {consistency:e}\npower = {power:?}");
        let rest = material("herschel_bulkley", 100.0, 1e5, 0.3, &law)
            + &lattice_box("cube", [0.0; 3], [0.04; 3], 0.01, "");
        for rate in RATES {
            let step = 1e-3;
            let mut problem = problem(&scene(step / rate, [0.0; 3], 0.01, PLAIN, &rest));
            problem.scene.solver.iterations = 0;
            let mut device = gpu(&problem);
            let shear = |gamma: f64| DMat3::from_cols(DVec3::X, DVec3::new(gamma, 1.0, 0.0), DVec3::Z);
            for i in 0..150_u32 {
                drive(&problem, &mut device, shear(f64::from(i) * step), shear(f64::from(i + 1) * step));
            }
            let found = mean_kirchhoff(&problem, &now(&mut device))[(0, 1)];
            let expected = YIELD / 3.0_f64.sqrt() + consistency * rate.powf(power);
            println!("h {power}, {rate} 1/s: {found:.2} Pa, expected {expected:.2}");
            assert!((found / expected - 1.0).abs() < 0.02, "h {power}, {rate} 1/s: {found} Pa");
        }
    }
}
