//! Projection, stress, C and its gradient through full matrices (data/vectors/tensor.json), in the same way as a solver: from E = b - I
//! and dt grad v.

use nalgebra::{Matrix3, SymmetricEigen, Vector3};
use serde_json::{Map, Value};

use crate::harness::{model, number, numbers, parameters, state, vectors};

fn matrix(value: &Value) -> Matrix3<f64> {
    Matrix3::from_row_slice(&numbers::<9>(value))
}

fn compose(axes: &Matrix3<f64>, values: [f64; 3]) -> Matrix3<f64> {
    axes * Matrix3::from_diagonal(&Vector3::from(values)) * axes.transpose()
}

#[test]
fn gradients_through_matrices() {
    let (_, items) = vectors("tensor");
    let mut checked = 0;
    for item in &items {
        let id = match item["model"].as_str().unwrap() {
            "hencky" => "elastic",
            id => id,
        };
        checked += 1;
        let model = model(id);
        let (mu, kappa) = (number(&item["mu"]), number(&item["kappa"]));
        let mut named = Map::new();
        let young = 9.0 * kappa * mu / (3.0 * kappa + mu);
        named.insert("E".into(), young.into());
        named.insert("nu".into(), (young / (2.0 * mu) - 1.0).into());
        // States are among the parameters; the initial yield stress is one.
        let mut words = Map::new();
        let mut dt = 1e-4;
        for (name, value) in item["extra"].as_object().unwrap() {
            match name.as_str() {
                "vc" | "alpha" | "Jp" => _ = words.insert(name.clone(), value.clone()),
                "tau_y" => _ = named.insert("tau_y0".into(), value.clone()),
                "dt" => dt = number(value),
                // The stiffness factor at this Jp, not the parameter of the same name.
                "hardening" => assert_eq!(number(value), 1.0),
                _ => _ = named.insert(name.clone(), value.clone()),
            }
        }
        let constants = model.prepare(&parameters(model, &named)).unwrap();
        let before = state(model, &constants, Some(&Value::Object(words)));

        let l = matrix(&item["dt_grad_v"]);
        let e = matrix(&item["E_n"]);
        let trial =
            e + (l * e + e * l.transpose()) + l * e * l.transpose() + (l + l.transpose() + l * l.transpose());
        let eigen = SymmetricEigen::new(0.5 * (trial + trial.transpose()));
        let hencky: [f64; 3] = eigen.eigenvalues.map(|w| 0.5 * w.ln_1p()).into();
        let projected = model.project(&constants, &before, dt, hencky).hencky;
        let tau = compose(&eigen.eigenvectors, model.kirchhoff(&constants, &before, projected));
        let psi = model.energy(&constants, &before, projected);
        let strain = compose(&eigen.eigenvectors, projected.map(|eps| (2.0 * eps).exp_m1()));

        let stiffness = 2.0 * mu + 3.0 * kappa;
        let context = format!("{} {}", item["model"], item["id"]);
        assert!((strain - matrix(&item["E_projected"])).amax() <= 1e-12, "{context}: E");
        assert!((tau - matrix(&item["tau"])).amax() <= 1e-12 * stiffness, "{context}: tau");
        let c = number(&item["C"]);
        // C is the root of psi: an error of 1e-12 of psi's scale below the root is the best that can be expected.
        assert!((psi - 0.5 * c * c).abs() <= 1e-12 * stiffness * strain.amax(), "{context}: psi");
        if c > 1e-6 * stiffness.sqrt() {
            let inverse = (Matrix3::identity() + l).transpose().try_inverse().unwrap();
            let gradient = tau * inverse / (2.0 * psi).sqrt();
            let error = (gradient - matrix(&item["G"])).amax() / stiffness.sqrt();
            assert!(error <= 1e-9, "{context}: G is off by {error:e}");
        }
    }
    assert_eq!(checked, 120);
}
