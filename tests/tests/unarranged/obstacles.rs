//! Cloth on what is sharper or smaller than its triangles are wide: nothing passes between its vertices.

use glam::DVec3;
use tuff_problem::{Control, Counters, Frame, Problem};
use tuff_run::{CpuSimulation, Simulation};
use tuff_tests::problem;

const GRAVITY: f64 = 9.81;

const AUTO: &str = "max_substep = \"auto\"\n[solver]\n";
const NEWTON: &str = "max_substep = 1e-3\n[solver]\nscheme = \"newton_cg\"\n";
const SWEEPS: &str = "max_substep = 5e-4\n[solver]\nscheme = \"gauss_seidel\"\niterations = 20\n";

const HALF_THICKNESS: f64 = 0.001;

/// A scene of 50 frames per second with these keys of the time and solver tables.
fn scene(time: &str, gravity: f64, tables: &str) -> Problem {
    problem(&format!(
        "format = 1\n[scene]\nname = \"obstacles\"\ngravity = [0.0, {gravity:?}, 0.0]\n[time]\nframes = [1, 500]\nframe_rate = 50.0\n{time}\n\
         kernel_radius = 0.02\n{tables}"
    ))
}

/// A sheet of 20 by 20 cm in the plane y = 0 with cells of 5 cm.
fn sheet(keys: &str) -> String {
    format!(
        "[[cloth]]\nname = \"sheet\"\nsurface_density = 0.3\nstretch_stiffness = 500.0\ndamping = 5e-3\nthickness = {:?}\nfriction = 0.3\n\
         grid = {{ corner = [-0.1, 0.0, -0.1], u = [0.2, 0.0, 0.0], v = [0.0, 0.0, 0.2], cells = [4, 4] }}\n{keys}\n",
        2.0 * HALF_THICKNESS
    )
}

/// Holds the edges of the sheet.
fn frame() -> String {
    let side = |min: [f64; 3], max: [f64; 3]| {
        format!("[[pin]]\nbody = \"sheet\"\nregion = {{ box = {{ min = {min:?}, max = {max:?} }} }}\n")
    };
    side([-1.0, -1.0, -1.0], [-0.099, 1.0, 1.0])
        + &side([0.099, -1.0, -1.0], [1.0, 1.0, 1.0])
        + &side([-1.0, -1.0, -1.0], [1.0, 1.0, -0.099])
        + &side([-1.0, -1.0, 0.099], [1.0, 1.0, 1.0])
}

fn advance(simulation: &mut (impl Simulation + ?Sized), frames: u32) -> Counters {
    let mut counters = Counters::default();
    for _ in 0..frames {
        counters += &simulation.advance(&Control::default()).unwrap().counters;
    }
    counters
}

/// Places all over the triangles of the sheet.
fn places(problem: &Problem, frame: &Frame) -> Vec<DVec3> {
    let at = |id: u32| DVec3::from_array(frame.position[id as usize]);
    let n = 30;
    let parts: Vec<[f64; 2]> =
        (0..=n).flat_map(|i| (0..=n - i).map(move |j| [i, j].map(|k| f64::from(k) / f64::from(n)))).collect();
    let of = |corners: &[u32; 3]| {
        let [a, b, c] = corners.map(at);
        parts.iter().map(|[s, t]| a + *s * (b - a) + *t * (c - a)).collect::<Vec<_>>()
    };
    problem.sheets.triangles.iter().flat_map(|triangle| of(&triangle.corners)).collect()
}

/// A ball of 6 mm falls into the middle of a triangle of 5 cm: the sheet carries it, and its contacts carry its weight.
pub fn a_small_ball_lies_in_a_coarse_sheet() {
    let radius = 0.006;
    let ball = format!(
        "[[rigid]]\nname = \"ball\"\ndensity = 4000.0\nfriction = 0.3\n\
         shape = {{ sphere = {{ center = [0.018, 0.03, 0.03], radius = {radius:?} }} }}\n"
    );
    for time in [AUTO, NEWTON, SWEEPS] {
        let problem = scene(time, -GRAVITY, &(sheet("") + &frame() + &ball));
        let mut simulation = CpuSimulation::new(&problem);
        let mut counters = advance(&mut simulation, 40);
        let (mut carried, mut lowest) = (DVec3::ZERO, f64::INFINITY);
        for _ in 0..20 {
            counters += &advance(&mut simulation, 1);
            let now = simulation.frame().unwrap();
            carried += DVec3::from_array(now.rigid[0].impulse) / 20.0;
            let center = DVec3::from_array(now.rigid[0].center);
            let near = places(&problem, &now).into_iter().map(|x| x.distance(center) - radius);
            lowest = near.fold(lowest, f64::min);
        }
        let weight = 4000.0 * 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3) * GRAVITY * 0.02;
        let last = simulation.frame().unwrap();
        let y = last.rigid[0].center[1];
        println!(
            "{time:?}: carries {:.4} of the weight; center at {y:.4} m, {lowest:.5} m apart, {} passed",
            carried.y / weight,
            counters.sheet_passed
        );
        assert!(y > -0.02 && last.rigid[0].center[0].abs() < 0.1, "{:?}", last.rigid[0].center);
        assert!((carried.y / weight - 1.0).abs() < 0.02, "{carried} {weight}");
        assert!(lowest > 0.9 * HALF_THICKNESS, "{lowest}");
        assert_eq!(counters.sheet_passed, 0);
    }
}

/// A sheet falls on a rod and on a corner of a box, neither of which is below a vertex: it stays on them.
pub fn a_coarse_sheet_hangs_on_a_rod_and_a_corner() {
    let rod = "[[collider]]\nname = \"rod\"\nfriction = 1.0\n\
               shape = { capsule = { from = [-0.2, -0.01, 0.027], to = [0.2, -0.01, 0.027], radius = 0.004 } }\n";
    let corner = "[[collider]]\nname = \"box\"\nfriction = 1.0\n\
                  shape = { box = { min = [-0.01, -0.07, -0.05], max = [0.03, -0.03, -0.01] }, rotate = [35.0, 0.0, 40.0] }\n";
    for time in [AUTO, NEWTON, SWEEPS] {
        let problem = scene(time, -GRAVITY, &(sheet("") + rod + corner));
        let mut simulation = CpuSimulation::new(&problem);
        let mut least = f64::INFINITY;
        let mut counters = Counters::default();
        for _ in 0..15 {
            counters += &advance(&mut simulation, 1);
            let now = simulation.frame().unwrap();
            for x in places(&problem, &now) {
                for face in &problem.faces {
                    least = least.min(face.surface.shape.signed_distance(x));
                }
            }
        }
        println!("{time:?}: {least:.5} m apart at least, {} passed", counters.sheet_passed);
        assert!(least > 0.9 * HALF_THICKNESS, "{least}");
        assert_eq!(counters.sheet_passed, 0);
    }
}

/// Without gravity, a box whose corner hits a free sheet between its vertices gives it what it loses.
pub fn a_corner_gives_a_sheet_its_momentum() {
    let block = "[[rigid]]\nname = \"box\"\ndensity = 500.0\nvelocity = [0.1, -1.0, 0.0]\n\
                 shape = { box = { min = [0.0, 0.015, 0.0], max = [0.03, 0.045, 0.03] }, rotate = [40.0, 0.0, 50.0] }\n";
    let exact = NEWTON.to_owned() + "residual_tolerance = 1e-5\niterations = 2000\n";
    for (time, bound) in [(SWEEPS, 1e-6), (exact.as_str(), 1e-4)] {
        let problem = scene(time, 0.0, &(sheet("") + block));
        let mut simulation = CpuSimulation::new(&problem);
        let mass = 500.0 * 0.03_f64.powi(3);
        let momentum = |frame: &Frame| -> [DVec3; 2] {
            let of = |p: usize| problem.mass[p] * DVec3::from_array(frame.velocity[p].map(f64::from));
            [(0..problem.particle_count()).map(of).sum(), mass * DVec3::from_array(frame.rigid[0].velocity)]
        };
        let [_, before] = momentum(&simulation.frame().unwrap());
        let counters = advance(&mut simulation, 3);
        let [sheet, block] = momentum(&simulation.frame().unwrap());
        let lost = (sheet + block - before).length() / before.length();
        println!("{time:?}: given {:.3}, lost {lost:.1e}", sheet.length() / before.length());
        assert!(sheet.y < -0.1 * before.length(), "{sheet}");
        assert!(lost < bound, "{lost}");
        assert_eq!(counters.sheet_passed, 0);
    }
}
