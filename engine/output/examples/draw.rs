//! tmp
#![allow(missing_docs)]
use glam::*;
use tuff_output::*;
use tuff_problem::Frame;
use tuff_scene::*;
fn main() {
    let n: usize = std::env::args().nth(1).map_or(54000, |a| a.parse().unwrap());
    let kind = std::env::args().nth(2).unwrap_or("column".into());
    let s = (0.002 / n as f64).cbrt();
    let mut parts = Particles::default();
    let mut x = -0.05 + s / 2.0;
    while x < 0.05 {
        let mut y = s / 2.0;
        while y < 0.2 {
            let mut z = -0.05 + s / 2.0;
            while z < 0.05 {
                parts.position.push(DVec3::new(x, y, z));
                parts.body.push(0);
                parts.material.push(u32::from(y > 0.1));
                parts.rest_volume.push(s * s * s);
                z += s;
            }
            y += s;
        }
        x += s;
    }
    let n = parts.position.len();
    let f = |name: &str, shape: Shape, inside| Collider { name: name.into(), shape, inside, friction: Friction::Coulomb(0.5), motion: Motion::IDENTITY };
    let mut colliders = vec![f("floor", Shape::plane(DVec3::ZERO, DVec3::Y), false)];
    if kind == "glass" {
        let p = [[0.0, 0.004], [0.062, 0.004], [0.072, 0.020], [0.072, 0.075], [0.060, 0.100], [0.020, 0.140], [0.016, 0.150],
    [0.020, 0.160], [0.066, 0.205], [0.072, 0.225], [0.072, 0.280], [0.062, 0.296], [0.0, 0.296]];
        let g = Geometry::Revolve { profile: p.iter().map(|q| DVec2::new(q[0], q[1] - 0.15)).collect() };
        colliders.push(f("glass", Shape::along(g, DVec3::ZERO, 0.3 * DVec3::Y), true));
        colliders.push(f("ball", Shape::sphere(DVec3::new(0.15, 0.03, 0.0), 0.03), false));
        colliders.push(f("box", Shape::cuboid(DVec3::new(-0.2, 0.0, 0.0), DVec3::new(-0.15, 0.06, 0.07)), false));
    }
    let scene = Scene {
        name: "t".into(), file: "t".into(), up: Up::Y, gravity: -9.81 * DVec3::Y,
        time: Time { frame_rate: 24.0, first_frame: 1, last_frame: 2, max_substep: 1e-3 },
        solver: SolverSettings { kernel_radius: s, iterations: 1, scheme: Scheme::GaussSeidel, plasticity: Plasticity::Implicit, gradient: Gradient::Kirchhoff, multiplier: Multiplier::Scalar, kernel_correction: true, residual_tolerance: 0.0, smoothing: Smoothing::Xsph(0.0), stabilization: 2.0, position_correction: PositionCorrection::None },
        materials: vec![], bodies: vec![], colliders, pins: vec![],
        output: Output { ply: true, attributes: vec![], preview: None }, source: Source::default(),
    };
    let preview = Preview { width: 960, height: 540, camera: None, color_by: if kind == "speed" { Some(FrameAttribute::Velocity) } else { None } };
    let t = std::time::Instant::now();
    let mut r = Renderer::new(&scene, &preview, &parts, &[]).unwrap();
    println!("new {:?}", t.elapsed());
    // heap: deform the column into a cone-like pile
    let heap = std::env::args().nth(3).is_some();
    let position: Vec<[f64; 3]> = parts.position.iter().map(|p| {
        if !heap { return p.to_array(); }
        let a = p.y / 0.2;
        let k = 2.6 * (1.0 - 0.85 * a) * (1.0 + 0.1 * (40.0 * p.x).sin());
        [p.x * k, p.y * 0.32 * (1.0 - 0.5 * (p.x.hypot(p.z) / 0.07).min(1.0)), p.z * k]
    }).collect();
    let frame = Frame { index: 1, time: 0.0, velocity: position.iter().map(|p| [p[1] as f32 * 10.0, 0.0, 0.0]).collect(), position, material: parts.material.clone(), volume_ratio: vec![1.0; n], density: vec![1.0; n], state: vec![[0.0; 4]; n], strain: vec![[0.0; 6]; n] };
    for _ in 0..3 {
        let t = std::time::Instant::now();
        let p = r.render(&frame);
        println!("{n} render {:?}", t.elapsed());
        let dir = std::path::Path::new("/tmp/tuffpic");
        let folder = OutputFolder::inspect(dir, &kind, true).unwrap();
        folder.create().unwrap();
        let t = std::time::Instant::now();
        folder.write_preview(1, &p).unwrap();
        println!("png {:?}", t.elapsed());
    }
}
