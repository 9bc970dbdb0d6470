//! Examines the neighborhood in which a simulation failed, with the stages of the reference.

use glam::{DMat3, DQuat, DVec3};
use tuff_problem::{Evidence, Examination, Frame, Problem, RigidState, Surroundings};
use tuff_rigid::State as Body;
use tuff_scene::{Motion, Pose, contact_radius};

use crate::context::{Context, Step};
use crate::placed::Placed;
use crate::stages::bin::bin;
use crate::stages::correct_kernel::correct_kernel;
use crate::stages::find_neighbors::find_neighbors;
use crate::stages::predict_velocity::predict_velocity;
use crate::stages::sort::sort;
use crate::state::{NO_PIN, Particle, State};
use crate::symmetric::eigen;
use crate::tensor::from_voigt;

/// Examines the first bad particle and its neighborhood at the start of the failed substep.
pub fn examine(problem: &Problem, evidence: &Evidence) -> Examination {
    let context = Context::new(problem);
    let step = Step { time: evidence.time, dt: evidence.dt };
    let id = evidence.origin.particle;
    let Surroundings { id: ids, frame } = &evidence.surroundings;
    let row = ids.iter().position(|&other| other == id).unwrap_or_default();
    let mut state = rebuilt(problem, &context, &evidence.surroundings);
    state.placed = Placed::all(&context, step, &mut state.tracks);
    let rigid = rigid_poses(problem, frame, step);
    for (face, placed) in std::iter::zip(&context.faces, &mut state.placed) {
        if let Some(&[start, end]) = face.rigid.and_then(|body| rigid.get(body)) {
            *placed = Placed::between(start, end, step.dt);
        }
    }
    bin(&context, &mut state);
    sort(&context, &mut state);
    find_neighbors(&context, &mut state);
    correct_kernel(&context, &mut state);
    predict_velocity(&context, step, &mut state);

    let p = state.index_of_id()[row];
    let (position, velocity) = (state.position[p], state.start_velocity[p]);
    let distance = |b: usize| (state.position[b] - position).length() / context.radius();
    let neighbors = state.neighbors(p).map(|pair| pair.index);
    let nearest = neighbors.min_by(|&a, &b| distance(a).total_cmp(&distance(b)));
    let radius = contact_radius(state.rest_volume[p]);
    let mut colliders = frame.obstacles(&problem.scene, step.end());
    for (body, [_, end]) in std::iter::zip(&mut colliders[problem.scene.colliders.len()..], &rigid) {
        body.motion = Motion::resting(*end);
    }
    let gap = |collider: usize| colliders[collider].distance(step.end(), position) - radius;
    let nearest_collider = (0..colliders.len()).min_by(|&a, &b| gap(a).total_cmp(&gap(b)));
    let contacts = &state.contacts[p];
    let mut touched: Vec<usize> =
        contacts.face[..contacts.count].iter().map(|&f| context.faces[f as usize].collider).collect();
    touched.dedup();
    Examination {
        material: state.material[p],
        body: state.body[p],
        pinned: state.pin[p] != NO_PIN,
        position: position.to_array(),
        velocity: velocity.to_array(),
        travel: evidence.travel(context.radius()).unwrap_or_default(),
        stretches: stretches(from_voigt(frame.strain[row].map(f64::from))),
        volume_ratio: state.volume_ratio[p],
        state: frame.state[row],
        neighbors: state.neighbors(p).len(),
        nearest: nearest.map(|b| (ids[state.id[b] as usize], distance(b))),
        rank: state.moments[p].rank,
        collider: nearest_collider.map(|collider| (collider, gap(collider))),
        contacts: touched,
    }
}

/// Returns the poses of the rigid bodies at both ends of a substep that begins with this frame, as if nothing touched them.
fn rigid_poses(problem: &Problem, frame: &Frame, step: Step) -> Vec<[Pose; 2]> {
    let world = &problem.rigid;
    let state = |(body, state): (usize, &RigidState)| {
        let rotation = DQuat::from_array(state.rotation);
        Body {
            position: DVec3::from_array(state.center),
            rotation,
            velocity: DVec3::from_array(state.velocity),
            angular_momentum: world.inertia_of(body, rotation) * DVec3::from_array(state.angular_velocity),
        }
    };
    let states: Vec<Body> = frame.rigid.iter().enumerate().map(state).collect();
    let twists = world.predict(&states, problem.scene.gravity, step.dt);
    let ends =
        |(body, (state, twist))| [world.pose(body, state), world.pose_after(body, state, twist, step.dt)];
    std::iter::zip(&states, twists).enumerate().map(ends).collect()
}

/// Returns the principal stretches of an elastic strain, ascending; NaN if it is not finite.
fn stretches(strain: DMat3) -> [f64; 3] {
    if !strain.is_finite() {
        return [f64::NAN; 3];
    }
    let mut stretches = eigen(strain).0.to_array().map(|w| (1.0 + w).max(0.0).sqrt());
    stretches.sort_by(f64::total_cmp);
    stretches
}

/// Rebuilds the surroundings as a state of their own, whose ids are indices into the surroundings.
fn rebuilt(problem: &Problem, context: &Context, surroundings: &Surroundings) -> State {
    let frame = &surroundings.frame;
    let mut state = State { face_impulse: vec![DVec3::ZERO; context.faces.len()], ..State::default() };
    for (row, id) in surroundings.id.iter().map(|&id| id as usize).enumerate() {
        state.push(
            context,
            Particle {
                position: DVec3::from(frame.position[row]),
                velocity: DVec3::from(frame.velocity[row].map(f64::from)),
                mass: problem.mass[id],
                rest_volume: problem.particles.rest_volume[id],
                material: frame.material[row],
                body: problem.particles.body[id],
                pin: problem.particles.pin[id],
            },
        );
        state.anchor[row] = problem.particles.position[id];
        state.volume_ratio[row] = f64::from(frame.volume_ratio[row]);
        let strain = from_voigt(frame.strain[row].map(f64::from));
        state.strain[row] = if strain.is_finite() { strain } else { DMat3::ZERO };
    }
    state
}
