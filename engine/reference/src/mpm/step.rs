//! One explicit step: particles to grid, grid update, grid to particles.

use glam::{DMat3, DVec3};
use tuff_scene::Friction;

use super::grid::{Grid, Stencil};
use super::points::Points;
use crate::context::{Context, Step};
use crate::placed::{Placed, Tracks};
use crate::stages::commit::Refusal;
use crate::tensor::outer;

/// Depth from which on a node counts as inside a collider [node spacings]; less is rounding.
const TOUCH: f64 = 1e-9;

/// Reason why a step is not possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// A particle went wrong.
    Particle(Refusal),
    /// The particles are spread over too many nodes.
    Spread,
}

/// Advances the points by a step. Adds to `impulse` what each collider face receives [N s], shape [face_count]. Returns the
/// number of clamped stretches.
///
/// # Errors
///
/// [`Obstacle`]; the points are then unusable.
pub fn advance(
    context: &Context,
    step: Step,
    points: &mut Points,
    grid: &mut Grid,
    impulse: &mut [DVec3],
) -> Result<u64, Obstacle> {
    if let Some(p) = points.position.iter().position(|x| !x.is_finite()) {
        return Err(Obstacle::Particle(Refusal::NotFinite(p as u32)));
    }
    if !grid.cover(&points.position) {
        return Err(Obstacle::Spread);
    }
    scatter(step.dt, points, grid);
    move_nodes(context, step, grid, impulse);
    gather(step.dt, points, grid);
    let mut clamped = 0;
    for p in 0..points.count() {
        clamped += u64::from(points.deform(context, step.dt, p).map_err(Obstacle::Particle)?);
    }
    Ok(clamped)
}

/// Computes masses and momenta of the nodes, including internal forces over `dt` [s]:
/// `m_i v_i = sum_p w_ip [m_p (v_p + C_p d) - dt (4 / dx^2) V0_p tau_p d]`, `d = x_i - x_p`.
fn scatter(dt: f64, points: &Points, grid: &mut Grid) {
    let dx = grid.dx;
    for p in 0..points.count() {
        let (x, mass) = (points.position[p], points.mass[p]);
        let force = (dt * 4.0 / (dx * dx) * points.rest_volume[p]) * points.kirchhoff[p];
        let affine = mass * points.gradient[p] - force;
        for (node, weight) in Stencil::around(x, dx).nodes() {
            let i = grid.index(node);
            grid.mass[i] += weight * mass;
            grid.velocity[i] += weight * (mass * points.velocity[p] + affine * (dx * node.as_dvec3() - x));
        }
    }
}

/// Computes the velocities of the nodes from their momenta, with gravity and the colliders.
fn move_nodes(context: &Context, step: Step, grid: &mut Grid, impulse: &mut [DVec3]) {
    let placed = Placed::all(context, step, &mut Tracks::default());
    for i in 0..grid.mass.len() {
        let mass = grid.mass[i];
        if mass == 0.0 {
            continue;
        }
        let mut velocity = grid.velocity[i] / mass + step.dt * context.gravity;
        let x = grid.position(i);
        for ((face, placed), received) in
            std::iter::zip(std::iter::zip(&context.faces, &placed), &mut *impulse)
        {
            let surface = placed.surface(&face.surface, x);
            if surface.at_cut || surface.distance - face.surface.thickness > TOUCH * grid.dx {
                continue;
            }
            let bounded = surface.velocity
                + contact_velocity(velocity - surface.velocity, surface.normal, face.surface.friction);
            *received += mass * (velocity - bounded);
            velocity = bounded;
        }
        grid.velocity[i] = velocity;
    }
}

/// Returns the velocity relative to a collider after contact [m/s]: separating matter is unchanged; approaching matter loses its
/// normal velocity and, up to the Coulomb bound, its tangential velocity.
fn contact_velocity(relative: DVec3, normal: DVec3, friction: Friction) -> DVec3 {
    let pressed = -relative.dot(normal);
    if pressed <= 0.0 {
        return relative;
    }
    let slip = relative + pressed * normal;
    match friction {
        Friction::Sticky => DVec3::ZERO,
        Friction::Coulomb(coefficient) => slip - slip.clamp_length_max(coefficient * pressed),
    }
}

/// `v_p = sum w v_i`, `C_p = (4 / dx^2) sum w v_i d^T`, `x_p += dt v_p`.
fn gather(dt: f64, points: &mut Points, grid: &Grid) {
    let dx = grid.dx;
    for p in 0..points.count() {
        let x = points.position[p];
        let (mut velocity, mut moment) = (DVec3::ZERO, DMat3::ZERO);
        for (node, weight) in Stencil::around(x, dx).nodes() {
            let v = weight * grid.velocity[grid.index(node)];
            velocity += v;
            moment += outer(v, dx * node.as_dvec3() - x);
        }
        points.velocity[p] = velocity;
        points.gradient[p] = (4.0 / (dx * dx)) * moment;
        points.position[p] = x + dt * velocity;
    }
}
