//! Profiles of substeps: they change nothing, and report what the device did.

use tuff_gpu::StageId;
use tuff_problem::profile::{Part, Profiled, StageProfile, SubstepProfile};
use tuff_problem::{Control, Problem, max_cells};
use tuff_reference::clock::Loop;
use tuff_run::{CpuSimulation, GpuSimulation, Simulation};
use tuff_solver::constants::STATUS_WORDS;
use tuff_solver::{Mapping, Options, Stage};
use tuff_tests::{gpu, problem, step};

use crate::scenes;

fn profile(simulation: &mut GpuSimulation, count: u32, residuals: bool) -> Vec<SubstepProfile> {
    simulation.profile_substeps(0, count, residuals, &Control::default()).unwrap()
}

fn stage(substep: &SubstepProfile, wanted: Stage) -> StageProfile {
    let found: Vec<StageProfile> =
        substep.stages().into_iter().filter(|s| s.stage == wanted.declaration().name).collect();
    assert_eq!(found.len(), 1, "{wanted:?}");
    found[0]
}

/// Plain, profiled, and profiled with residuals: the same bytes, including substeps that are halved.
pub fn changes_nothing() {
    for scene in [scenes::MIXED, scenes::SHREDS] {
        let problem = problem(scene);
        let (mut plain, mut timed, mut judged) = (gpu(&problem), gpu(&problem), gpu(&problem));
        let mut repeated = 0;
        for _ in 0..4 {
            step(&mut plain, 10);
            let substeps = profile(&mut timed, 10, false);
            assert_eq!(substeps.len(), 10);
            assert!(substeps.iter().all(|substep| substep.residual.is_none()));
            repeated += substeps.iter().filter(|substep| substep.submissions > 1).count();
            let with_residuals = profile(&mut judged, 10, true);
            assert!(with_residuals.iter().all(|substep| substep.residual.is_some_and(|r| r.force > 0.0)));
            let frame = plain.frame().unwrap();
            assert!(frame == timed.frame().unwrap(), "timestamps change the result");
            assert!(frame == judged.frame().unwrap(), "residuals change the result");
        }
        println!("{repeated} of 40 substeps repeated");
    }
}

/// The motion continues where the last call ended.
pub fn calls_follow_one_motion() {
    let at_rest = "{ time = 0.0 }, { time = 0.1, translate = [0.0, 0.02, 0.0], rotate = [20.0, 0.0, 10.0] }";
    let later = "{ time = 0.0 }, { time = 1e-3 }, { time = 0.1, translate = [0.0, 0.02, 0.0] }";
    assert_eq!(scenes::MIXED.matches(at_rest).count(), 1);
    let problem = problem(&scenes::MIXED.replace(at_rest, later));
    let go = Control::default();
    let speed = |calls: [u32; 2]| {
        let mut simulation = gpu(&problem);
        for first in calls {
            simulation.advance_substeps_from(first, 5, &go).unwrap();
        }
        let pinned = problem.particles.pin.iter().position(|&pin| pin == 0).unwrap();
        simulation.frame().unwrap().velocity[pinned][1]
    };
    // 0.02 m in 0.1 s less 1 ms; five substeps of 0.2 ms pass before the pin moves.
    let expected = 0.02 / 0.099;
    assert!((f64::from(speed([0, 5])) - expected).abs() < 1e-4 * expected);
    assert!(speed([0, 0]).abs() < 1e-6);
}

/// Times lie inside the substep, one dispatch after the other.
pub fn times_fit_into_the_wall_clock() {
    let mut simulation = gpu(&problem(&scenes::column(10, "iterations = 5")));
    profile(&mut simulation, 3, false);
    let substeps = profile(&mut simulation, 5, false);
    let mut end = 0.0;
    for substep in &substeps {
        assert!(substep.start >= end && substep.wall_seconds > 0.0);
        end = substep.start + substep.wall_seconds;
        let sum: f64 = substep.dispatches.iter().map(|d| d.seconds).sum();
        println!("{:.3} of {:.3} ms", 1e3 * sum, 1e3 * substep.wall_seconds);
        assert!(sum > 0.0 && sum <= substep.wall_seconds, "{sum} s in {} s", substep.wall_seconds);
        // The device's clock has its own ticks.
        let tick = 1e-6;
        let mut last = 0.0;
        for dispatch in &substep.dispatches {
            assert!(dispatch.start >= last - tick, "{dispatch:?} begins before {last}");
            last = dispatch.start + dispatch.seconds;
        }
        assert!(last <= substep.wall_seconds + tick);
        let by_stage: f64 = substep.stages().iter().map(|s| s.seconds).sum();
        assert!((by_stage - sum).abs() < 1e-9 * sum.max(1.0));
    }
}

/// Particles, pairs and cells of a simulation, from its report on their distribution.
struct Count {
    particles: u64,
    pairs: u64,
    occupied: u64,
}

fn count(problem: &Problem, simulation: &GpuSimulation, substep: &SubstepProfile) -> Count {
    let particles = problem.particle_count() as u64;
    let spread = simulation.solver().spread().unwrap();
    let pairs: u64 = spread.neighbors.iter().map(|&n| u64::from(n)).sum();
    assert_eq!((spread.neighbors.len() as u64, pairs), (particles, substep.pairs));
    let occupied = spread.cell_particles.len() as u64;
    assert_eq!(spread.cell_particles.iter().map(|&n| u64::from(n)).sum::<u64>(), particles);
    assert_eq!(spread.color_cells.iter().map(|&n| u64::from(n)).sum::<u64>(), occupied);
    assert_eq!(spread.color_particles.iter().sum::<u64>(), particles);
    Count { particles, pairs, occupied }
}

/// Dispatches, invocations and declared traffic, counted by hand.
pub fn work_is_counted() {
    let problem = problem(&scenes::column(8, "iterations = 3"));
    for lanes in [1, 8] {
        let mapping = if lanes == 1 { None } else { Some(Mapping::with_lanes(lanes)) };
        let mut simulation =
            GpuSimulation::new(&problem, &Options { mapping, ..Options::default() }).unwrap();
        let lanes = u64::from(simulation.solver().lanes());
        let substep = profile(&mut simulation, 2, false).pop().unwrap();
        let Count { particles, pairs, occupied } = count(&problem, &simulation, &substep);
        assert_eq!((substep.iterations, substep.submissions), (3, 1));

        let sweep = stage(&substep, Stage::SolveInelastic);
        assert_eq!((sweep.dispatches, sweep.threads), (3 * 27, 3 * occupied * lanes));
        // A sweep reads 184 bytes per particle and 16 per pair, and reads and writes 84: the impulse's rows, the multiplier, velocity and
        // correction impulse. Then the cells: 4 bytes in the list of colors, 4 for the start of each in the grid.
        let least = 3 * ((184 + 2 * 84) * particles + 16 * pairs + 4 * occupied);
        let most = least + 3 * (4 * u64::from(max_cells(problem.particle_count())) + 400);
        assert!((least..most).contains(&sweep.bytes), "{} is not in {least}..{most}", sweep.bytes);

        // 156 bytes per particle, 16 per pair, the 128 of the floor and 4 of the body are read, 128 per particle are written; the status
        // block is both.
        let commit = stage(&substep, Stage::Commit);
        assert_eq!((commit.dispatches, commit.threads), (1, particles));
        assert_eq!(
            commit.bytes,
            (156 + 128) * particles + 16 * pairs + 128 + 4 + 2 * 4 * u64::from(STATUS_WORDS)
        );
        let search = stage(&substep, Stage::FindNeighbors);
        assert_eq!(search.threads, 8 * occupied);
        // Position, identity and metric of a particle are read, its range and 16 bytes per pair are written.
        let least = (16 + 16 + 2 * 16 + 8) * particles + 16 * pairs + 4 * occupied;
        let most = least + 4 * u64::from(max_cells(problem.particle_count())) + 400;
        assert!((least..most).contains(&search.bytes), "{} is not in {least}..{most}", search.bytes);
        assert!(Part::ALL.iter().all(|part| substep.dispatches.iter().any(|d| d.part == *part)));
    }
}

/// Iterations skipped after convergence have dispatches, but neither invocations nor traffic.
pub fn iterations_that_did_not_happen_cost_nothing() {
    let problem =
        problem(&scenes::column(6, "scheme = \"gauss_seidel\"\niterations = 200\nresidual_tolerance = 0.2"));
    let mut simulation = gpu(&problem);
    let substep = profile(&mut simulation, 3, false).pop().unwrap();
    let iterations = u64::from(substep.iterations);
    assert!((1..150).contains(&iterations), "{iterations} iterations");
    assert!(substep.residual.is_some_and(|residual| residual.force < 0.2));
    let occupied = count(&problem, &simulation, &substep).occupied;
    let sweep = stage(&substep, Stage::SolveInelastic);
    let lanes = u64::from(simulation.solver().lanes());
    assert_eq!((sweep.dispatches, sweep.threads), (200 * 27, iterations * occupied * lanes));
    // The residual is computed before the first iteration and after each.
    assert_eq!(stage(&substep, Stage::ForceResidual).threads, (iterations + 1) * occupied);
}

/// A substep whose lists overflow is one substep with two submissions.
pub fn repeated_substeps_are_one() {
    let mut problem =
        problem(&scenes::column(6, "iterations = 2\nposition_correction = { kind = \"none\" }"));
    problem.scene.solver.kernel_radius *= 1.4;
    let mut simulation = gpu(&problem);
    let substeps = profile(&mut simulation, 3, false);
    assert_eq!(substeps.iter().map(|s| s.submissions).collect::<Vec<_>>(), [2, 1, 1]);
    let occupied = count(&problem, &simulation, &substeps[2]).occupied;
    // In the first submission nothing runs after the neighbor search.
    let sweep = stage(&substeps[0], Stage::SolveInelastic);
    let lanes = u64::from(simulation.solver().lanes());
    assert_eq!((sweep.dispatches, sweep.threads), (2 * 2 * 27, 2 * occupied * lanes));
    assert_eq!(stage(&substeps[0], Stage::Bin).threads, 2 * problem.particle_count() as u64);
}

/// The loops on the processor: timing changes nothing, and every pass is an evaluation of the forces or a product.
pub fn passes_on_the_processor_are_counted() {
    let problem = problem(&scenes::column(6, "scheme = \"newton_cg\"\niterations = 100"));
    let (mut plain, mut timed) = (CpuSimulation::new(&problem), CpuSimulation::new(&problem));
    let go = Control::default();
    plain.advance_substeps(5, &go).unwrap();
    let substeps = timed.profile_substeps(0, 5, false, &go).unwrap();
    assert!(plain.frame().unwrap() == timed.frame().unwrap(), "the clock changes the result");
    assert_eq!(substeps.len(), 5);
    for substep in &substeps {
        let count = |name: &str| substep.dispatches.iter().filter(|loops| loops.stage == name).count();
        assert_eq!(count("linearize") + count("product"), substep.iterations as usize);
        assert_eq!((count("find_neighbors"), count("commit"), count("linearize")), (1, 1, count("balance")));
        assert!(substep.residual.is_some_and(|residual| residual.force > 0.0));
    }
    let spread = timed.solver().spread().unwrap();
    let pairs: u64 = spread.neighbors.iter().map(|&n| u64::from(n)).sum();
    assert_eq!((spread.neighbors.len(), pairs), (problem.particle_count(), substeps[4].pairs));
    assert_eq!(spread.cell_particles.iter().sum::<u32>() as usize, problem.particle_count());
}

/// Both devices assign a stage to the same part, except colliders after the smoothing, which only the order of the stages tells.
pub fn loops_belong_to_the_parts_of_their_stages() {
    let stages: Vec<Stage> = (0..).map_while(|i| Stage::of(StageId(i))).collect();
    let mut shared = 0;
    for &what in Loop::ALL.iter().filter(|&&what| what != Loop::SmoothContacts) {
        if let Some(stage) = stages.iter().find(|stage| stage.declaration().name == what.name()) {
            assert_eq!(what.part(), stage.facts().part, "{}", what.name());
            shared += 1;
        }
    }
    assert!(shared > 10, "{shared} loops have the name of a stage");
}
