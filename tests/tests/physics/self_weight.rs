//! Card B6: columns and bars under their own weight at equilibrium.
//!
//! Closed form: with X the height of a material plane from the free end, the nominal stress is rho g X, and
//! the stretch l solves M ln(l) / l = -+ rho g X (M = E for a free bar and for nu = 0, lambda + 2 mu for a
//! confined one). The distance that two planes approach each other is the integral of 1 - l between them.
//! Planes are those of the first and last particle layer: the collider or the pin holds the former at its
//! place. Tolerances: 2 % of the settlement, stress profile 3 % (rms over all particles) of rho g H; the two
//! layers next to each end are left out of the profile, those next to the side walls are not.
//!
//! A layer that passes normal stress on to a collider or a pin carries about half of it: its one-sided
//! gradient enters the force balance of the next layer with twice the weight of a central one. So the floor
//! makes the settlement too small by a part of one spacing's strain and, where nu > 0, the walls make it
//! too large by a share that falls like 1 / (particles across).

use tuff_problem::{Frame, Problem};
use tuff_tests::{gpu, problem};

use crate::support::{PLAIN, elastic, kirchhoff, lattice_box, now, relax, scene};

/// A column of square section.
#[derive(Clone, Copy)]
struct Column {
    height: f64,
    density: f64,
    gravity: f64,
    youngs_modulus: f64,
    poisson_ratio: f64,
    /// Hangs from pins with free sides instead of standing on a floor between frictionless walls.
    hangs: bool,
    /// Particle layers.
    layers: u32,
    /// Particles across.
    across: u32,
    /// Whether the tensor multiplier is used.
    tensor: bool,
}

impl Column {
    fn spacing(&self) -> f64 {
        self.height / f64::from(self.layers)
    }

    /// Modulus of the uniaxial law tau = M ln l.
    fn modulus(&self) -> f64 {
        let nu = self.poisson_ratio;
        if self.hangs {
            return self.youngs_modulus;
        }
        self.youngs_modulus * (1.0 - nu) / ((1.0 + nu) * (1.0 - 2.0 * nu))
    }

    /// Stretch where `load` [m] of matter hangs below or stands above.
    fn stretch(&self, load: f64) -> f64 {
        let sign = if self.hangs { 1.0 } else { -1.0 };
        let ratio = sign * self.density * self.gravity * load / self.modulus();
        // ln(l) = ratio l by Newton from 1; the branch that starts at l = 1 without load.
        let mut l = 1.0_f64;
        for _ in 0..50 {
            l -= (l.ln() - ratio * l) / (1.0 / l - ratio);
        }
        l
    }

    /// Change of the distance between the planes `from` and `to` [m from the free end], by Simpson's rule.
    fn change(&self, from: f64, to: f64) -> f64 {
        let count = 1000;
        let step = (to - from) / f64::from(count);
        let value = |i: u32| self.stretch(from + step * f64::from(i)) - 1.0;
        let weighted =
            |i: u32| value(i) * if i == 0 || i == count { 1.0 } else { 2.0 + 2.0 * f64::from(i % 2) };
        (0..=count).map(weighted).sum::<f64>() * step / 3.0
    }

    /// The body between y = 0 and `height`; the free end is the top, or the bottom when it hangs. Walls are
    /// planes of their own, since a particle in an edge of one box touches only its nearest face.
    fn problem(&self, dt: f64, iterations: u32) -> Problem {
        let half = 0.5 * f64::from(self.across) * self.spacing();
        let ([x, y], h) = ([-half, half], self.height);
        let body = lattice_box("column", [x, 0.0, x], [y, h, y], self.spacing(), "");
        let holder = if self.hangs {
            let region = [h - self.spacing(), 2.0 * h];
            format!(
                "[[pin]]\nbody = \"column\"\nregion = {{ box = {{ min = [-9.0, {:?}, -9.0], max = [9.0, {:?}, 9.0] }} }}\n",
                region[0], region[1]
            )
        } else {
            let floor = ("floor", [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
            let walls = [
                ("left", [x, 0.0, 0.0], [1.0, 0.0, 0.0]),
                ("right", [y, 0.0, 0.0], [-1.0, 0.0, 0.0]),
                ("back", [0.0, 0.0, x], [0.0, 0.0, 1.0]),
                ("front", [0.0, 0.0, y], [0.0, 0.0, -1.0]),
            ];
            [floor].iter().chain(&walls).map(|&(name, at, normal)| plane(name, at, normal)).collect()
        };
        let multiplier = if self.tensor { "multiplier = \"tensor\"\n" } else { "" };
        let solver = format!("iterations = {iterations}\n{PLAIN}{multiplier}");
        let rest = elastic(self.density, self.youngs_modulus, self.poisson_ratio) + &body + &holder;
        problem(&scene(dt, [0.0, -self.gravity, 0.0], self.spacing(), &solver, &rest))
    }
}

/// A frictionless plane collider.
fn plane(name: &str, point: [f64; 3], normal: [f64; 3]) -> String {
    format!(
        "[[collider]]\nname = \"{name}\"\nfriction = 0.0\n\
         shape = {{ plane = {{ point = {point:?}, normal = {normal:?} }} }}\n"
    )
}

/// Settlement relative to theory less 1, and the rms error of the stress over rho g H.
fn errors(column: &Column, problem: &Problem, frame: &Frame) -> (f64, f64) {
    let spacing = column.spacing();
    let start = &problem.particles.position;
    let load = |y: f64| if column.hangs { y } else { column.height - y };
    let layer = |y: f64| {
        let of = |p: &usize| (start[*p].y - y).abs() < 0.25 * spacing;
        let members: Vec<usize> = (0..start.len()).filter(of).collect();
        members.iter().map(|&p| frame.position[p][1] - start[p].y).sum::<f64>() / members.len() as f64
    };
    // Next to the pins the section cannot contract: one width of the hanging bar is left out.
    let (low, high) = (0.5 * spacing, column.height - if column.hangs { 4.5 } else { 0.5 } * spacing);
    let found = layer(high) - layer(low);
    let expected = column.change(load(low).min(load(high)), load(low).max(load(high)));
    let scale = column.density * column.gravity * column.height;
    let sign = if column.hangs { 1.0 } else { -1.0 };
    let (mut sum, mut count) = (0.0, 0_u32);
    for (p, x) in start.iter().enumerate() {
        if x.y < 2.0 * spacing || x.y > column.height - if column.hangs { 5.0 } else { 2.0 } * spacing {
            continue;
        }
        // Nominal stress tau / l.
        let nominal = kirchhoff(problem, frame, p)[(1, 1)] / column.stretch(load(x.y));
        let off = nominal - sign * column.density * column.gravity * load(x.y);
        sum += off * off;
        count += 1;
    }
    let errors = (found / expected - 1.0, (sum / f64::from(count)).sqrt() / scale);
    println!(
        "E {:.0e}, nu {}, {} layers{}: {found:.5} m, expected {expected:.5} m ({:+.2} %); stress rms {:.2} %",
        column.youngs_modulus,
        column.poisson_ratio,
        column.layers,
        if column.tensor { ", tensor" } else { "" },
        100.0 * errors.0,
        100.0 * errors.1
    );
    errors
}

/// Relaxes towards equilibrium under a load that grows, with nearly critical damping of the slowest mode: half of the
/// time at the full load, until 0.05 % are missing. Steps follow the wave speed, and are short where a floor carries the
/// column. Hencky matter softens as it stretches: the tangent (1 - ln l) / l^2 at the pins sets the pace.
fn settle(column: &Column) -> (f64, f64) {
    let nu = column.poisson_ratio;
    let confined = column.youngs_modulus * (1.0 - nu) / ((1.0 + nu) * (1.0 - 2.0 * nu));
    let (courant, iterations) = if column.hangs { (1.0, 20) } else { (0.3, 10) };
    let dt = courant * column.spacing() / (confined / column.density).sqrt();
    let problem = column.problem(dt, iterations);
    let mut device = gpu(&problem);
    let l = if column.hangs { column.stretch(column.height) } else { 1.0 };
    let tangent = column.modulus() * (1.0 - l.ln()) / (l * l);
    let omega = 0.5 * std::f64::consts::PI * (tangent / column.density).sqrt() / column.height;
    let count = (20.0 / (omega * dt)) as u32;
    let report = relax(&problem, &mut device, count, 2.0 * omega);
    println!("{count} substeps, {:?}, fastest {:.1e} m/s", report.residual, report.max_speed);
    errors(column, &problem, &now(&mut device))
}

fn passes(column: &Column) -> f64 {
    let (settlement, stress) = settle(column);
    assert!(settlement.abs() < 0.02, "the settlement is off by {settlement}");
    assert!(stress < 0.03, "the stress is off by {stress}");
    settlement
}

/// (a) 50 m between rollers, nu = 0.
fn confined(youngs_modulus: f64) -> Column {
    Column {
        height: 50.0,
        density: 80.0,
        gravity: 10.0,
        youngs_modulus,
        poisson_ratio: 0.0,
        hangs: false,
        layers: 40,
        across: 4,
        tensor: false,
    }
}

/// (b) 1 m hanging, sides free.
fn hanging(youngs_modulus: f64) -> Column {
    Column {
        height: 1.0,
        density: 1000.0,
        gravity: 9.81,
        youngs_modulus,
        poisson_ratio: 0.3,
        hangs: true,
        layers: 40,
        across: 4,
        tensor: false,
    }
}

/// (c) 1 m between rollers, nu = 0.3.
fn confined_sideways() -> Column {
    Column { hangs: false, ..hanging(1e5) }
}

pub fn the_closed_form_has_the_cards_numbers() {
    for (column, expected) in [
        (confined(1e6), -0.96201),
        (confined(1e5), -7.3347),
        (confined(3e4), -15.999),
        (confined(1e4), -25.940),
        (hanging(1e6), 4.954e-3),
        (hanging(1e5), 54.61e-3),
        (hanging(3e4), 271.7e-3),
        (confined_sideways(), -34.01e-3),
    ] {
        let found = column.change(0.0, column.height);
        assert!((found / expected - 1.0).abs() < 3e-4, "{found} instead of {expected} m");
    }
}

pub fn confined_column() {
    passes(&confined(1e6));
}

pub fn hanging_bar() {
    passes(&Column { tensor: true, ..hanging(1e6) });
}

/// (c) at the card's number of particles. Wall layers carry about half of the lateral stress (one-point collocation), so
/// the stress error falls with the particles across and the settlement settles.
pub fn confined_column_that_pushes_sideways() {
    let at = |across: u32| Column { across, tensor: true, ..confined_sideways() };
    let [(coarse, coarse_stress), (middle, middle_stress)] = [4, 7].map(|across| settle(&at(across)));
    let (fine, fine_stress) = settle(&at(11));
    assert!(fine.abs() < 0.02 && fine_stress < 0.03, "off by {fine}, stress {fine_stress}");
    assert!(coarse_stress > middle_stress && middle_stress > fine_stress, "{coarse_stress}, {middle_stress}");
    assert!((coarse - middle).abs() > (middle - fine).abs(), "{coarse}, {middle}, {fine}");
}

/// Strains of a few percent, with both multipliers; the error falls with the spacing.
pub fn small_strains_at_two_resolutions() {
    for case in [confined(1e6), hanging(1e6)] {
        for tensor in [true, false] {
            let coarse = settle(&Column { layers: 20, tensor, ..case });
            let fine = passes(&Column { tensor, ..case });
            assert!(fine.abs() < coarse.0.abs().max(0.003), "{fine} at 40 layers, {} at 20", coarse.0);
        }
    }
}

/// Compressed by up to 20 and 50 % at the floor.
pub fn large_compression() {
    for case in [confined(1e5), confined(3e4)] {
        passes(&Column { tensor: true, ..case });
    }
}

/// Compressed by up to 70 % at the floor.
pub fn crushed_column() {
    passes(&Column { tensor: true, ..confined(1e4) });
}

/// Stretched by 10 to 50 %.
pub fn large_tension() {
    for case in [hanging(1e5), hanging(3e4)] {
        passes(&Column { tensor: true, ..case });
    }
}
