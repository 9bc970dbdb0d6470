//! Bodies, colliders and runs for tests.

use std::path::Path;

use glam::DVec3;
use tuff_rigid::{Contacts, State, World};
use tuff_scene::{Collider, Friction, Geometry, Keyframe, Motion, Rigid, Shape, Weight};

/// Standard gravity [m/s^2].
pub const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

/// Returns a body at rest, of water's density, with a friction of 0.5.
pub fn body(shape: Shape) -> Rigid {
    Rigid {
        name: "body".to_owned(),
        shape,
        weight: Weight::Density(1000.0),
        velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
        friction: Friction::Coulomb(0.5),
        restitution: 0.0,
        adhesion: 0.0,
        hold: None,
    }
}

/// Returns a cube of this edge around `center` [m].
pub fn cube(center: DVec3, edge: f64) -> Shape {
    Shape::cuboid(center - 0.5 * edge, center + 0.5 * edge)
}

/// Returns a collider at rest with a friction of 10, so that those of bodies decide.
pub fn collider(shape: Shape) -> Collider {
    Collider {
        name: "collider".to_owned(),
        shape,
        inside: false,
        sheet: false,
        thickness: 0.0,
        friction: Friction::Sticky,
        adhesion: 0.0,
        motion: Motion::IDENTITY,
    }
}

/// Returns the half space below y = 0.
pub fn floor() -> Collider {
    collider(Shape::plane(DVec3::ZERO, DVec3::Y))
}

/// Returns a uniform motion along `velocity` [m/s].
pub fn moving(velocity: DVec3) -> Motion {
    let key = |time: f64| Keyframe { time, translate: time * velocity, rotation: glam::DQuat::IDENTITY };
    Motion { pivot: DVec3::ZERO, keyframes: vec![key(0.0), key(100.0)] }
}

/// A world with its states.
pub struct Run {
    pub world: World,
    pub states: Vec<State>,
    pub contacts: Option<Contacts>,
    pub gravity: DVec3,
    pub time: f64,
}

impl Run {
    pub fn new(bodies: &[Rigid], colliders: &[Collider], gravity: DVec3) -> Self {
        let world = World::new(bodies, colliders).unwrap_or_else(|error| panic!("{error}"));
        let states = world.initial();
        Self { world, states, contacts: None, gravity, time: 0.0 }
    }

    pub fn step(&mut self, dt: f64) {
        self.world.step(&mut self.states, &mut self.contacts, self.gravity, self.time, dt);
        self.time += dt;
    }

    /// Steps over `duration` [s]; calls `look` after every step.
    pub fn run(&mut self, duration: f64, dt: f64, mut look: impl FnMut(&Self)) {
        for _ in 0..(duration / dt).round() as u64 {
            self.step(dt);
            look(self);
        }
    }

    /// Returns kinetic and potential energy of all bodies [J].
    pub fn energy(&self) -> f64 {
        let of = |(index, state): (usize, &State)| {
            self.world.kinetic_energy(index, state) + self.world.potential_energy(index, state, self.gravity)
        };
        self.states.iter().enumerate().map(of).sum()
    }
}

/// Returns the shape that a scene reads from an OBJ file.
pub fn mesh(obj: &str) -> Shape {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("mesh.obj"), obj).expect("a writable folder");
    let scene = r#"
format = 1
scene = { name = "test" }
time = { frames = [1, 2] }
solver = { kernel_radius = 0.1 }
material = [{ name = "sand", model = "none", density = 1 }]
body = [{ name = "first", material = "sand", shape = { sphere = { center = [0, 9, 0], radius = 1 } } }]
collider = [{ name = "mesh", side = "both", shape = { mesh = { file = "mesh.obj" } } }]
"#;
    let loaded = tuff_scene::parse(scene, &folder.path().join(Path::new("scene.toml")), &[], &[&model()]);
    let mut scene = loaded.unwrap_or_else(|error| panic!("{error}")).scene;
    scene.colliders.remove(0).shape
}

/// A model without parameters.
fn model() -> tuff_material_sdk::descriptor::Descriptor {
    use tuff_material_sdk::descriptor::{Claims, Descriptor, Variant};
    Descriptor {
        id: "none".to_owned(),
        version: "1".to_owned(),
        author: String::new(),
        help: String::new(),
        reference: String::new(),
        parameters: Vec::new(),
        states: Vec::new(),
        claims: Claims::default(),
        variant: Variant::Principal,
        constant_count: 0,
    }
}

/// Returns an OBJ file of quadrilaterals.
pub fn obj(vertices: &[[f64; 3]], quads: &[[usize; 4]]) -> String {
    let vertices = vertices.iter().map(|[x, y, z]| format!("v {x} {y} {z}\n"));
    let quads = quads.iter().map(|[a, b, c, d]| format!("f {} {} {} {}\n", a + 1, b + 1, c + 1, d + 1));
    vertices.chain(quads).collect()
}

/// Returns a prism over a counterclockwise polygon in x and y, from z = 0 to `depth`, with triangles for its ends.
pub fn prism(polygon: &[[f64; 2]], ends: &[[usize; 3]], depth: f64) -> String {
    let count = polygon.len();
    let vertices: Vec<[f64; 3]> =
        [0.0, depth].into_iter().flat_map(|z| polygon.iter().map(move |&[x, y]| [x, y, z])).collect();
    let sides: Vec<[usize; 4]> = (0..count)
        .map(|i| {
            let j = (i + 1) % count;
            [i, j, count + j, count + i]
        })
        .collect();
    let end = |[a, b, c]: [usize; 3], back: bool| {
        if back {
            format!("f {} {} {}\n", a + 1, c + 1, b + 1)
        } else {
            format!("f {} {} {}\n", count + a + 1, count + b + 1, count + c + 1)
        }
    };
    let ends: String = ends.iter().flat_map(|&t| [end(t, true), end(t, false)]).collect();
    obj(&vertices, &sides) + &ends
}

/// Returns a ball or cylinder about the y axis through `center`.
pub fn upright(geometry: Geometry, center: DVec3) -> Shape {
    Shape::new(geometry, center)
}
