//! Small clouds of particles.

use std::sync::Arc;

use glam::{DMat3, DVec3};
use tuff_scene::{
    Given, Gradient, Matter, Multiplier, Plasticity, PositionCorrection, Scheme, Smoothing, SolverSettings,
};

use super::laws::{Hencky, moduli};
use tuff_reference::context::{Context, Material, Step};
use tuff_reference::law::Law;
use tuff_reference::state::{NO_PIN, Particle, State};
use tuff_reference::substep::prepare;

/// Density of test matter [kg/m^3].
pub const DENSITY: f64 = 1000.0;

/// A small deterministic generator of numbers in [-1, 1).
pub struct Noise(u64);

impl Noise {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn number(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub fn vector(&mut self) -> DVec3 {
        DVec3::new(self.number(), self.number(), self.number())
    }

    pub fn matrix(&mut self) -> DMat3 {
        DMat3::from_cols(self.vector(), self.vector(), self.vector())
    }
}

/// The published method with the memory, but without smoothing and position correction.
pub fn settings(kernel_radius: f64) -> SolverSettings {
    SolverSettings {
        kernel_radius,
        matter: Matter::Continuum,
        iterations: 10,
        scheme: Scheme::GaussSeidel,
        plasticity: Plasticity::Implicit,
        gradient: Gradient::Kirchhoff,
        multiplier: Multiplier::Scalar,
        kernel_correction: true,
        residual_tolerance: 0.0,
        smoothing: Smoothing::Xsph(0.0),
        stabilization: 2.0,
        position_correction: PositionCorrection::None,
        given: Given::default(),
    }
}

/// One material, no boundaries, no gravity.
pub fn context(law: impl Law + 'static, constants: Vec<f64>, settings: SolverSettings) -> Context {
    Context {
        gravity: DVec3::ZERO,
        settings,
        materials: vec![Material { law: Arc::new(law), constants }],
        faces: Vec::new(),
        pieces: false,
        walls: false,
        pins: Vec::new(),
        links: Arc::default(),
        sheets: Arc::default(),
        mixtures: Arc::default(),
        tension: Arc::default(),
        classes: tuff_problem::Classes::default(),
        density_limits: Vec::new(),
        packing_limits: vec![f64::INFINITY],
        rest_sums: vec![1.0],
        total: Arc::default(),
        contrast: Arc::default(),
    }
}

/// Hencky elasticity with E = 1e5 Pa, nu = 0.3.
pub fn elastic(settings: SolverSettings) -> Context {
    context(Hencky, moduli(1e5, 0.3), settings)
}

/// Particles at rest with the volume of a lattice cell each.
pub fn state(context: &Context, positions: &[DVec3], spacing: f64) -> State {
    let mut state = State { face_impulse: vec![DVec3::ZERO; context.faces.len()], ..State::default() };
    for &position in positions {
        state.push(context, particle(position, spacing));
    }
    state
}

pub fn particle(position: DVec3, spacing: f64) -> Particle {
    let rest_volume = spacing.powi(3);
    Particle {
        position,
        velocity: DVec3::ZERO,
        mass: DENSITY * rest_volume,
        rest_volume,
        material: 0,
        body: 0,
        pin: NO_PIN,
    }
}

/// `n^3` lattice points about the origin, displaced by up to `jitter` spacings.
pub fn block(n: [usize; 3], spacing: f64, jitter: f64, seed: u64) -> Vec<DVec3> {
    let mut noise = Noise::new(seed);
    let mut positions = Vec::new();
    for x in 0..n[0] {
        for y in 0..n[1] {
            for z in 0..n[2] {
                let lattice = DVec3::new(x as f64, y as f64, z as f64);
                positions.push(spacing * (lattice + jitter * noise.vector()));
            }
        }
    }
    positions
}

/// A block of 4^3 jittered particles of unequal masses in two strained states, with random velocities, before the first
/// iteration. The velocities strain by a few percent per step.
pub fn stirred(context: &Context, step: Step, seed: u64) -> State {
    let mut noise = Noise::new(seed);
    let spacing = context.radius();
    let mut state = state(context, &block([4; 3], spacing, 0.2, seed), spacing);
    for p in 0..state.particle_count() {
        let m = noise.matrix();
        state.strain[p] = 0.01 * (m + m.transpose());
        state.memory[p] = 0.01 * spacing * noise.vector();
        state.velocity[p] = 0.03 * spacing / step.dt * noise.vector();
        state.mass[p] *= 1.0 + 0.5 * noise.number();
        state.inverse_mass[p] = 1.0 / state.mass[p];
    }
    prepare(context, step, &mut state);
    state
}

/// Total momentum [N s].
pub fn momentum(state: &State) -> DVec3 {
    std::iter::zip(&state.mass, &state.velocity).map(|(m, v)| *m * *v).sum()
}
