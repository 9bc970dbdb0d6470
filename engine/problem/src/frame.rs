//! The particles at one time.

/// The state of all particles at a frame; particle `i` has id `i`.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// Frame number.
    pub index: u32,
    /// Simulated time since the scene's first frame [s].
    pub time: f64,
    /// Positions [m], shape [particle_count].
    pub position: Vec<[f64; 3]>,
    /// Velocities [m/s], shape [particle_count].
    pub velocity: Vec<[f32; 3]>,
    /// Material index, shape [particle_count].
    pub material: Vec<u32>,
    /// Total volume ratio J [dimensionless], shape [particle_count].
    pub volume_ratio: Vec<f32>,
    /// Density [kg/m^3], shape [particle_count].
    pub density: Vec<f32>,
    /// Density of particles `sum V0 W` in parts of that of the body at rest ([`crate::packing`]) [dimensionless], shape
    /// [particle_count]; empty where nobody asked for it.
    pub packing: Vec<f32>,
    /// State words of the particle's material, unused ones 0, shape [particle_count].
    pub state: Vec<[f32; 4]>,
    /// Elastic strain E = b - I as xx yy zz yz xz xy [dimensionless], shape [particle_count].
    pub strain: Vec<[f32; 6]>,
}

impl Frame {
    /// The same time with the particles at these indices alone, in their order.
    pub fn select(&self, indices: &[usize]) -> Self {
        fn pick<T: Copy>(values: &[T], indices: &[usize]) -> Vec<T> {
            indices.iter().map(|&i| values[i]).collect()
        }
        Self {
            index: self.index,
            time: self.time,
            position: pick(&self.position, indices),
            velocity: pick(&self.velocity, indices),
            material: pick(&self.material, indices),
            volume_ratio: pick(&self.volume_ratio, indices),
            density: pick(&self.density, indices),
            packing: if self.packing.is_empty() { Vec::new() } else { pick(&self.packing, indices) },
            state: pick(&self.state, indices),
            strain: pick(&self.strain, indices),
        }
    }
}
