//! State of the particles at one time.

use tuff_rigid::RigidState;
use tuff_scene::{Collider, FrameAttribute, Motion, Scene};

/// The state of all particles at a frame, ordered by id.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Frame {
    /// Frame number.
    pub index: u32,
    /// Simulated time since the scene's first frame [s].
    pub time: f64,
    /// Ids, ascending, shape [particle_count]; empty if they are the indices.
    pub id: Vec<u32>,
    /// Rest volumes [m^3], shape [particle_count].
    pub rest_volume: Vec<f32>,
    /// Positions [m], shape [particle_count].
    pub position: Vec<[f64; 3]>,
    /// Velocities [m/s], shape [particle_count].
    pub velocity: Vec<[f32; 3]>,
    /// Material index, shape [particle_count].
    pub material: Vec<u32>,
    /// Body index, shape [particle_count].
    pub body: Vec<u32>,
    /// Total volume ratio J [dimensionless], shape [particle_count].
    pub volume_ratio: Vec<f32>,
    /// Density [kg/m^3], shape [particle_count].
    pub density: Vec<f32>,
    /// Density of particles `sum V0 W` relative to their body at rest ([`crate::packing`]) [dimensionless], shape
    /// [particle_count]; empty unless requested.
    pub packing: Vec<f32>,
    /// State words of the particle's material, unused ones 0, shape [particle_count].
    pub state: Vec<[f32; 4]>,
    /// Elastic strain E = b - I as xx yy zz yz xz xy [dimensionless], shape [particle_count].
    pub strain: Vec<[f32; 6]>,
    /// Second elastic strain E_N of models of the tensor variant, ordered as `strain`, shape [particle_count]; empty unless
    /// requested.
    pub branch: Vec<[f32; 6]>,
    /// Deformation gradient F row by row [dimensionless], shape [particle_count]; empty unless requested.
    pub deformation: Vec<[f32; 9]>,
    /// Cauchy stress as xx yy zz yz xz xy [Pa], shape [particle_count]; empty unless requested.
    pub stress: Vec<[f32; 6]>,
    /// Pressure [Pa], shape [particle_count]; empty unless requested.
    pub pressure: Vec<f32>,
    /// Von Mises stress [Pa], shape [particle_count]; empty unless requested.
    pub von_mises: Vec<f32>,
    /// Rigid bodies in the order of the scene, shape [rigid_count].
    pub rigid: Vec<RigidState>,
    /// Triangles of cloth that have torn, numbered in the order of bodies.
    pub torn: Vec<u32>,
}

impl Frame {
    /// Returns what matter meets at a time [s], in the order of [`Scene::obstacles`]: colliders with the shapes that they have then, and
    /// rigid bodies where this frame has them.
    pub fn obstacles(&self, scene: &Scene, time: f64) -> Vec<Collider> {
        let mut obstacles: Vec<Collider> = scene.obstacles();
        for collider in obstacles.iter_mut().filter(|collider| collider.deformation().is_some()) {
            *collider = collider.shaped(time).into_owned();
        }
        for (body, state) in std::iter::zip(&mut obstacles[scene.colliders.len()..], &self.rigid) {
            body.motion = Motion::resting(state.pose());
        }
        obstacles
    }

    /// Returns the id of the particle with this index.
    pub fn id(&self, index: usize) -> u32 {
        self.id.get(index).copied().unwrap_or(index as u32)
    }

    /// Returns the frame with only the particles at these indices, in their order.
    pub fn select(&self, indices: &[usize]) -> Self {
        /// Leaves an empty array empty.
        fn pick<T: Copy>(values: &[T], indices: &[usize]) -> Vec<T> {
            if values.is_empty() { Vec::new() } else { indices.iter().map(|&i| values[i]).collect() }
        }
        Self {
            index: self.index,
            time: self.time,
            id: pick(&self.id, indices),
            rest_volume: pick(&self.rest_volume, indices),
            position: pick(&self.position, indices),
            velocity: pick(&self.velocity, indices),
            material: pick(&self.material, indices),
            volume_ratio: pick(&self.volume_ratio, indices),
            density: pick(&self.density, indices),
            packing: pick(&self.packing, indices),
            state: pick(&self.state, indices),
            strain: pick(&self.strain, indices),
            body: pick(&self.body, indices),
            branch: pick(&self.branch, indices),
            deformation: pick(&self.deformation, indices),
            stress: pick(&self.stress, indices),
            pressure: pick(&self.pressure, indices),
            von_mises: pick(&self.von_mises, indices),
            rigid: self.rigid.clone(),
            torn: self.torn.clone(),
        }
    }
}

/// Optional parts of a frame, filled only on request because they cost memory or time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OptionalFields {
    /// Deformation gradients.
    pub deformation: bool,
    /// Stress, pressure or von Mises stress.
    pub stress: bool,
}

impl OptionalFields {
    /// Returns the parts that a scene's output shows.
    pub fn of(scene: &Scene) -> Self {
        let shows = |attribute| scene.output.shows(&attribute);
        Self {
            deformation: shows(FrameAttribute::Deformation),
            stress: shows(FrameAttribute::Stress)
                || shows(FrameAttribute::Pressure)
                || shows(FrameAttribute::VonMises),
        }
    }
}
