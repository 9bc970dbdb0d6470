//! Conversions of parameters, and refusals that name the parameter and what is allowed.

use tuff_plugin::Model;

use crate::harness::model;

fn values(model: &Model, named: &[(&str, f64)]) -> Vec<f64> {
    let parameters = &model.descriptor().parameters;
    let mut values: Vec<f64> = parameters.iter().map(|p| p.default.unwrap_or(f64::NAN)).collect();
    for &(name, value) in named {
        values[model.descriptor().parameter_index(name).unwrap()] = value;
    }
    values
}

fn refused(id: &str, named: &[(&str, f64)]) -> (String, String) {
    let model = model(id);
    let error = model.prepare(&values(model, named)).unwrap_err();
    let parameter = error.parameter.map_or(String::new(), |i| model.descriptor().parameters[i].name.clone());
    (parameter, error.message)
}

const STIFF: [(&str, f64); 2] = [("youngs_modulus", 1e6), ("poisson_ratio", 0.25)];

fn with<'a>(more: &[(&'a str, f64)]) -> Vec<(&'a str, f64)> {
    STIFF.iter().chain(more).copied().collect()
}

/// E = 1e6, nu = 1/4 are equivalent to mu = 4e5, kappa = 2e6 / 3.
#[test]
fn both_pairs_of_stiffness_mean_the_same() {
    let elastic = model("elastic");
    let from_young = elastic.prepare(&values(elastic, &STIFF)).unwrap();
    let pair = [("shear_modulus", 4e5), ("bulk_modulus", 2e6 / 3.0)];
    let from_pair = elastic.prepare(&values(elastic, &pair)).unwrap();
    assert!(crate::harness::distance(&from_young, &from_pair) < 1e-6);
    let moduli = elastic.moduli(&from_pair, &[0.0; 4]);
    assert_eq!((moduli.shear, moduli.bulk), (4e5, 2e6 / 3.0));
}

#[test]
fn stiffness_is_given_once_and_whole() {
    let blamed = |named: &[(&str, f64)]| refused("elastic", named).0;
    assert_eq!(blamed(&[]), "youngs_modulus");
    assert_eq!(blamed(&STIFF[..1]), "poisson_ratio");
    assert_eq!(blamed(&[("bulk_modulus", 1e5)]), "shear_modulus");
    assert_eq!(blamed(&with(&[("shear_modulus", 4e5)])), "shear_modulus");
    assert_eq!(blamed(&with(&[("bulk_modulus", 4e5)])), "bulk_modulus");
}

#[test]
fn poisson_ratio_stays_in_its_range() {
    let (parameter, message) = refused("elastic", &[("youngs_modulus", 1e6), ("poisson_ratio", 0.4951)]);
    assert_eq!(parameter, "poisson_ratio");
    assert!(message.contains("0 <= poisson_ratio <= 0.495"), "{message}");
    // kappa < 2/3 mu is a negative ratio; kappa > 99.67 mu is a ratio above 0.495.
    for bulk in [0.6, 101.0] {
        let (parameter, message) = refused("elastic", &[("shear_modulus", 1.0), ("bulk_modulus", bulk)]);
        assert_eq!(parameter, "bulk_modulus");
        assert!(message.contains("0 to 0.495"), "{message}");
    }
    let elastic = model("elastic");
    for bulk in [2.0 / 3.0, 99.0] {
        assert!(elastic.prepare(&values(elastic, &[("shear_modulus", 1.0), ("bulk_modulus", bulk)])).is_ok());
    }
}

#[test]
fn numbers_outside_their_ranges_are_refused() {
    let refuse = |id: &str, named: &[(&str, f64)], expected: &str| {
        let (parameter, message) = refused(id, named);
        assert_eq!(parameter, named.last().unwrap().0);
        assert!(message.contains(expected), "{message}");
    };
    refuse("elastic", &[("poisson_ratio", 0.3), ("youngs_modulus", 0.0)], "0 < youngs_modulus");
    refuse("elastic", &[("poisson_ratio", 0.3), ("youngs_modulus", f64::INFINITY)], "youngs_modulus = inf");
    refuse("elastic", &with(&[("energy", 4.0)]), "\"fixed_corotated\"");
    refuse("elastic", &with(&[("energy", 0.5)]), "\"hencky\"");
    refuse("von_mises", &with(&[("yield_stress", -1.0)]), "0 <= yield_stress");
    refuse("von_mises", &with(&[("yield_stress", 1.0), ("hardening", 1.0)]), "0 <= hardening < 1");
    refuse("drucker_prager", &with(&[("friction_angle", 90.0)]), "0 <= friction_angle < 90");
    refuse(
        "drucker_prager",
        &with(&[("friction_angle", 30.0), ("cohesion_strain", -1e-3)]),
        "0 <= cohesion_strain",
    );
    refuse("nacc", &with(&[("M", 0.0)]), "0 < M");
    refuse("nacc", &with(&[("M", 1.0), ("beta", -0.1)]), "0 <= beta");
    refuse("fluid", &[("density", 1e3), ("sound_speed", 20.0), ("viscosity", -1.0)], "0 <= viscosity");
    refuse("fluid", &[("density", 1e3), ("sound_speed", 0.0)], "0 < sound_speed");
    refuse("herschel_bulkley", &with(&[("power", 0.0)]), "0.1 <= power <= 10");
    refuse("snow", &with(&[("critical_compression", 1.0)]), "0 < critical_compression < 1");
    let (parameter, message) = refused("drucker_prager", &STIFF);
    assert_eq!(parameter, "friction_angle");
    assert!(message.contains("no friction is given"), "{message}");
}

#[test]
fn one_of_two_names_is_given() {
    for (id, yields, first, second) in [
        ("nacc", None, "M", "friction_angle"),
        ("herschel_bulkley", Some(("yield_stress", 1.0)), "consistency", "eta"),
    ] {
        let named = |more: &[(&'static str, f64)]| {
            with(&yields.into_iter().chain(more.iter().copied()).collect::<Vec<_>>())
        };
        let (parameter, message) = refused(id, &named(&[]));
        assert!(parameter == first && message.contains("exactly one of"), "{message}");
        let (parameter, message) = refused(id, &named(&[(first, 1.0), (second, 1.0)]));
        assert!(parameter == second && message.contains("exactly one of"), "{message}");
        for name in [first, second] {
            let model = model(id);
            assert!(model.prepare(&values(model, &named(&[(name, 1.0)]))).is_ok());
        }
    }
}

/// M = 6 sin(phi) / (3 - sin(phi)) is 1.2 at 30 degrees.
#[test]
fn critical_state_slope_from_an_angle() {
    let clay = model("nacc");
    let prepare = |named: (&'static str, f64)| clay.prepare(&values(clay, &with(&[named]))).unwrap();
    let error = crate::harness::distance(&prepare(("friction_angle", 30.0)), &prepare(("M", 1.2)));
    assert!(error < 1e-12, "{error}");
    let sand = model("drucker_prager");
    let prepare = |named: (&'static str, f64)| sand.prepare(&values(sand, &with(&[named]))).unwrap();
    let error = crate::harness::distance(&prepare(("friction_angle", 30.0)), &prepare(("M", 1.2)));
    assert!(error < 1e-12, "{error}");
    assert!(refused("drucker_prager", &with(&[("M", 3.0)])).1.contains("0 <= M < 3"));
}

/// p0 = kappa sinh(-xi alpha0), kappa = 2e6 / 3.
#[test]
fn preconsolidation_pressure_is_a_volume_state() {
    let clay = model("nacc");
    let prepare = |more: &[(&'static str, f64)]| {
        let named = [&[("M", 1.0), ("xi", 10.0)], more].concat();
        clay.prepare(&values(clay, &with(&named)))
    };
    let pressure = 2e6 / 3.0 * 0.2_f64.sinh();
    let by_pressure = prepare(&[("preconsolidation_pressure", pressure)]).unwrap();
    assert!(crate::harness::distance(&by_pressure, &prepare(&[("alpha0", -0.02)]).unwrap()) < 1e-12);
    assert_eq!(clay.initial_state(&prepare(&[]).unwrap())[0], -0.005);
    for (more, word) in [
        (&[("preconsolidation_pressure", 4e5)][..], "which p0_cap = 0.49 of the bulk modulus allows"),
        (&[("preconsolidation_pressure", 1e3), ("alpha0", -0.1)], "at most one of alpha0"),
        (&[("preconsolidation_pressure", 1e3), ("xi", 0.0)], "needs an xi above 0"),
    ] {
        let message = prepare(more).unwrap_err().message;
        assert!(message.contains(word), "{message}");
    }
}

/// With sigma = sigma_Y + H eps_p in uniaxial tension, xi = H / (3 mu + H); mu = 4e5.
#[test]
fn hardening_as_ratio_or_as_modulus() {
    let metal = model("von_mises");
    let prepare = |more: &[(&'static str, f64)]| {
        metal.prepare(&values(metal, &with(&[&[("yield_stress", 1.0)], more].concat())))
    };
    let by_modulus = prepare(&[("hardening_modulus", 4e5)]).unwrap();
    assert!(crate::harness::distance(&by_modulus, &prepare(&[("hardening", 0.25)]).unwrap()) < 1e-12);
    assert_eq!(prepare(&[]).unwrap(), prepare(&[("hardening", 0.0)]).unwrap());
    let both = prepare(&[("hardening_modulus", 1.0), ("hardening", 0.1)]).unwrap_err();
    assert!(both.message.contains("at most one of hardening"), "{}", both.message);
}

/// Beyond its yield stress a Bingham fluid has the viscosity K.
#[test]
fn plastic_viscosity_is_that_of_a_bingham_fluid() {
    let paste = model("herschel_bulkley");
    let prepare = |more: &[(&'static str, f64)]| {
        paste.prepare(&values(paste, &with(&[&[("yield_stress", 10.0)], more].concat())))
    };
    assert_eq!(prepare(&[("plastic_viscosity", 3.0)]).unwrap(), prepare(&[("consistency", 3.0)]).unwrap());
    let thin = prepare(&[("plastic_viscosity", 3.0), ("power", 0.5)]).unwrap_err();
    assert!(thin.message.contains("needs power = 1, but power = 0.5"), "{}", thin.message);
}

/// K = eta 2^(-(h + 1) / 2): at h = 3, eta = 4 K.
#[test]
fn consistency_of_simple_shear() {
    let paste = model("herschel_bulkley");
    let prepare = |named: (&'static str, f64)| {
        paste.prepare(&values(paste, &with(&[("yield_stress", 10.0), ("power", 3.0), named]))).unwrap()
    };
    assert!(crate::harness::distance(&prepare(("consistency", 2.0)), &prepare(("eta", 8.0))) < 1e-9);
}

/// tau_Y = sqrt(2/3) of the uniaxial yield stress = sqrt(2) of the yield stress in shear.
#[test]
fn three_ways_to_give_a_yield_stress() {
    let von_mises = model("von_mises");
    let initial = |name| {
        let constants = von_mises.prepare(&values(von_mises, &with(&[(name, 300.0)]))).unwrap();
        von_mises.initial_state(&constants)[0]
    };
    assert!((initial("yield_stress") - 300.0 * (2.0_f64 / 3.0).sqrt()).abs() < 1e-10);
    assert!((initial("yield_stress_shear") - 300.0 * 2.0_f64.sqrt()).abs() < 1e-10);
    assert_eq!(initial("yield_stress_frobenius"), 300.0);
    assert!(refused("von_mises", &STIFF).1.contains("exactly one of"));
    let (parameter, message) =
        refused("von_mises", &with(&[("yield_stress", 1.0), ("yield_stress_shear", 1.0)]));
    assert_eq!(parameter, "yield_stress_shear");
    assert!(message.contains("exactly one of"), "{message}");
}

/// c0 = c cot(phi) / (3 kappa), so the intercept of the cone is 9 alpha kappa c0.
#[test]
fn cohesion_in_pascal_or_as_strain() {
    let sand = model("drucker_prager");
    let kappa = 2e6 / 3.0;
    let cohesion = 500.0;
    let strain = cohesion / (30.0_f64.to_radians().tan() * 3.0 * kappa);
    let by_stress =
        sand.prepare(&values(sand, &with(&[("friction_angle", 30.0), ("cohesion", cohesion)]))).unwrap();
    let by_strain =
        sand.prepare(&values(sand, &with(&[("friction_angle", 30.0), ("cohesion_strain", strain)]))).unwrap();
    assert!(crate::harness::distance(&by_stress, &by_strain) < 1e-15 * kappa);
    let both = with(&[("friction_angle", 30.0), ("cohesion", 1.0), ("cohesion_strain", 1e-3)]);
    assert!(refused("drucker_prager", &both).1.contains("at most one"));
    let flat = with(&[("friction_angle", 0.0), ("cohesion", 1.0)]);
    assert!(refused("drucker_prager", &flat).1.contains("friction_angle above 0"));
}

/// A pressure wave of speed sqrt((kappa + 4/3 mu) / density) = sqrt(1.2e6 / 1200) m/s over 1 cm.
#[test]
fn stable_step_is_the_crossing_time_of_a_pressure_wave() {
    for (id, more) in [
        ("elastic", ("energy", 0.0)),
        ("von_mises", ("yield_stress", 1e3)),
        ("drucker_prager", ("friction_angle", 35.0)),
        ("nacc", ("M", 1.2)),
        ("snow", ("hardening", 10.0)),
    ] {
        let model = model(id);
        let constants = model.prepare(&values(model, &with(&[more]))).unwrap();
        let step = model.stable_step(&constants, 1200.0, 0.01);
        assert!((step - 0.01 / 1000.0_f64.sqrt()).abs() < 1e-12, "{id}: {step}");
    }
}

#[test]
fn descriptors_are_complete() {
    for model in crate::harness::library().models() {
        let d = model.descriptor();
        d.validate().unwrap();
        for text in [&d.version, &d.author, &d.help, &d.reference] {
            assert!(!text.is_empty() && !text.contains('\n') && !text.contains("  "), "{}: {text:?}", d.id);
        }
        for parameter in &d.parameters {
            assert!(!parameter.help.is_empty() && !parameter.unit.is_empty(), "{}: {}", d.id, parameter.name);
        }
        assert_eq!(model.glsl_name(), format!("{}.glsl", d.id));
    }
    assert!(model("drucker_prager").descriptor().parameter_index_by_alias("phi_deg").is_some());
    assert_eq!(model("von_mises").descriptor().state_index("tau_y"), Some(0));
    assert_eq!(model("drucker_prager").descriptor().state_index("vc"), Some(0));
    assert_eq!(model("snow").descriptor().state_index("Jp"), Some(0));
}
