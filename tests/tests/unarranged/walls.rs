//! Matter does not feel matter through a collider thinner than a kernel.

use tuff_problem::Control;
use tuff_run::{CpuSimulation, Simulation};
use tuff_tests::meshes::Triangles;
use tuff_tests::{gpu, problem_beside};

/// Two blocks, one of which moves along the other.
const BLOCKS: &str = r#"
format = 1
[scene]
name = "walls"
gravity = [0.0, 0.0, 0.0]
[time]
frames = [1, 60]
frame_rate = 24.0
max_substep = 1e-3
[solver]
kernel_radius = 0.006
[[material]]
name = "foam"
preset = "memory_foam"
[[body]]
name = "above"
material = "foam"
velocity = [1.0, 0.0, 0.0]
shape = { box = { min = [-0.03, 0.002, -0.018], max = [0.006, 0.026, 0.018] } }
sampling = { kind = "lattice", spacing = 0.006, jitter = 0.1 }
[[body]]
name = "below"
material = "foam"
shape = { box = { min = [-0.018, -0.026, -0.018], max = [0.018, -0.002, 0.018] } }
sampling = { kind = "lattice", spacing = 0.006, jitter = 0.1 }
[[collider]]
name = "wall"
friction = 0.0
motion = { keyframes = [ { time = 0.0 }, { time = 0.1, rotate = [0.0, 40.0, 0.0] } ] }
"#;

/// Returns the largest speed in the upper block and in the lower one after 20 substeps [m/s].
fn speeds(simulation: &mut impl Simulation) -> [f64; 2] {
    let frame = simulation.frame().unwrap();
    let fastest = |body: u32| {
        let own = std::iter::zip(&frame.velocity, &frame.body).filter(|(_, b)| **b == body);
        own.map(|(v, _)| f64::from(v.iter().map(|c| c * c).sum::<f32>().sqrt())).fold(0.0, f64::max)
    };
    [fastest(0), fastest(1)]
}

/// A block slides along a sheet, a thin plate, a thin plate of triangles, a disk and a shallow bowl; the block on the other side of it
/// does not move. Without anything between them, it does.
pub fn nothing_is_felt_through_a_wall() {
    let plate = [[-0.1, -0.0005, -0.1], [0.1, 0.0005, 0.1]];
    let files = [
        ("sheet.obj", Triangles::sheet(0.2, 0.0, 5).obj()),
        ("plate.obj", Triangles::cuboid(plate[0], plate[1]).obj()),
    ];
    let [min, max] = plate;
    let walls = [
        ("sheet", "mesh = { file = \"sheet.obj\" }".to_owned()),
        ("plate", format!("box = {{ min = {min:?}, max = {max:?} }}")),
        ("triangles", "mesh = { file = \"plate.obj\" }".to_owned()),
        (
            "disk",
            "cylinder = { from = [0.0, -0.0005, 0.0], to = [0.0, 0.0005, 0.0], radius = 0.1 }".to_owned(),
        ),
        (
            "holes",
            format!(
                "box = {{ min = {min:?}, max = {max:?} }}, \
                 subtract = [{{ cylinder = {{ from = [0.06, -1.0, 0.0], to = [0.06, 1.0, 0.0], radius = 0.01 }} }}]"
            ),
        ),
    ];
    for (name, shape) in walls {
        let problem = problem_beside(&format!("{BLOCKS}shape = {{ {shape} }}\n"), &files);
        let (mut processor, mut device) = (CpuSimulation::new(&problem), gpu(&problem));
        processor.advance_substeps(20, &Control::default()).unwrap();
        device.advance_substeps(20, &Control::default()).unwrap();
        for [above, below] in [speeds(&mut processor), speeds(&mut device)] {
            println!("{name}: {above:.3} and {below:.1e} m/s");
            assert!((above - 1.0).abs() < 1e-3, "{name}: {above} m/s");
            assert!(below < 1e-6, "{name}: {below} m/s");
        }
    }
    let (without, _) = BLOCKS.split_once("[[collider]]").unwrap();
    let mut processor = CpuSimulation::new(&problem_beside(without, &files));
    processor.advance_substeps(20, &Control::default()).unwrap();
    let [_, below] = speeds(&mut processor);
    assert!(below > 0.1, "what is not between walls is felt: {below} m/s");
}
