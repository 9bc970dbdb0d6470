//! Bodies that keep their first neighbors, against closed forms.

use glam::DVec3;
use tuff_problem::{Control, Frame, Problem};
use tuff_run::{CpuSimulation, Simulation};
use tuff_tests::{gpu, library, problem, reference};

/// A bar from `min` to `max` [m] of points at `spacing` [m].
struct Bar {
    min: [f64; 3],
    max: [f64; 3],
    spacing: f64,
    material: &'static str,
    solver: &'static str,
    dt: f64,
    gravity: [f64; 3],
    velocity: &'static str,
    rest: String,
}

impl Bar {
    fn new(max: [f64; 3], spacing: f64) -> Self {
        Self {
            min: [0.0; 3],
            max,
            spacing,
            material: "model = \"elastic\"\ndensity = 1000.0\nyoungs_modulus = 1.0e6\npoisson_ratio = 0.0",
            solver: "scheme = \"newton_cg\"\niterations = 2000\nresidual_tolerance = 1.0e-4",
            dt: 1e-3,
            gravity: [0.0; 3],
            velocity: "",
            rest: String::new(),
        }
    }

    /// Holds the points beyond `from` to `to` [m]; moves them by keyframes.
    fn held(mut self, from: [f64; 3], to: [f64; 3], motion: &str) -> Self {
        self.rest += &format!(
            "[[pin]]\nbody = \"bar\"\nregion = {{ box = {{ min = {from:?}, max = {to:?} }} }}\n{motion}\n"
        );
        self
    }

    fn scene(&self) -> String {
        let Self { min, max, spacing, material, solver, dt, gravity, velocity, rest } = self;
        format!(
            "format = 1\n[scene]\nname = \"total\"\ngravity = {gravity:?}\n\
             [time]\nframe_rate = 100.0\nframes = [1, 1000]\nmax_substep = {dt:?}\n\
             [solver]\nkernel_radius = {spacing:?}\n{solver}\n\
             [[material]]\nname = \"matter\"\n{material}\n\
             [[body]]\nname = \"bar\"\nmaterial = \"matter\"\nkinematics = \"total\"\n{velocity}\n\
             shape = {{ box = {{ min = {min:?}, max = {max:?} }} }}\n\
             sampling = {{ kind = \"lattice\", spacing = {spacing:?} }}\n{rest}"
        )
    }
}

/// Advances by frames and shows each of them.
fn frames(simulation: &mut impl Simulation, count: usize, mut look: impl FnMut(f64, &Frame, f64)) {
    for _ in 0..count {
        let report = simulation.advance(&Control::default()).unwrap();
        let frame = simulation.frame().unwrap();
        look(frame.time, &frame, report.energies.elastic);
    }
}

fn at(frame: &Frame, p: usize) -> DVec3 {
    DVec3::from_array(frame.position[p])
}

/// Returns the mean displacement of the chosen particles [m].
fn moved(problem: &Problem, frame: &Frame, chosen: impl Fn(DVec3) -> bool) -> DVec3 {
    let start = &problem.particles.position;
    let rows: Vec<usize> = (0..start.len()).filter(|&p| chosen(start[p])).collect();
    rows.iter().map(|&p| at(frame, p) - start[p]).sum::<DVec3>() / rows.len() as f64
}

/// The first swing of a cantilever of 8 particles across under its weight, E = 1e7 Pa: 29.7 mm by beam theory, for its last layer.
pub fn a_cantilever_swings_as_far_as_theory_says() {
    let mut bar = Bar::new([1.0, 0.1, 0.1], 0.0125).held([-1.0, -1.0, -1.0], [0.0, 1.0, 1.0], "");
    bar.min[0] = -0.025;
    bar.material = "model = \"elastic\"\ndensity = 100.0\nyoungs_modulus = 1.0e7\npoisson_ratio = 0.3";
    bar.solver = "iterations = 2000\nresidual_tolerance = 1.0e-4\nscheme = \"newton_cg\"\nxsph = 0.0";
    bar.gravity = [0.0, 0.0, -9.81];
    let problem = problem(&bar.scene());
    let mut lowest = 0.0_f64;
    let tip = |x: DVec3| x.x > 1.0 - 0.0125;
    frames(&mut CpuSimulation::new(&problem), 12, |_, frame, _| {
        lowest = lowest.min(moved(&problem, frame, tip).z);
    });
    assert!((lowest / -0.0297 - 1.0).abs() < 0.03, "{lowest} m");
}

/// After 4 turns a bar has the shape with which it began, apart from the strain by centrifugal forces, some 1e-4.
pub fn a_spinning_bar_keeps_its_shape() {
    spun(4.0);
}

pub fn a_spinning_bar_keeps_its_shape_for_20_turns() {
    spun(20.0);
}

fn spun(turns: f64) {
    let mut bar = Bar::new([0.08, 0.04, 0.04], 0.01);
    bar.velocity = "angular_velocity = [0.0, 62.83, 0.0]";
    bar.material = "model = \"elastic\"\ndensity = 100.0\nyoungs_modulus = 1.0e7\npoisson_ratio = 0.3";
    let problem = problem(&bar.scene());
    let start = &problem.particles.position;
    let mut simulation = CpuSimulation::new(&problem);
    let (mut turned, mut last): (f64, Option<f64>) = (0.0, None);
    let mut worst = 0.0_f64;
    // Implicit steps slow it down to a fraction of its speed meanwhile.
    for _ in 0..1200 {
        frames(&mut simulation, 1, |_, frame, _| {
            let axis = at(frame, start.len() - 1) - at(frame, 0);
            let angle = axis.z.atan2(axis.x);
            if let Some(last) = last {
                turned += (angle - last + 3.0 * std::f64::consts::PI).rem_euclid(std::f64::consts::TAU)
                    - std::f64::consts::PI;
            }
            last = Some(angle);
            for p in (0..start.len()).step_by(7) {
                for q in (p + 1..start.len()).step_by(13) {
                    let before = start[p].distance(start[q]);
                    worst = worst.max((at(frame, p).distance(at(frame, q)) / before - 1.0).abs());
                }
            }
        });
        if turned.abs() > turns * std::f64::consts::TAU {
            break;
        }
    }
    assert!(turned.abs() > turns * std::f64::consts::TAU, "{} turns", turned / std::f64::consts::TAU);
    assert!(worst < 1e-3, "distances changed by {worst:e}");
}

/// The upper end of a bar moves until the bar is five times as long, and back. By Hencky's law without Poisson's effect the energy density
/// at the stretch s is E (ln s)^2 / 2 in every particle, up to s = e, where the force is largest; beyond, the bar necks. Nothing tears: it
/// comes back as it was.
pub fn a_bar_stretches_to_five_times_its_length() {
    stretched(1e-3, NEWTON, 2e-4);
}

/// So it does in longer steps; sweeps in shorter ones come back less exactly, as they end before they have converged.
pub fn a_bar_stretches_to_five_times_its_length_at_other_steps() {
    stretched(2e-3, NEWTON, 2e-4);
    stretched(2.5e-4, "scheme = \"gauss_seidel\"\niterations = 60", 5e-4);
}

const NEWTON: &str = "scheme = \"newton_cg\"\niterations = 2000\nresidual_tolerance = 1.0e-3";

/// Stretches a bar; at the end no particle is farther than `bound` from where it began [m].
fn stretched(dt: f64, solver: &'static str, bound: f64) {
    // The held layers lie 0.11 m apart at first.
    let motion = "[pin.motion]\nkeyframes = [{ time = 0.0 }, { time = 0.15, translate = [0.0, 0.0, 0.11] }, \
                  { time = 0.2, translate = [0.0, 0.0, 0.11] }, { time = 0.4, translate = [0.0, 0.0, 0.44] }, { time = 0.6 }]";
    let mut bar = Bar::new([0.04, 0.04, 0.12], 0.01).held([-1.0, -1.0, -1.0], [1.0, 1.0, 0.01], "").held(
        [-1.0, -1.0, 0.11],
        [1.0, 1.0, 1.0],
        motion,
    );
    (bar.dt, bar.solver) = (dt, solver);
    bar.material = "model = \"elastic\"\ndensity = 1000.0\nyoungs_modulus = 1.0e5\npoisson_ratio = 0.0";
    let problem = problem(&bar.scene());
    let start = &problem.particles.position;
    let (mut doubled, mut longest, mut end) = (0.0, 0.0_f64, None);
    frames(&mut CpuSimulation::new(&problem), 90, |time, frame, elastic| {
        if (time - 0.2).abs() < 1e-6 {
            doubled = elastic;
        }
        let heights = frame.position.iter().map(|x| x[2]);
        longest = longest.max(heights.fold(0.0, f64::max));
        end = Some(frame.clone());
    });
    assert!((longest - 0.555).abs() < 1e-3, "{solver}: {longest} m long");
    // Ten of the twelve layers stretch.
    let expected = 1e-6 * start.len() as f64 * 11.0 / 12.0 * 0.5e5 * 2.0_f64.ln().powi(2);
    assert!((doubled / expected - 1.0).abs() < 0.1, "{solver}: {doubled} J, {expected} J by the law");
    let frame = end.unwrap();
    for (p, before) in start.iter().enumerate() {
        let off = at(&frame, p).distance(*before);
        assert!(off < bound, "{solver}: particle {p} is {off} m off");
    }
}

/// A bar that hangs from its top under its weight: rho g L^2 / 2 E longer at rest; let go at once, it swings to twice that in the time 2 L
/// / c, c^2 = E / rho, by both schemes.
pub fn a_hanging_bar_swings_as_a_wave() {
    let length = 0.395; // from the held layer to the lower end
    let (sag, time) = (9.81e3 * length * length / 2.0 / 1e6, 2.0 * length / (1e6_f64 / 1e3).sqrt());
    for (dt, solver) in [
        (2e-4, "scheme = \"newton_cg\"\niterations = 2000\nresidual_tolerance = 1.0e-4\nxsph = 0.0"),
        (1e-4, "scheme = \"gauss_seidel\"\niterations = 60\nxsph = 0.0"),
    ] {
        let mut bar = Bar::new([0.04, 0.04, 0.4], 0.01).held([-1.0, -1.0, 0.39], [1.0, 1.0, 1.0], "");
        bar.gravity = [0.0, 0.0, -9.81];
        (bar.dt, bar.solver) = (dt, solver);
        let scene = bar.scene().replace("frame_rate = 100.0", "frame_rate = 1000.0");
        let problem = problem(&scene);
        let mut lowest = (0.0_f64, 0.0);
        frames(&mut CpuSimulation::new(&problem), 35, |t, frame, _| {
            let sunk = -moved(&problem, frame, |x| x.z < 0.01).z;
            if sunk > lowest.0 {
                lowest = (sunk, t);
            }
        });
        assert!((lowest.0 / (2.0 * sag) - 1.0).abs() < 0.05, "{solver}: {} m, twice {sag} m", lowest.0);
        assert!((lowest.1 / time - 1.0).abs() < 0.06, "{solver}: {} s, {time} s by theory", lowest.1);
    }
    let mut bar = Bar::new([0.04, 0.04, 0.4], 0.01).held([-1.0, -1.0, 0.39], [1.0, 1.0, 1.0], "");
    bar.gravity = [0.0, 0.0, -9.81];
    bar.dt = 0.01;
    let problem = problem(&bar.scene());
    let mut rest = 0.0;
    frames(&mut CpuSimulation::new(&problem), 100, |_, frame, _| {
        rest = -moved(&problem, frame, |x| x.z < 0.01).z;
    });
    assert!((rest / sag - 1.0).abs() < 0.02, "{rest} m at rest, {sag} m by theory");
}

/// Two neighbors inside a block that start in each other's places return to their own.
pub fn swapped_neighbors_return() {
    let mut bar = Bar::new([0.06, 0.06, 0.06], 0.01);
    bar.material = "model = \"elastic\"\ndensity = 1000.0\nyoungs_modulus = 1.0e5\npoisson_ratio = 0.3";
    let problem = problem(&bar.scene());
    let start = problem.particles.position.clone();
    let mut simulation = reference(&problem);
    let near =
        |x: DVec3| (0..start.len()).min_by(|&a, &b| start[a].distance(x).total_cmp(&start[b].distance(x)));
    let (a, b) = (near(DVec3::splat(0.025)).unwrap(), near(DVec3::new(0.035, 0.025, 0.025)).unwrap());
    simulation.solver_mut().state_mut().position.swap(a, b);
    let mut frame = None;
    for _ in 0..60 {
        simulation.advance(&Control::default()).unwrap();
        frame = Some(simulation.frame().unwrap());
    }
    let frame = frame.unwrap();
    for p in [a, b] {
        for q in (0..start.len()).filter(|&q| q != p) {
            let (now, before) = (at(&frame, p).distance(at(&frame, q)), start[p].distance(start[q]));
            assert!(
                (now - before).abs() < 1e-4,
                "particles {p} and {q}: {now} m apart instead of {before} m"
            );
        }
    }
}

/// A bar of metal bent beyond its yield stress keeps part of the bend, and all of its neighbors.
pub fn metal_keeps_its_bend() {
    let motion = "[pin.motion]\nkeyframes = [{ time = 0.0 }, { time = 0.1, translate = [0.0, 0.0, -0.03] }, { time = 0.2 }]";
    let mut bar = Bar::new([0.2, 0.04, 0.04], 0.01).held([-1.0, -1.0, -1.0], [0.01, 1.0, 1.0], "").held(
        [0.19, -1.0, -1.0],
        [1.0, 1.0, 1.0],
        motion,
    );
    bar.material = "model = \"von_mises\"\ndensity = 1000.0\nyoungs_modulus = 1.0e7\npoisson_ratio = 0.3\nyield_stress = 1.0e5";
    bar.solver = "scheme = \"newton_cg\"";
    let problem = problem(&bar.scene());
    let mut stress_free = f64::INFINITY;
    frames(&mut CpuSimulation::new(&problem), 40, |time, _, elastic| {
        if time > 0.2 {
            stress_free = stress_free.min(elastic);
        }
    });
    // A bend that came back without flow would store nothing in the end.
    assert!(stress_free > 1e-5, "{stress_free} J");
}

/// A block of rubber lands on a slab that is held at its rim, and stays above it.
pub fn total_bodies_touch_others() {
    let mut bar = Bar::new([0.12, 0.12, 0.02], 0.01);
    bar.gravity = [0.0, 0.0, -9.81];
    bar.dt = 2e-3;
    let bar = bar.held([-1.0, -1.0, -1.0], [0.02, 1.0, 1.0], "").held([0.1, -1.0, -1.0], [1.0, 1.0, 1.0], "");
    let block = "[[body]]\nname = \"block\"\nmaterial = \"matter\"\n\
                 shape = { box = { min = [0.04, 0.04, 0.03], max = [0.08, 0.08, 0.07] } }\n\
                 sampling = { kind = \"lattice\", spacing = 0.01 }\n";
    for kind in ["", "kinematics = \"total\"\n"] {
        let problem = problem(&(bar.scene() + &block.replace("shape", &format!("{kind}shape"))));
        let held = |frame: &Frame, time: f64| {
            let landed = (0..problem.particle_count()).filter(|&p| problem.particles.position[p].z > 0.03);
            let lowest = landed.map(|p| frame.position[p][2]).fold(f64::INFINITY, f64::min);
            assert!(lowest > 0.015, "{kind}: a particle is at {lowest} m after {time} s");
        };
        frames(&mut CpuSimulation::new(&problem), 40, |time, frame, _| held(frame, time));
        frames(&mut gpu(&problem), 40, |time, frame, _| held(frame, time));
    }
}

/// A single layer has no thickness that its neighbors could measure.
pub fn bodies_that_are_too_thin_are_refused() {
    let scene = Bar::new([0.1, 0.1, 0.01], 0.01).scene();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("thin.toml");
    std::fs::write(&file, scene).unwrap();
    let descriptors: Vec<_> = library().models().iter().map(|m| m.descriptor()).collect();
    let loaded = tuff_scene::load(&file, &[], &descriptors).unwrap();
    let error = Problem::new(loaded.scene, library()).err().unwrap().to_string();
    for part in
        ["thin.toml", "body `bar`: 100 of its particles", "at least two particles thick", "kinematics"]
    {
        assert!(error.contains(part), "no `{part}` in {error}");
    }
}

/// A sink takes matter that comes before a spinning bar in the order of ids: the bar moves on as if nothing had happened, on both devices.
pub fn sinks_leave_total_bodies_alone() {
    let mut bar = Bar::new([0.08, 0.04, 0.04], 0.01);
    bar.velocity = "angular_velocity = [0.0, 12.0, 3.0]";
    bar.dt = 5e-4;
    let alone = problem(&bar.scene());
    bar.rest = "[[body]]\nname = \"drop\"\nmaterial = \"matter\"\nvelocity = [0.0, -3.0, 0.0]\n\
                shape = { box = { min = [0.3, 0.3, 0.3], max = [0.33, 0.33, 0.33] } }\n\
                [[sink]]\nname = \"drain\"\nshape = { box = { min = [0.2, 0.0, 0.2], max = [0.4, 0.28, 0.4] } }\n"
        .to_owned();
    let beside = problem(&bar.scene());
    let run = |simulation: &mut dyn Simulation| {
        let removed: u64 =
            (0..5).map(|_| simulation.advance(&Control::default()).unwrap().counters.removed).sum();
        (removed, simulation.frame().unwrap())
    };
    let (_, expected) = run(&mut CpuSimulation::new(&alone));
    let others = beside.particle_count() - alone.particle_count();
    for simulation in [&mut CpuSimulation::new(&beside) as &mut dyn Simulation, &mut gpu(&beside)] {
        let (removed, frame) = run(simulation);
        assert_eq!(removed as usize, others);
        let off = (0..expected.position.len())
            .map(|p| at(&frame, p).distance(at(&expected, p)))
            .fold(0.0, f64::max);
        println!("{}: {off:e} m", simulation.device_name());
        assert!(off < 1e-5, "{off:e} m off");
    }
}
