//! The f64 functions of every library against independently computed values (data/vectors).

use serde_json::{Map, Value};
use tuff_material_sdk::abi::{CASE_COMPRESSION_TIP, CASE_ELASTIC, CASE_FLOW, CASE_TIP};

use crate::harness::{distance, model, number, numbers, parameters, state, vectors};

/// Limits on the stretches that models see.
const STRETCH: [f64; 2] = [1e-2, 1e2];

/// Relative to `2 mu + 3 kappa` times the larger of 1, s^2 and J^2, a bound on the terms that may cancel in the stress.
const STRESS_TOLERANCE: f64 = 1e-12;
const STRAIN_TOLERANCE: f64 = 1e-12;

fn check(file: &str, id: &str, choice: Option<(&str, f64)>, clamps: bool) -> usize {
    let model = model(id);
    let (meta, items) = vectors(file);
    assert_eq!(meta["model"], file);
    let mut checked = 0;
    for item in &items {
        let trial: [f64; 3] = numbers(&item["sigma_trial"]);
        if !clamps && trial.iter().any(|&s| s <= 0.0) {
            continue;
        }
        checked += 1;
        let mut named: Map<String, Value> = item["params"].as_object().unwrap().clone();
        if let Some((name, index)) = choice {
            named.insert(name.into(), index.into());
        }
        let constants = model.prepare(&parameters(model, &named)).unwrap();
        let before = state(model, &constants, item.get("state"));
        let limited = if clamps { trial.map(|s| s.clamp(STRETCH[0], STRETCH[1])) } else { trial };
        let result = model.project(&constants, &before, number(&item["dt"]), limited.map(f64::ln));
        let context = || format!("{file} {} ({})", item["id"], item["tag"]);

        let stretch: [f64; 3] = numbers(&item["sigma"]);
        let error = distance(&result.hencky, &stretch.map(f64::ln));
        assert!(error <= STRAIN_TOLERANCE, "{}: ln s' is off by {error:e}", context());
        // For snow: its stiffness at the start of the substep.
        let hardness = item.get("hardening").map_or(1.0, number);
        let [mu, kappa] = ["mu", "kappa"].map(|name| hardness * number(&item["params"][name]));
        let volume: f64 = stretch.iter().product();
        let size = stretch.iter().fold(1.0_f64.max(volume * volume), |size, s| size.max(s * s));
        let scale = (2.0 * mu + 3.0 * kappa) * size;
        let tau = model.kirchhoff(&constants, &before, result.hencky);
        let error = distance(&tau, &numbers::<3>(&item["tau"])) / scale;
        assert!(error <= STRESS_TOLERANCE, "{}: tau is off by {error:e}", context());
        let psi = model.energy(&constants, &before, result.hencky);
        let error = (psi - number(&item["psi"])).abs() / scale;
        assert!(error <= STRESS_TOLERANCE, "{}: psi is off by {error:e}", context());
        assert!(psi >= 0.0, "{}: psi = {psi}", context());

        if item["near_boundary"] != true {
            let case = match item["case"].as_str().unwrap() {
                "elastic" => CASE_ELASTIC,
                "plastic" | "cone" | "ellipse" | "viscoplastic" | "clamped" => CASE_FLOW,
                "tip" | "tension_tip" => CASE_TIP,
                "compression_tip" => CASE_COMPRESSION_TIP,
                other => panic!("unknown case {other}"),
            };
            assert_eq!(result.case, case, "{}", context());
        }
        if let Some(after) = item.get("state_out") {
            let after = state(model, &constants, Some(after));
            let unit = if id == "von_mises" { 2.0 * mu } else { after[0].abs().max(1.0) };
            let error = distance(&result.state, &after) / unit;
            assert!(error <= STRAIN_TOLERANCE, "{}: the state is off by {error:e}", context());
        }
        check_forget_factor(&result, limited, &context());
        let moduli = model.moduli(&constants, &before);
        let error = distance(&[moduli.shear, moduli.bulk], &[mu, kappa]) / (mu + kappa);
        assert!(error <= 1e-14, "{}: the moduli are off by {error:e}", context());
    }
    checked
}

/// min(1, |dev projected| / |dev trial|); 1 without a deviator, 0 at a tip.
fn check_forget_factor(result: &tuff_plugin::Projection, limited: [f64; 3], context: &str) {
    let deviator_norm = |v: [f64; 3]| {
        let mean = v.iter().sum::<f64>() / 3.0;
        v.iter().map(|x| (x - mean).powi(2)).sum::<f64>().sqrt()
    };
    let trial = deviator_norm(limited.map(f64::ln));
    let expected = if [CASE_TIP, CASE_COMPRESSION_TIP].contains(&result.case) {
        0.0
    } else if trial < 1e-7 {
        1.0
    } else {
        (deviator_norm(result.hencky) / trial).min(1.0)
    };
    assert!((result.forget - expected).abs() <= 1e-12, "{context}: forget {} for {expected}", result.forget);
}

#[test]
fn hencky_energy() {
    assert_eq!(check("hencky", "elastic", Some(("energy", 0.0)), true), 300);
}

#[test]
fn neo_hookean_energy() {
    assert_eq!(check("neo_hookean", "elastic", Some(("energy", 1.0)), true), 300);
}

#[test]
fn split_neo_hookean_energy() {
    assert_eq!(check("neo_hookean_split", "elastic", Some(("energy", 2.0)), true), 300);
}

/// Inverted stretches have no logarithm and do not reach a model: three of 300.
#[test]
fn fixed_corotated_energy() {
    assert_eq!(check("fixed_corotated", "elastic", Some(("energy", 3.0)), false), 297);
}

#[test]
fn von_mises() {
    assert_eq!(check("von_mises", "von_mises", None, true), 300);
}

#[test]
fn drucker_prager() {
    assert_eq!(check("drucker_prager", "drucker_prager", None, true), 300);
}

#[test]
fn nacc() {
    assert_eq!(check("nacc", "nacc", None, true), 300);
}

#[test]
fn published_nacc() {
    assert_eq!(check("nacc_published", "nacc", Some(("variant", 1.0)), true), 300);
}

#[test]
fn herschel_bulkley() {
    assert_eq!(check("herschel_bulkley", "herschel_bulkley", None, true), 300);
}

#[test]
fn snow() {
    assert_eq!(check("snow", "snow", None, true), 300);
}

/// A fluid forgets, except strain within rounding of rest.
#[test]
fn practically_no_deviator_is_not_forgotten() {
    let fluid = model("von_mises");
    let named = serde_json::json!({ "E": 1e5, "nu": 0.3, "tau_y0": 0.0 });
    let constants = fluid.prepare(&parameters(fluid, named.as_object().unwrap())).unwrap();
    let forget = |a: f64| fluid.project(&constants, &[0.0; 4], 1e-4, [a, -a, 0.0]).forget;
    assert_eq!((forget(0.0), forget(7e-8), forget(7.2e-8)), (1.0, 1.0, 0.0));
}
