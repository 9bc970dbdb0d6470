//! Rigid bodies in the solve of the matter (engine/solver/METHOD.md "Rigid bodies").
//!
//! A body is a collider whose motion over the substep is found together with the velocities: whenever the contacts have acted on the
//! particles, the bodies respond to what the contacts carry.

use std::sync::Arc;

use glam::{DMat3, DVec3};
use tuff_problem::RigidState;
use tuff_rigid::{
    Contacts, Matrix6, State as Body, Target, Twist, World, Wrench, add_resistance, impulse, response,
};
use tuff_scene::{Motion, Pose};

use crate::context::{Context, Step};
use crate::placed::Placed;
use crate::scalar::Scalar;
use crate::state::State;
use crate::tensor::outer;

/// Fraction of its Coulomb bound above which the friction of a contact counts as slipping.
const SLIPPING: f64 = 0.99;

/// Rigid bodies of a run.
#[derive(Debug, Clone)]
pub struct Bodies {
    world: Arc<World>,
    /// States between substeps, shape [body_count].
    states: Vec<Body>,
    /// Twists that the present solve has found.
    pub twists: Vec<Twist>,
    /// Twists without contacts.
    free: Vec<Twist>,
    /// Matrices from twists to momenta at the start of the substep.
    mass: Vec<Matrix6>,
    /// Contacts of the bodies with each other and with colliders, and their joints.
    pub contacts: Option<Contacts>,
    /// Those of the last substep that counted.
    before: Option<Contacts>,
    /// Contacts with matter: particle, slot and body.
    touching: Vec<(u32, u8, u16)>,
    /// Rate of change of the twists by contacts in the last substep [m/s^2, rad/s^2].
    rate: Vec<Twist>,
    /// Impulses received from matter since the frame began.
    received: Vec<Wrench>,
}

/// Imbalance of the bodies.
#[derive(Debug, Clone, Default)]
pub struct Imbalance {
    /// Impulses missing on each body.
    pub missing: Vec<Wrench>,
    /// Norm of the largest relative to what acts on its body [dimensionless].
    pub relative: f64,
}

impl Default for Bodies {
    fn default() -> Self {
        Self::new(Arc::new(World::default()))
    }
}

impl Bodies {
    /// Creates the bodies at their start.
    pub fn new(world: Arc<World>) -> Self {
        let count = world.len();
        Self {
            states: world.initial(),
            twists: vec![Twist::ZERO; count],
            free: vec![Twist::ZERO; count],
            mass: Vec::new(),
            contacts: None,
            before: None,
            touching: Vec::new(),
            rate: vec![Twist::ZERO; count],
            received: vec![Wrench::ZERO; count],
            world,
        }
    }

    /// Replaces the motion of a collider that the bodies can touch.
    pub fn set_motion(&mut self, collider: usize, motion: &Motion) {
        if !self.is_empty() {
            Arc::make_mut(&mut self.world).set_motion(collider, motion);
        }
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// Starts a frame.
    pub fn begin_frame(&mut self) {
        self.contacts = None;
        self.received.fill(Wrench::ZERO);
    }

    /// Returns to the contacts before a substep that does not count.
    pub fn refuse(&mut self) {
        self.contacts = self.before.take();
    }

    /// Returns kinetic and potential energy of all bodies [J].
    pub fn energies(&self, gravity: DVec3) -> [f64; 2] {
        let all = self.states.iter().enumerate();
        all.fold([0.0; 2], |[kinetic, potential], (b, state)| {
            [
                kinetic + self.world.kinetic_energy(b, state),
                potential + self.world.potential_energy(b, state, gravity),
            ]
        })
    }

    /// Returns the highest speed of a point of a body, at most [m/s].
    pub fn max_speed(&self) -> f64 {
        let all = self.states.iter().enumerate();
        all.map(|(b, state)| self.world.max_speed(b, state)).fold(0.0, f64::max)
    }

    /// Returns the number of bodies in reach of matter of which a point would have moved faster than `speed` [m/s] if nothing had touched
    /// it in the substep.
    pub fn count_fast(&self, speed: f64) -> u64 {
        let fast = |(b, twist): (usize, &Twist)| {
            let turning = twist.angular.length() * self.world.radius(b);
            self.touches(b) && twist.linear.length() + turning > speed
        };
        self.free.iter().enumerate().filter(|&one| fast(one)).count() as u64
    }

    /// Returns true if matter is in reach of a body.
    fn touches(&self, body: usize) -> bool {
        self.touching.iter().any(|&(.., b)| usize::from(b) == body)
    }

    /// Returns the bodies as frames show them.
    pub fn shown(&self) -> Vec<RigidState> {
        let shown = |(b, state): (usize, &Body)| {
            let Pose { rotation, translation } = self.world.pose(b, state);
            RigidState {
                center: state.position.to_array(),
                translation: translation.to_array(),
                rotation: rotation.to_array(),
                velocity: state.velocity.to_array(),
                angular_velocity: self.world.angular_velocity(b, state).to_array(),
                impulse: self.received[b].linear.to_array(),
            }
        };
        self.states.iter().enumerate().map(shown).collect()
    }

    /// Returns the numbers that later substeps depend on, 19 per body.
    pub fn saved(&self) -> Vec<f64> {
        let of = |(state, rate): (&Body, &Twist)| {
            let vectors = [state.position, state.velocity, state.angular_momentum, rate.linear, rate.angular];
            let mut numbers: Vec<f64> = vectors.iter().flat_map(|v| v.to_array()).collect();
            numbers.extend(state.rotation.to_array());
            numbers
        };
        std::iter::zip(&self.states, &self.rate).flat_map(of).collect()
    }

    /// Number of saved numbers per body.
    pub const SAVED: usize = 19;

    /// Restores what was [saved](Self::saved).
    pub fn restore(&mut self, saved: &[f64]) {
        for ((state, rate), n) in
            std::iter::zip(std::iter::zip(&mut self.states, &mut self.rate), saved.chunks_exact(Self::SAVED))
        {
            let vector = |k: usize| DVec3::new(n[3 * k], n[3 * k + 1], n[3 * k + 2]);
            [state.position, state.velocity, state.angular_momentum] = [0, 1, 2].map(vector);
            [rate.linear, rate.angular] = [3, 4].map(vector);
            state.rotation = glam::DQuat::from_xyzw(n[15], n[16], n[17], n[18]);
        }
        self.contacts = None;
    }

    /// Returns the number of bodies.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    fn place(&self, b: usize, dt: f64) -> [Pose; 2] {
        let state = &self.states[b];
        [self.world.pose(b, state), self.world.pose_after(b, state, self.twists[b], dt)]
    }
}

/// Places the bodies for a substep, as they would move without contacts, and finds the contacts among them.
pub fn place<S: Scalar>(context: &Context, step: Step, state: &mut State<S>) {
    let bodies = &mut state.rigid;
    if bodies.is_empty() {
        return;
    }
    bodies.free = bodies.world.predict(&bodies.states, context.gravity, step.dt);
    bodies.twists.clone_from(&bodies.free);
    bodies.mass = (0..bodies.len()).map(|b| bodies.world.mass_matrix(b, &bodies.states[b])).collect();
    bodies.before = bodies.contacts.take();
    let before = bodies.before.as_ref();
    bodies.contacts = Some(bodies.world.touch(&bodies.states, &bodies.free, step.time, step.dt, before));
    follow(context, step, state);
}

/// Moves the faces of the bodies to where their twists bring them.
pub fn follow<S: Scalar>(context: &Context, step: Step, state: &mut State<S>) {
    for (face, placed) in std::iter::zip(&context.faces, &mut state.placed) {
        if let Some(b) = face.rigid {
            let [start, end] = state.rigid.place(b, step.dt);
            *placed = Placed::between(start, end, step.dt);
        }
    }
}

/// Lists which particles may touch bodies.
pub fn list_contacts<S: Scalar>(context: &Context, state: &mut State<S>) {
    state.rigid.touching.clear();
    if state.rigid.is_empty() {
        return;
    }
    for (p, contacts) in state.contacts.iter().enumerate() {
        for slot in 0..contacts.count {
            if let Some(b) = context.faces[contacts.face[slot] as usize].rigid {
                state.rigid.touching.push((p as u32, slot as u8, b as u16));
            }
        }
    }
}

/// Sets the twists of the guess: those without contacts, changed by what contacts did in the last substep.
pub fn guess<S: Scalar>(context: &Context, step: Step, state: &mut State<S>) {
    if state.rigid.is_empty() {
        return;
    }
    let bodies = &mut state.rigid;
    bodies.twists = std::iter::zip(&bodies.free, &bodies.rate)
        .map(|(free, rate)| Twist {
            linear: free.linear + step.dt * rate.linear,
            angular: free.angular + step.dt * rate.angular,
        })
        .collect();
    follow(context, step, state);
}

/// Sets the twists without contacts.
pub fn predict<S: Scalar>(context: &Context, step: Step, state: &mut State<S>) {
    if !state.rigid.is_empty() {
        state.rigid.twists.clone_from(&state.rigid.free);
        follow(context, step, state);
    }
}

/// Returns the impulses of matter on each body.
pub fn from_matter<S: Scalar>(state: &State<S>) -> Vec<Wrench> {
    let bodies = &state.rigid;
    let mut sums = vec![Wrench::ZERO; bodies.len()];
    for &(p, slot, b) in &bodies.touching {
        let (p, b) = (p as usize, usize::from(b));
        let impulse = -state.mass[p] * state.contacts[p].change[usize::from(slot)];
        sums[b].add(impulse, state.position[p] - bodies.states[b].position);
    }
    sums
}

/// Returns the impulses that are missing for the twists found: those of matter and contacts, less the change of momentum.
pub fn imbalance<S: Scalar>(context: &Context, step: Step, state: &State<S>) -> Imbalance {
    let bodies = &state.rigid;
    if bodies.is_empty() {
        return Imbalance::default();
    }
    let mut acting = from_matter(state);
    if let Some(contacts) = &bodies.contacts {
        for (sum, wrench) in std::iter::zip(&mut acting, bodies.world.impulses(contacts)) {
            *sum = *sum + wrench;
        }
    }
    let mut load = vec![0.0; bodies.len()];
    for &(p, slot, b) in &bodies.touching {
        let p = p as usize;
        load[usize::from(b)] += state.mass[p] * state.contacts[p].change[usize::from(slot)].length();
    }
    let mut relative = 0.0_f64;
    let missing = (0..bodies.len())
        .map(|b| {
            let change = impulse(&bodies.mass[b], difference(bodies.twists[b], bodies.free[b]));
            let missing = Wrench {
                linear: acting[b].linear - change.linear,
                angular: acting[b].angular - change.angular,
            };
            let weight = bodies.world.mass(b) * context.gravity.length() * step.dt;
            let radius = bodies.world.radius(b);
            let size_of = |wrench: Wrench| wrench.linear.length().max(wrench.angular.length() / radius);
            let scale = weight.max(load[b]).max(size_of(acting[b])).max(f64::MIN_POSITIVE);
            let share = size_of(missing) / scale;
            // A share that is not a number must not pass for balance.
            if share.is_nan() || share > relative {
                relative = share;
            }
            missing
        })
        .collect();
    Imbalance { missing, relative }
}

fn difference(a: Twist, b: Twist) -> Twist {
    Twist { linear: a.linear - b.linear, angular: a.angular - b.angular }
}

/// Lets the bodies respond to what their contacts carry. `resistance`: how much a particle resists a change of its velocity at once [kg],
/// shape [particle_count]; its mass if `None`.
pub fn respond<S: Scalar>(context: &Context, step: Step, state: &mut State<S>, resistance: Option<&[f64]>) {
    if state.rigid.is_empty() {
        return;
    }
    let mut matrices = state.rigid.mass.clone();
    let seen = 0.5 * context.radius();
    for &(p, slot, b) in &state.rigid.touching {
        let (p, slot, b) = (p as usize, usize::from(slot), usize::from(b));
        let (change, pull) = (state.contacts[p].change[slot], state.contacts[p].pull[slot]);
        let face = state.contacts[p].face[slot] as usize;
        let collider = &context.faces[face].surface;
        let n = state.placed[face].surface_ahead(collider, state.position[p], state.velocity[p], seen).normal;
        let pressed = change.dot(n);
        if pressed <= -pull || change == DVec3::ZERO {
            continue;
        }
        let bound = collider.friction.coefficient() * (pressed + pull);
        let sticks = (change - pressed * n).length() < SLIPPING * bound;
        let directions = if sticks { DMat3::IDENTITY } else { outer(n, n) };
        let size = resistance.map_or(state.mass[p], |resistance| resistance[p].max(state.mass[p]));
        add_resistance(
            &mut matrices[b],
            size * directions,
            state.position[p] - state.rigid.states[b].position,
        );
    }
    let pushed = from_matter(state);
    let bodies = &mut state.rigid;
    let targets: Vec<Target> = (0..bodies.len())
        .map(|b| {
            let lag = impulse(&bodies.mass[b], difference(bodies.free[b], bodies.twists[b]));
            let step = response(&matrices[b], pushed[b] + lag);
            let twist = Twist {
                linear: bodies.twists[b].linear + step.linear,
                angular: bodies.twists[b].angular + step.angular,
            };
            Target { matrix: matrices[b], twist }
        })
        .collect();
    if let Some(contacts) = &mut bodies.contacts {
        bodies.twists = bodies.world.solve(contacts, &targets, step.dt);
    }
    follow(context, step, state);
}

/// Ends the substep, in which `matter` gave these impulses to the bodies: moves the bodies and changes their momenta by exactly what contacts took from the matter and from each other.
pub fn commit<S: Scalar>(context: &Context, step: Step, state: &mut State<S>, matter: &[Wrench]) {
    if state.rigid.is_empty() {
        return;
    }
    let bodies = &mut state.rigid;
    let Some(contacts) = &bodies.contacts else { return };
    let targets: Vec<Target> = std::iter::zip(&bodies.mass, &bodies.twists)
        .map(|(&matrix, &twist)| Target { matrix, twist })
        .collect();
    let displacements = bodies.world.displacements(contacts, &targets);
    let wrenches: Vec<Wrench> =
        std::iter::zip(matter, bodies.world.impulses(contacts)).map(|(&a, b)| a + b).collect();
    for (b, wrench) in wrenches.iter().enumerate() {
        let change = response(&bodies.mass[b], *wrench);
        bodies.rate[b] = Twist { linear: change.linear / step.dt, angular: change.angular / step.dt };
        bodies.received[b] = bodies.received[b] + matter[b];
    }
    let world = Arc::clone(&bodies.world);
    world.commit(&mut bodies.states, &bodies.twists, &wrenches, context.gravity, step.dt, &displacements);
}
