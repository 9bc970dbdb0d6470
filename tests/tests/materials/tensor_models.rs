//! Models of the tensor variant, in f64: reference values, closed forms, and their stresses as derivatives of their energies with respect
//! to the whole deformation.

use nalgebra::{Matrix3, SymmetricEigen};
use serde_json::{Map, Value, json};
use tuff_plugin::{Model, Stretch, TensorPoint};

use crate::harness::{distance, model, number, numbers, parameters, vectors};

fn prepared(model: &Model, named: &Value) -> Vec<f64> {
    model.prepare(&parameters(model, named.as_object().unwrap())).unwrap()
}

/// Returns the spectrum of a strain E = b - I.
fn stretch(strain: Matrix3<f64>) -> Stretch {
    let eigen = SymmetricEigen::new(0.5 * (strain + strain.transpose()));
    let axes = [0, 1, 2].map(|k| eigen.eigenvectors.column(k).into_owned().into());
    Stretch { hencky: eigen.eigenvalues.map(|w| 0.5 * w.ln_1p()).into(), axes }
}

fn rows(m: Matrix3<f64>) -> [[f64; 3]; 3] {
    m.transpose().into()
}

fn symmetric([xx, yy, zz, yz, xz, xy]: [f64; 6]) -> Matrix3<f64> {
    Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
}

/// Returns a matrix with entries of about `size`, different for every `seed`.
fn noise(seed: u32, size: f64) -> Matrix3<f64> {
    Matrix3::from_fn(|i, j| size * (f64::from(seed * 9 + 3 * i as u32 + j as u32 + 1) * 2.399_963).sin())
}

/// Builds a particle with an elastic deformation F and a branch with its own, both carried along with A.
fn point<'a>(
    constants: &'a [f64],
    a: Matrix3<f64>,
    f: Matrix3<f64>,
    branch: Matrix3<f64>,
) -> TensorPoint<'a> {
    let strain = |f: Matrix3<f64>| stretch(a * f * (a * f).transpose() - Matrix3::identity());
    TensorPoint {
        strain: strain(f),
        branch: strain(branch),
        deformation: rows(a * f),
        dt: 2e-3,
        ..TensorPoint::at_rest(constants, [0.0; 4])
    }
}

fn foam() -> (&'static Model, Vec<f64>) {
    let foam = model("viscoelastic");
    let named = json!({
        "shear_modulus": 1e4, "bulk_modulus": 2e4, "branch_shear_modulus": 3e4, "branch_bulk_modulus": 1e4,
        "shear_relaxation_time": 5e-3, "bulk_relaxation_time": 8e-3,
    });
    (foam, prepared(foam, &named))
}

fn wood() -> (&'static Model, Vec<f64>) {
    let wood = model("orthotropic");
    let named = json!({
        "shear_modulus": 1e4, "bulk_modulus": 2e4, "fiber_stiffness_1": 8e4, "fiber_stiffness_2": 2e4,
        "fiber_stiffness_3": 5e3, "fiber_rotate_x": 20.0, "fiber_rotate_y": -35.0, "fiber_rotate_z": 50.0,
    });
    (wood, prepared(wood, &named))
}

/// d psi / d A = tau A^-T, by central differences.
#[test]
fn stress_is_the_derivative_of_the_energy() {
    for (model, constants) in [foam(), wood()] {
        for seed in 0..20 {
            let identity = Matrix3::identity();
            let (a, f) = (identity + noise(seed, 0.05), identity + noise(seed + 100, 0.2));
            let branch = identity + noise(seed + 200, 0.1);
            let energy = |a| model.respond(&point(&constants, a, f, branch)).energy;
            let tau = symmetric(model.respond(&point(&constants, a, f, branch)).kirchhoff);
            let expected = tau * a.transpose().try_inverse().unwrap();
            let h = 1e-5;
            let difference = Matrix3::from_fn(|i, j| {
                let mut step = Matrix3::zeros();
                step[(i, j)] = h;
                (energy(a + step) - energy(a - step)) / (2.0 * h)
            });
            let error = (difference - expected).amax() / expected.amax();
            assert!(error < 1e-8, "{} {seed}: off by {error:e}", model.descriptor().id);
        }
    }
}

/// A rotated particle has the same energy and the rotated stress; the isotropic model's energy is also the same if the matter was rotated
/// before it was strained, the orthotropic one's is not.
#[test]
fn stress_turns_with_the_matter() {
    let turn =
        (Matrix3::identity() - noise_spin()).try_inverse().unwrap() * (Matrix3::identity() + noise_spin());
    let identity = Matrix3::identity();
    for (model, constants) in [foam(), wood()] {
        let (a, f, branch) = (identity + noise(7, 0.05), identity + noise(8, 0.2), identity + noise(9, 0.1));
        let here = model.respond(&point(&constants, a, f, branch));
        let there = model.respond(&point(&constants, turn * a, f, branch));
        let tau = turn * symmetric(here.kirchhoff) * turn.transpose();
        let scale = tau.amax();
        assert!((symmetric(there.kirchhoff) - tau).amax() < 1e-12 * scale);
        assert!((here.energy - there.energy).abs() < 1e-12 * here.energy);
        let before = model.respond(&point(&constants, a, f * turn, branch * turn));
        let change = (here.energy - before.energy).abs() / here.energy;
        let isotropic = model.descriptor().claims.isotropic;
        assert!(if isotropic { change < 1e-12 } else { change > 1e-2 }, "{change:e}");
    }
}

fn noise_spin() -> Matrix3<f64> {
    let m = noise(31, 0.4);
    m - m.transpose()
}

/// All reference values, which drive the branch alone: the relaxed stretch, the remaining stress and energy, and the energy of the step
/// at the strain before it relaxes.
#[test]
fn the_branch_meets_its_reference_values() {
    let model = model("viscoelastic");
    let (_, items) = vectors("viscoelastic");
    for item in &items {
        let named: &Map<String, Value> = item["params"].as_object().unwrap();
        let constants = model.prepare(&parameters(model, named)).unwrap();
        let limited = numbers::<3>(&item["sigma_trial"]).map(|s: f64| s.clamp(1e-2, 1e2));
        let branch = Stretch { hencky: limited.map(f64::ln), ..Stretch::REST };
        let rest = TensorPoint::at_rest(&constants, [0.0; 4]);
        let point = TensorPoint { branch, dt: number(&item["dt"]), ..rest };
        let (response, update) = (model.respond(&point), model.advance(&point));
        let context = || format!("{} ({})", item["id"], item["tag"]);
        let stretch: [f64; 3] = numbers(&item["sigma"]);
        let error = distance(&update.branch.hencky, &stretch.map(f64::ln));
        assert!(error <= 1e-12, "{}: ln s' is off by {error:e}", context());
        let [mu, kappa] = ["mu", "kappa"].map(|name| number(&item["params"][name]));
        let size = limited.iter().chain(&stretch).fold(1.0_f64, |size, s| size.max(s * s));
        let scale = (2.0 * mu + 3.0 * kappa) * size;
        for name in ["tau", "tau_eci"] {
            let error = distance(&response.kirchhoff[..3], &numbers::<3>(&item[name])) / scale;
            assert!(error <= 1e-12, "{}: {name} is off by {error:e}", context());
        }
        let stored = model.stored_energy(&TensorPoint { branch: update.branch, ..rest });
        for (name, energy) in [("psi", stored), ("psi_eci", response.energy)] {
            let error = (energy - number(&item[name])).abs() / scale;
            assert!(error <= 1e-12 && energy >= 0.0, "{}: {name} is off by {error:e}", context());
        }
    }
    assert_eq!(items.len(), 300);
}

/// Shear held in place: the branch's stress decays as e^(-t / T), where T is the requested relaxation time; the solid's stays. A step
/// keeps 1 / (1 + dt / T), so the error is of first order: t dt / (2 T^2).
#[test]
fn a_held_shear_relaxes() {
    let (foam, constants) = foam();
    let (shear, time) = (0.02, 5e-3_f64);
    let run = |dt: f64, until: f64| {
        let strain = Stretch { hencky: [shear, -shear, 0.0], ..Stretch::REST };
        let mut held =
            TensorPoint { strain, branch: strain, dt, ..TensorPoint::at_rest(&constants, [0.0; 4]) };
        for _ in 0..(until / dt).round() as usize {
            held.branch = foam.advance(&held).branch;
        }
        foam.respond(&TensorPoint { dt: 0.0, ..held }).kirchhoff[0] / (2.0 * shear)
    };
    for until in [1e-3, 5e-3, 2e-2] {
        let exact = 1e4 + 3e4 * (-until / time).exp();
        for dt in [1e-4, 1e-5] {
            let allowed = 3e4 * (-until / time).exp() * until * dt / (2.0 * time * time);
            let error = (run(dt, until) - exact).abs();
            assert!(
                (0.7 * allowed..1.1 * allowed).contains(&error),
                "{until} s by {dt}: {error} of {allowed} Pa"
            );
        }
    }
}

/// One stretched direction of fibers: psi = beta ((x^2 - 1) / 2 - ln x), tau = beta (x^2 - 1) along it, and the small-strain modulus 2
/// beta.
#[test]
fn fibers_pull_along_themselves() {
    let wood = model("orthotropic");
    let named = json!({ "E": 3e-3, "nu": 0.0, "fiber_stiffness_1": 100.0, "fiber_rotate_z": 90.0 });
    let constants = prepared(wood, &named);
    let at = |x: f64| {
        let f = Matrix3::from_diagonal(&nalgebra::Vector3::new(1.0, x, 1.0));
        wood.respond(&point(&constants, Matrix3::identity(), f, Matrix3::identity()))
    };
    for x in [0.5, 0.9, 1.2, 3.0_f64] {
        let r = at(x);
        assert!((r.energy - 100.0 * ((x * x - 1.0) / 2.0 - x.ln())).abs() < 1e-2, "{x}: {}", r.energy);
        assert!((r.kirchhoff[1] - 100.0 * (x * x - 1.0)).abs() < 1e-2, "{x}: {:?}", r.kirchhoff);
        assert!(r.kirchhoff[0].abs() + r.kirchhoff[2].abs() < 1e-2, "the fibers lie along y");
    }
    let modulus = at(1.0 + 1e-6).kirchhoff[1] / 1e-6;
    assert!((modulus - 200.0).abs() < 1e-2, "{modulus}");
}

/// All ways to give the branch's constants are equivalent, and only one at a time is accepted.
#[test]
fn viscosities_convert() {
    let foam = model("viscoelastic");
    let base = json!({ "E": 1e4, "nu": 0.25, "branch_shear_modulus": 6e3 });
    let with = |more: &Value| {
        let mut named = base.as_object().unwrap().clone();
        named.extend(more.as_object().unwrap().clone());
        foam.prepare(&parameters(foam, &named))
    };
    let expected =
        with(&json!({ "shear_viscosity": 60.0, "branch_bulk_modulus": 4e3, "bulk_viscosity": 8.0 })).unwrap();
    assert_eq!(expected[2..], [6e3, 4e3, 120.0, 16.0]);
    let others = [
        json!({ "shear_relaxation_time": 0.01, "branch_lambda": 0.0, "bulk_relaxation_time": 2e-3 }),
        json!({ "v_d": 120.0, "kappa_N": 4e3, "v_v": 16.0 }),
    ];
    for other in &others {
        assert!(distance(&with(other).unwrap(), &expected) < 1e-9, "{other}");
    }
    // By default the volume relaxes as fast as the shape, and a branch without bulk modulus has no pressure.
    assert_eq!(with(&json!({ "shear_viscosity": 60.0, "kappa_N": 4e3 })).unwrap()[5], 80.0);
    assert_eq!(with(&json!({ "shear_viscosity": 60.0 })).unwrap()[3], 0.0);
    for (more, word) in [
        (json!({}), "no viscosity of the branch"),
        (json!({ "v_d": 1.0, "shear_viscosity": 1.0 }), "both shear_viscosity and deviatoric_viscosity"),
        (json!({ "v_d": 1.0, "kappa_N": 1.0, "lambda_N": 1.0 }), "at most one"),
        (json!({ "v_d": 1.0, "lambda_N": -5e3 }), "branch_lambda = -5000 Pa is below -4000 Pa"),
        (json!({ "v_d": 1.0, "branch_shear_modulus": 0.0 }), "branch_shear_modulus"),
    ] {
        let refused = with(&more).unwrap_err();
        assert!(refused.message.contains(word), "{}", refused.message);
    }
}
