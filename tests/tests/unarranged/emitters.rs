//! Emitters and sinks: what comes and goes is counted, leaves no gaps, and is the same in every run.

use glam::DVec3;
use tuff_problem::{Control, Frame, FrameReport, Problem};
use tuff_run::{CpuSimulation, Simulation};
use tuff_tests::{gpu, problem};

/// Kernel radius and spacing [m].
const R: f64 = 0.006;
/// Length of a frame [s].
const FRAME: f64 = 0.04;

/// A scene of dry sand with these tables.
fn scene(gravity: f64, dt: &str, tables: &str) -> Problem {
    let solver = if dt.contains("[solver]") { "" } else { "[solver]\n" };
    problem(&format!(
        "format = 1\n[scene]\nname = \"emitters\"\ngravity = [0.0, {gravity:?}, 0.0]\n[time]\nframes = [1, 60]\nframe_rate = 25.0\n\
         max_substep = {dt}\n{solver}kernel_radius = {R}\n[[material]]\nname = \"sand\"\npreset = \"dry_sand\"\n{tables}"
    ))
}

/// An emitter of boxes of 5 x 3 x 5 lattice cells downwards, with these keys.
fn emitter(keys: &str) -> String {
    format!(
        "[[emitter]]\nname = \"hose\"\nmaterial = \"sand\"\n\
         shape = {{ box = {{ min = [-0.015, 0.3, -0.015], max = [0.015, 0.318, 0.015] }} }}\n\
         sampling = {{ kind = \"lattice\", spacing = {R} }}\n{keys}\n"
    )
}

const LAYER: u64 = 75;

const FLOOR: &str =
    "[[collider]]\nname = \"floor\"\nshape = { plane = { point = [0, 0, 0], normal = [0, 1, 0] } }\n";

/// A substep, and sweeps, in which nothing depends on what is far away.
const SWEEPS: &str = "5e-4\n[solver]\nscheme = \"gauss_seidel\"\niterations = 10\n";

fn advance(simulation: &mut impl Simulation, frames: u32) -> FrameReport {
    let mut report = FrameReport::default();
    for _ in 0..frames {
        report.append(simulation.advance(&Control::default()).unwrap());
    }
    report
}

fn on_both(problem: &Problem, mut check: impl FnMut(&str, &mut dyn FnMut(u32) -> (FrameReport, Frame))) {
    let (mut processor, mut device) = (CpuSimulation::new(problem), gpu(problem));
    check("cpu", &mut |frames| (advance(&mut processor, frames), processor.frame().unwrap()));
    check("Vulkan", &mut |frames| (advance(&mut device, frames), device.frame().unwrap()));
}

/// Without gravity the stream is one lattice, whatever the substeps, and a layer leaves whenever the last one has moved on by 3 cells.
pub fn layers_leave_no_gap_and_are_counted() {
    let (speed, start) = (0.7, 0.05);
    let problem =
        scene(0.0, "1e-3", &emitter(&format!("velocity = [0.0, -{speed}, 0.0]\ntime = [{start}, 0.3]")));
    on_both(&problem, |device, advance| {
        let mut emitted = 0;
        for frame in 1..=10_u32 {
            let (report, now) = advance(1);
            emitted += report.counters.emitted;
            let time = f64::from(frame) * FRAME;
            let due = ((time.min(0.3) - start) * speed / (3.0 * R) + 1e-6).floor() + 1.0;
            let layers = if time < start { 0.0 } else { due };
            assert_eq!(emitted as f64, layers * LAYER as f64, "{device}: at {time} s");
            assert_eq!(report.counters.emission_withheld, 0);
            assert_eq!(now.id, (0..emitted as u32).collect::<Vec<_>>());
        }
        let (_, end) = advance(1);
        let mut height: Vec<f64> = end.position.iter().map(|x| x[1]).collect();
        height.sort_by(f64::total_cmp);
        let gap = height.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
        println!("{device}: {emitted} particles, largest step between layers {:.5} spacings", gap / R);
        assert!((gap / R - 1.0).abs() < 1e-3, "{device}: {gap}");
    });
}

/// Poured into a sink, matter takes a steady number of particles.
pub fn a_drained_stream_becomes_steady() {
    let sink = "[[sink]]\nname = \"drain\"\nshape = { box = { min = [-1, -1, -1], max = [1, 0.1, 1] } }\n";
    let problem = scene(-9.81, "1e-3", &(emitter("velocity = [0.0, -0.7, 0.0]") + sink));
    on_both(&problem, |device, advance| {
        let start = advance(0).1.position.len() as u64;
        let (first, _) = advance(10);
        let (mut least, mut most) = (usize::MAX, 0);
        let mut counters = first.counters;
        for _ in 0..40 {
            let (report, frame) = advance(1);
            counters += &report.counters;
            (least, most) = (least.min(frame.position.len()), most.max(frame.position.len()));
        }
        println!(
            "{device}: {least} to {most} particles; {} came, {} left",
            counters.emitted, counters.removed
        );
        assert!(most - least <= LAYER as usize, "{device}: {least} to {most}");
        // The first layer is there at the start.
        assert!((1..LAYER).contains(&start), "{device}: {start}");
        assert_eq!(counters.emitted + start - counters.removed, advance(0).1.position.len() as u64);
    });
}

/// An emitter whose matter cannot move on leaves out what finds no room, and nothing is thrown about.
pub fn a_full_emitter_waits() {
    let cup = "[[collider]]\nname = \"cup\"\nside = \"inside\"\nshape = { box = { min = [-0.03, 0.27, -0.03], max = [0.03, 0.4, 0.03] } }\n";
    let problem = scene(-9.81, "1e-3", &(emitter("velocity = [0.0, -0.7, 0.0]") + cup));
    on_both(&problem, |device, advance| {
        let (report, frame) = advance(15);
        let most = frame.velocity.iter().map(|v| DVec3::from(v.map(f64::from)).length()).fold(0.0, f64::max);
        println!(
            "{device}: {} emitted, {} withheld, at most {most:.2} m/s",
            report.counters.emitted, report.counters.emission_withheld
        );
        assert!(report.counters.emission_withheld > 0, "{device}");
        assert!(most < 2.0, "{device}: {most}");
    });
}

/// A run that continues from a state in the middle of an emission writes the same frames, as does a second run.
pub fn a_run_continues_in_the_middle_of_an_emission() {
    let sink = "[[sink]]\nname = \"drain\"\nshape = { box = { min = [0.02, -1, -1], max = [1, 0.1, 1] } }\n";
    let body = "[[body]]\nname = \"block\"\nmaterial = \"sand\"\nshape = { box = { min = [-0.018, 0, -0.018], max = [0.018, 0.02, 0.018] } }\n";
    let tables = [body, &emitter("velocity = [0.05, -2.0, 0.0]"), sink, FLOOR].concat();
    let problem = scene(-9.81, "\"auto\"", &tables);
    fn check(device: &str, mut fresh: impl FnMut() -> Box<dyn Simulation>) {
        let (mut one, mut two, mut three) = (fresh(), fresh(), fresh());
        let advance = |simulation: &mut Box<dyn Simulation>, frames: u32| {
            (0..frames).for_each(|_| drop(simulation.advance(&Control::default()).unwrap()));
        };
        advance(&mut one, 6);
        advance(&mut two, 6);
        let state = one.save().unwrap();
        advance(&mut three, 1);
        three.restore(&state).unwrap();
        for simulation in [&mut one, &mut two, &mut three] {
            advance(simulation, 2);
        }
        let [one, two, three] = [one, two, three].map(|mut simulation| simulation.frame().unwrap());
        assert!(
            one.id.windows(2).any(|pair| pair[1] > pair[0] + 1),
            "{device}: nothing has left through the sink"
        );
        assert!(one == two, "{device}: two runs differ");
        assert!(one == three, "{device}: the continued run differs");
    }
    check("cpu", || Box::new(CpuSimulation::new(&problem)));
    check("Vulkan", || Box::new(gpu(&problem)));
}

/// A swinging sheet and a rope that slips off a ball move alike, whatever comes and goes elsewhere; sinks do not take them.
pub fn cloth_and_rope_keep_their_places() {
    let links = "[[cloth]]\nname = \"flag\"\nsurface_density = 0.2\nthickness = 0.004\nstretch_stiffness = 300.0\nbending_stiffness = 1e-4\ndamping = 1e-3\n\
                 grid = { corner = [0.2, 0.1, 0.0], u = [0.05, 0.0, 0.0], v = [0.0, 0.0, 0.04], cells = [6, 5] }\n\
                 [[pin]]\nbody = \"flag\"\nvertices = [0, 6]\n\
                 [[rope]]\nname = \"line\"\npoints = [[0.2, 0.1, 0.1], [0.3, 0.1, 0.1]]\nspacing = 0.01\nradius = 0.004\n\
                 linear_density = 0.05\nstretch_stiffness = 200.0\nbending_stiffness = 1e-4\n\
                 [[collider]]\nname = \"ball\"\nshape = { sphere = { center = [0.24, 0.07, 0.1], radius = 0.02 } }\n";
    let others = "[[body]]\nname = \"drop\"\nmaterial = \"sand\"\nvelocity = [0.0, -1.0, 0.0]\n\
                  shape = { box = { min = [-0.15, 0.05, -0.015], max = [-0.1, 0.1, 0.015] } }\n\
                  [[sink]]\nname = \"drain\"\nshape = { box = { min = [-0.2, -1.0, -0.1], max = [0.4, 0.02, 0.2] } }\n\
                  [[sink]]\nname = \"around\"\nshape = { box = { min = [0.1, -1.0, -0.1], max = [0.4, 1.0, 0.2] } }\n";
    let alone = scene(-9.81, SWEEPS, links);
    let beside = scene(-9.81, SWEEPS, &[others, &emitter("velocity = [0.0, -1.0, 0.0]"), links].concat());
    let mut expected = CpuSimulation::new(&alone);
    advance(&mut expected, 5);
    let expected = expected.frame().unwrap();
    on_both(&beside, |device, advance| {
        let (report, frame) = advance(5);
        assert!(
            report.counters.emitted > 0 && report.counters.removed > 0,
            "{device}: {:?}",
            report.counters
        );
        let linked = |p: &usize| !beside.scene.bodies[frame.body[*p] as usize].kind.is_matter();
        let linked: Vec<usize> = (0..frame.position.len()).filter(linked).collect();
        assert_eq!(linked.len(), expected.position.len(), "{device}");
        let off = std::iter::zip(&linked, &expected.position)
            .map(|(&p, x)| DVec3::from_array(frame.position[p]).distance(DVec3::from_array(*x)))
            .fold(0.0, f64::max);
        println!("{device}: {off:e} m");
        assert!(off < 1e-5, "{device}: {off:e} m off");
    });
}

/// Sand that an emitter pours into a hammock stays in it, and none reaches a sink below it; a run that goes on from a state is the same to
/// the last bit.
pub fn sand_is_poured_into_a_hammock() {
    let tables = "[[cloth]]\nname = \"hammock\"\nsurface_density = 0.2\nstretch_stiffness = 5e3\nbending_stiffness = 1e-4\nthickness = 0.006\n\
                  grid = { corner = [-0.08, 0.24, -0.06], u = [0.16, 0.0, 0.0], v = [0.0, 0.0, 0.12], cells = [12, 9] }\n\
                  [[pin]]\nbody = \"hammock\"\nregion = { box = { min = [-0.081, 0.2, -1.0], max = [-0.079, 0.3, 1.0] } }\n\
                  [[pin]]\nbody = \"hammock\"\nregion = { box = { min = [0.079, 0.2, -1.0], max = [0.081, 0.3, 1.0] } }\n\
                  [[sink]]\nname = \"under\"\nshape = { box = { min = [-0.07, -1.0, -0.05], max = [0.07, 0.15, 0.05] } }\n";
    let problem = scene(
        -9.81,
        "\"auto\"",
        &[tables, &emitter("velocity = [0.1, -1.0, 0.0]\ntime = [0.0, 0.3]")].concat(),
    );
    let mut simulation = CpuSimulation::new(&problem);
    let mut report = advance(&mut simulation, 5);
    let state = simulation.save().unwrap();
    report.append(simulation.advance(&Control::default()).unwrap());
    let mut again = CpuSimulation::new(&problem);
    again.restore(&state).unwrap();
    advance(&mut again, 1);
    assert!(simulation.frame().unwrap() == again.frame().unwrap(), "the continued run differs");
    report.append(advance(&mut simulation, 6));
    println!("{:?}", report.counters);
    assert!(report.counters.emitted > 500);
    assert_eq!((report.counters.sheet_passed, report.counters.removed), (0, 0));
}
