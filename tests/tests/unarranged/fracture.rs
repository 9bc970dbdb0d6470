//! Total bodies that break, against closed forms.

use glam::DVec3;
use tuff_problem::{Control, Frame, Problem};
use tuff_run::{CpuSimulation, Simulation};
use tuff_tests::{gpu, problem};

const SPACING: f64 = 0.01;
const LENGTH: f64 = 0.12;
const DENSITY: f64 = 1000.0;
const YOUNGS_MODULUS: f64 = 1e5;

/// A bar along y with these keys of the solver and the body, and other tables.
fn bar(gravity: f64, solver: &str, body: &str, rest: &str) -> Problem {
    problem(&format!(
        "format = 1\n[scene]\nname = \"fracture\"\ngravity = [0.0, {gravity:?}, 0.0]\n\
         [time]\nframe_rate = 100.0\nframes = [1, 1000]\n{solver}\n[solver]\nkernel_radius = {SPACING:?}\nxsph = 0.0\n\
         scheme = \"newton_cg\"\nresidual_tolerance = 1e-4\niterations = 2000\n\
         [[material]]\nname = \"jelly\"\nmodel = \"elastic\"\ndensity = {DENSITY:?}\nyoungs_modulus = {YOUNGS_MODULUS:?}\n\
         poisson_ratio = 0.0\n[[body]]\nname = \"bar\"\nmaterial = \"jelly\"\nkinematics = \"total\"\n{body}\n\
         shape = {{ box = {{ min = [0.0, 0.0, 0.0], max = [0.03, {LENGTH:?}, 0.03] }} }}\n\
         sampling = {{ kind = \"lattice\", spacing = {SPACING:?} }}\n{rest}"
    ))
}

const STEP: &str = "max_substep = 1e-3";
const AUTO: &str = "max_substep = \"auto\"";

/// Pulled slowly, a hanging bar breaks in one place as its strain reaches the limit. The pairs next to the layers that are held are
/// stretched up to a fifth more than others.
pub fn a_bar_breaks_at_its_strain() {
    let limit = 0.1;
    let rate = 0.02;
    let pin = |from: f64, to: f64, motion: &str| {
        format!(
            "[[pin]]\nbody = \"bar\"\nregion = {{ box = {{ min = [-1.0, {from:?}, -1.0], max = [1.0, {to:?}, 1.0] }} }}\n{motion}\n"
        )
    };
    let pulled = format!(
        "[pin.motion]\nkeyframes = [{{ time = 0.0 }}, {{ time = 1.0, translate = [0.0, -{rate:?}, 0.0] }}]"
    );
    let pins = pin(0.10, 1.0, "") + &pin(-1.0, 0.02, &pulled);
    for steps in [STEP, AUTO] {
        let problem = bar(-9.81, steps, &format!("fracture_strain = {limit:?}"), &pins);
        let mut simulation = CpuSimulation::new(&problem);
        let (mut broken, mut time) = (0, 0.0);
        while broken == 0 && time < 0.8 {
            broken = simulation.advance(&Control::default()).unwrap().counters.fractured;
            time = simulation.frame().unwrap().time;
        }
        // Between the pinned layers; the uppermost pair bears all of the weight below its middle.
        let free = 0.09;
        let expected = (limit - DENSITY * 9.81 * (0.5 * free - 0.5 * SPACING) / YOUNGS_MODULUS) * free / rate;
        println!("{steps}: broke at {time} s, expected {expected} s, {broken} pairs");
        assert!((0.78..1.03).contains(&(time / expected)), "broke at {time} s instead of {expected} s");
        for _ in 0..30 {
            broken += simulation.advance(&Control::default()).unwrap().counters.fractured;
        }
        let across = crossing(&problem, 0.095);
        assert!(
            broken as usize >= across / 2 && broken as usize <= 3 * across,
            "{broken} pairs, {across} cross the crack"
        );
        // All that hangs below the crack has left what is above.
        let frame = simulation.frame().unwrap();
        let gap = split(&problem, &frame);
        assert!(gap > 1.05 * (1.0 + limit) * SPACING, "the parts are {gap} m apart");
    }
}

/// Returns the number of pairs on two sides of a height [m].
fn crossing(problem: &Problem, height: f64) -> usize {
    let start = &problem.particles.position;
    let below = |id: u32| start[id as usize].y < height;
    let pairs = |row: usize| {
        problem.total.neighbors(row).iter().filter(move |pair| below(row as u32) && !below(pair.id)).count()
    };
    (0..problem.total.count()).map(pairs).sum()
}

/// Returns the largest vertical distance between neighboring layers of a bar [m].
fn split(problem: &Problem, frame: &Frame) -> f64 {
    let layers = (LENGTH / SPACING).round() as usize;
    let mut height = vec![(0.0, 0.0); layers];
    for (start, now) in std::iter::zip(&problem.particles.position, &frame.position) {
        let layer = &mut height[(start.y / SPACING) as usize];
        *layer = (layer.0 + now[1], layer.1 + 1.0);
    }
    let mean: Vec<f64> = height.iter().map(|(sum, count)| sum / count).collect();
    mean.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max)
}

/// A spinning bar, whose strain in the middle swings to `rho w^2 L^2 / (4 E)`, holds below its limit and breaks above it, in halves that fly
/// on with the momentum that they had.
pub fn a_spinning_bar_breaks_in_the_middle() {
    let spin = 20.0_f64;
    let strain = DENSITY * (spin * LENGTH).powi(2) / (4.0 * YOUNGS_MODULUS);
    for (limit, breaks) in [(1.1 * strain, false), (0.9 * strain, true)] {
        let keys = format!(
            "fracture_strain = {limit:?}\nvelocity = [0.3, 0.1, -0.2]\nangular_velocity = [0.0, 0.0, {spin:?}]"
        );
        let problem = bar(0.0, "max_substep = 2e-4", &keys, "");
        let mut simulation = CpuSimulation::new(&problem);
        let start = momentum(&simulation.frame().unwrap());
        let mut broken = 0;
        for _ in 0..12 {
            broken += simulation.advance(&Control::default()).unwrap().counters.fractured;
        }
        let frame = simulation.frame().unwrap();
        let lost = (momentum(&frame) - start).length() / start.length();
        let across = crossing(&problem, 0.5 * LENGTH);
        println!(
            "strain {strain}, limit {limit}: {broken} pairs broke, {across} cross the middle, {lost:e} of the momentum lost"
        );
        assert_eq!(broken > 0, breaks);
        // Frames hold velocities in f32.
        assert!(lost < 1e-6, "{lost:e}");
        if breaks {
            let center = |low: bool| {
                let rows: Vec<usize> = (0..problem.particle_count())
                    .filter(|&p| (problem.particles.position[p].y < 0.5 * LENGTH) == low)
                    .collect();
                rows.iter().map(|&p| DVec3::from(frame.position[p])).sum::<DVec3>() / rows.len() as f64
            };
            let apart = center(true).distance(center(false));
            println!("the halves are {apart} m apart");
            assert!(apart > 1.5 * 0.5 * LENGTH, "the halves are {apart} m apart");
        }
    }
}

/// Returns the sum of the velocities, all masses being equal.
fn momentum(frame: &Frame) -> DVec3 {
    frame.velocity.iter().map(|v| DVec3::from(v.map(f64::from))).sum()
}

/// A run goes on from a state in which pairs have broken as if it had not been interrupted, on both devices; and a state from before breaks
/// nothing.
pub fn a_kept_state_knows_what_has_broken() {
    let keys = "fracture_strain = 0.03\nangular_velocity = [0.0, 0.0, 40.0]";
    let problem = bar(0.0, STEP, keys, "");
    let continues = |simulation: &mut dyn Simulation, other: &mut dyn Simulation| {
        let before = simulation.save().unwrap();
        let mut broken = 0;
        for _ in 0..5 {
            broken += simulation.advance(&Control::default()).unwrap().counters.fractured;
        }
        assert!(broken > 0);
        let saved = simulation.save().unwrap();
        let next = |simulation: &mut dyn Simulation| {
            simulation.advance(&Control::default()).unwrap();
            simulation.frame().unwrap()
        };
        let expected = next(simulation);
        other.restore(&saved).unwrap();
        assert!(expected == next(other), "a continued run differs");
        other.restore(&before).unwrap();
        let again: u64 = (0..5).map(|_| other.advance(&Control::default()).unwrap().counters.fractured).sum();
        assert_eq!(again, broken);
    };
    continues(&mut CpuSimulation::new(&problem), &mut CpuSimulation::new(&problem));
    continues(&mut gpu(&problem), &mut gpu(&problem));
}
