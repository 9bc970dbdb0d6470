//! Element tests against closed forms, in f64.

use tuff_material::drivers::{Across, Sample, Specimen, axial, consolidate, flow_stress, p_q, shear};
use tuff_material::surface::Surface;
use tuff_plugin::Model;
use tuff_tests::libraries::model;

/// Prepares the constants of a shipped model from parameters by name; choices by index, switches as 0 or 1.
pub fn constants(model: &Model, named: &[(&str, f64)]) -> Vec<f64> {
    let descriptor = model.descriptor();
    let mut values: Vec<f64> = descriptor.parameters.iter().map(|p| p.default.unwrap_or(f64::NAN)).collect();
    for (name, value) in named {
        values[descriptor.parameter_index_by_alias(name).unwrap()] = *value;
    }
    model.prepare(&values).unwrap()
}

/// Returns even steps after 0 up to `most`.
pub fn ramp(most: f64, steps: usize) -> Vec<f64> {
    (1..=steps).map(|step| most * step as f64 / steps as f64).collect()
}

#[track_caller]
pub fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance * expected.abs(), "found {found}, expected {expected}");
}

/// Returns M of a friction angle in degrees.
pub fn slope(degrees: f64) -> f64 {
    let sine = degrees.to_radians().sin();
    6.0 * sine / (3.0 - sine)
}

/// tau = E eps along the axis and -nu eps across it, at any strain.
#[test]
fn hencky_elasticity_is_linear_in_log_strain() {
    let elastic = model("elastic");
    let words = &elastic.descriptor().parameters[elastic.descriptor().parameter_index("energy").unwrap()];
    let hencky = words.range().split(", ").position(|word| word == "\"hencky\"").unwrap();
    let constants = constants(elastic, &[("E", 1e5), ("nu", 0.3), ("energy", hencky as f64)]);
    for most in [0.8, -0.8] {
        let samples = axial(&Specimen::new(elastic, &constants), &ramp(most, 20), Across::Stress(0.0), 1.0);
        assert_eq!(samples.len(), 20);
        for Sample { strain, kirchhoff, .. } in &samples {
            close(kirchhoff[0], 1e5 * strain[0], 1e-9);
            close(strain[1], -0.3 * strain[0], 1e-9);
            assert!(kirchhoff[1].abs() < 1e-4 && strain[1] == strain[2]);
        }
    }
    // The principal axes rotate: gamma = 2 sinh(eps), and the axes of b are at tan(2 phi) = 2 / gamma.
    for [gamma, stress] in shear(&Specimen::new(elastic, &constants), 1.0, 2.0, 200) {
        let exact = 2.0 * 1e5 / 2.6 * (0.5 * gamma).asinh() * 2.0 / (4.0 + gamma * gamma).sqrt();
        assert!((stress - exact).abs() < 1e-7 * 1e5, "{gamma}: {stress}, expected {exact}");
    }
}

/// Uniaxial yield at sqrt(3/2) tau_Y, then the tangent E h / (E + h) with h = 3/2 H and H = 2 mu xi / (1 - xi); in
/// shear tau_Y / sqrt(2).
#[test]
fn von_mises_yields_where_it_should_and_hardens_by_its_modulus() {
    let von_mises = model("von_mises");
    let (young, nu, tau_y, xi) = (2e8, 0.3, 2e5, 0.1);
    let named = |xi| [("E", young), ("nu", nu), ("yield_stress_frobenius", tau_y), ("hardening", xi)];
    let perfect = constants(von_mises, &named(0.0));
    let hardening = constants(von_mises, &named(xi));
    let strength = 1.5f64.sqrt() * tau_y;
    for sign in [1.0, -1.0] {
        let pull = |constants| {
            axial(&Specimen::new(von_mises, constants), &ramp(sign * 0.02, 400), Across::Stress(0.0), 1.0)
        };
        let samples = pull(&perfect);
        close(samples[10].kirchhoff[0], young * samples[10].strain[0], 1e-9);
        close(samples[399].kirchhoff[0], sign * strength, 1e-9);
        let samples = pull(&hardening);
        let h = 1.5 * 2.0 * young / (2.0 * (1.0 + nu)) * xi / (1.0 - xi);
        let tangent = (samples[399].kirchhoff[0] - samples[200].kirchhoff[0])
            / (samples[399].strain[0] - samples[200].strain[0]);
        close(tangent, young * h / (young + h), 1e-9);
    }
    let sheared = shear(&Specimen::new(von_mises, &perfect), 1.0, 0.1, 400);
    close(sheared.last().unwrap()[1], tau_y / 2f64.sqrt(), 1e-5);
    let border = Surface::new(von_mises, &perfect).outline([-1e6, 1e6], 8);
    assert_eq!(border.len(), 2);
    assert!(border.concat().iter().all(|point| (point[1].abs() - strength).abs() < 1e-8 * strength));
}

/// A closed loop: the second cycle repeats the first, between the strengths in tension and compression.
#[test]
fn cycles_of_a_perfectly_plastic_metal_close() {
    let von_mises = model("von_mises");
    let constants = constants(von_mises, &[("E", 2e8), ("nu", 0.3), ("yield_stress", 2.5e5)]);
    let wave = |step: usize| 0.01 * (std::f64::consts::TAU * step as f64 / 200.0).sin();
    let path: Vec<f64> = (1..=600).map(wave).collect();
    let samples = axial(&Specimen::new(von_mises, &constants), &path, Across::Stress(0.0), 1.0);
    for (first, second) in samples[200..400].iter().zip(&samples[400..]) {
        assert!((first.kirchhoff[0] - second.kirchhoff[0]).abs() < 1e-6 * 2.5e5);
    }
    let most = samples.iter().map(|s| s.kirchhoff[0]).fold(0.0, f64::max);
    let least = samples.iter().map(|s| s.kirchhoff[0]).fold(0.0, f64::min);
    close(most, 2.5e5, 1e-9);
    close(least, -2.5e5, 1e-9);
}

/// q = M p at the end of a triaxial test, drained on the line q = 3 (p - cell) and undrained at constant p; with
/// cohesion, unconfined strength M t / (1 - M/3) with the tension t = 3 kappa c0 at the tip.
#[test]
fn drucker_prager_fails_on_its_cone() {
    let sand = model("drucker_prager");
    let (young, nu, tip) = (3.5e5, 0.3, 2e-3);
    let constants_of =
        |c0| constants(sand, &[("E", young), ("nu", nu), ("friction_angle", 30.0), ("cohesion_strain", c0)]);
    let (m, cell) = (slope(30.0), 1000.0);
    let loose = constants_of(0.0);
    let specimen = consolidate(&Specimen::new(sand, &loose), cell).unwrap();
    close(p_q(specimen.sample().cauchy())[0], cell, 1e-9);
    let drained = axial(&specimen, &ramp(-0.1, 200), Across::Stress(-cell), 1.0);
    let [p, q] = p_q(drained.last().unwrap().cauchy());
    close(q / p, m, 1e-9);
    close(q, 3.0 * (p - cell), 1e-9);
    close(q, 3.0 * m * cell / (3.0 - m), 1e-9);
    let undrained = axial(&specimen, &ramp(-0.1, 200), Across::Volume, 1.0);
    let [p, q] = p_q(undrained.last().unwrap().cauchy());
    close(p, cell, 1e-9);
    close(q, m * cell, 1e-9);
    // In simple shear the cone gives M / sqrt(3).
    let sheared = shear(&specimen, 1.0, 0.2, 400);
    close(sheared.last().unwrap()[1], m / 3f64.sqrt() * cell, 1e-3);

    let cohesive = constants_of(tip);
    let pressed = axial(&Specimen::new(sand, &cohesive), &ramp(-0.1, 200), Across::Stress(0.0), 1.0);
    let tension = 3.0 * young / (3.0 * (1.0 - 2.0 * nu)) * tip;
    close(-pressed.last().unwrap().kirchhoff[0], m * tension / (1.0 - m / 3.0), 1e-9);
    let border = Surface::new(sand, &cohesive).outline([-cell, cell], 40);
    assert_eq!(border.len(), 1);
    close(border[0].iter().map(|point| point[0]).fold(f64::INFINITY, f64::min), -tension, 1e-6);
    for [p, q] in &border[0] {
        assert!((q.abs() - m * (p + tension)).abs() < 1e-6 * tension, "{p} {q}");
    }
}

/// The ellipse of the rows of Table 2 from its equation, and where a drained (dq/dp = 3) and an isochoric test from p0/2 meet it
/// (validation card B25).
#[test]
fn the_border_of_nacc_is_its_ellipse() {
    let nacc = model("nacc");
    let rows = [
        ([2e4, 0.35, -0.02, 0.5, 1.0, 2.36], [524.7, 351.2, 386.5]),
        ([2e4, 0.3, -5e-3, 0.05, 30.0, 1.85], [2321.0, 1905.9, 1953.3]),
        ([1e4, 0.3, -5e-4, 0.05, 30.0, 1.85], [115.7, 95.0, 97.4]),
    ];
    for ([young, nu, alpha, beta, xi, m], [isochoric, drained_p, drained_q]) in rows {
        let named = [("E", young), ("nu", nu), ("alpha0", alpha), ("beta", beta), ("xi", xi), ("M", m)];
        let constants = constants(nacc, &named);
        let surface = Surface::new(nacc, &constants);
        let kappa = young / (3.0 * (1.0 - 2.0 * nu));
        let p0 = kappa * (1e-5 + (xi * -alpha).sinh());
        close(surface.cell_pressure(), 0.5 * p0, 1e-8);
        let border = surface.outline([0.0, 0.0], 2000);
        assert_eq!(border.len(), 1);
        let excess = |[p, q]: [f64; 2]| (1.0 + 2.0 * beta) * q * q + m * m * (p + beta * p0) * (p - p0);
        assert!(border[0].iter().all(|&point| excess(point).abs() < 1e-7 * m * m * p0 * p0));
        let crossing = |side: &dyn Fn([f64; 2]) -> f64| {
            let pair =
                border[0].windows(2).find(|w| w[0][1] > 0.0 && side(w[0]) * side(w[1]) <= 0.0).unwrap();
            pair[0]
        };
        close(crossing(&|[p, _]| p - 0.5 * p0)[1], isochoric, 5e-3);
        let drained = crossing(&|[p, q]| q - 3.0 * (p - 0.5 * p0));
        close(drained[0], drained_p, 5e-3);
        close(drained[1], drained_q, 5e-3);
        // Trial states return to the border, vertically between its tips.
        for [trial, returned] in surface.returns([0.0, 0.0], 28) {
            assert!(excess(returned).abs() < 1e-6 * m * m * p0 * p0, "{trial:?} -> {returned:?}");
            if (-beta * p0..p0).contains(&trial[0]) {
                close(returned[0] + p0, trial[0] + p0, 1e-9);
            }
        }
    }
}

/// Compressed isotropically, snow crumbles at s = 1 - theta_c: tau = 2 mu (s - 1) s + lambda (J - 1) J with J = s^3.
#[test]
fn the_border_of_snow_ends_at_its_stretches() {
    let snow = model("snow");
    let (young, nu, limits) = (1.4e5, 0.2, [1.0 - 2.5e-2, 1.0 + 7.5e-3]);
    let constants = constants(snow, &[("E", young), ("nu", nu)]);
    let border = Surface::new(snow, &constants).outline([0.0, 0.0], 100);
    let (mu, lambda) = (young / (2.0 * (1.0 + nu)), young * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)));
    let pressure = |s: f64| -(2.0 * mu * (s - 1.0) * s + lambda * (s.powi(3) - 1.0) * s.powi(3));
    let p = border[0].iter().map(|point| point[0]);
    close(p.clone().fold(f64::NEG_INFINITY, f64::max), pressure(limits[0]), 1e-6);
    close(p.fold(f64::INFINITY, f64::min), pressure(limits[1]), 1e-6);
}

/// tau = tau_y + K rate^h in steady simple shear, while elastic strains are small.
#[test]
fn herschel_bulkley_flows_by_its_law() {
    let paint = model("herschel_bulkley");
    for (power, consistency) in [(0.5, 5.0), (1.0, 2.0), (2.0, 0.5)] {
        let named = [
            ("shear_modulus", 1e3),
            ("bulk_modulus", 9e4),
            ("yield_stress_shear", 5.0),
            ("power", power),
            ("consistency", consistency),
        ];
        let constants = constants(paint, &named);
        let specimen = Specimen::new(paint, &constants);
        for rate in [0.01, 0.1, 1.0, 10.0] {
            let exact = 5.0 + consistency * f64::powf(rate, power);
            close(flow_stress(&specimen, rate).unwrap(), exact, 0.02);
        }
        let start = shear(&specimen, 1.0, 1e-3, 10);
        close(start[10][1], 1.0, 1e-6);
    }
}
