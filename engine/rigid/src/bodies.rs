//! Bodies in the solve of matter that presses on them (engine/solver/METHOD.md "Rigid bodies").
//!
//! A solver of matter calls [`Bodies::begin`] once per substep, [`Bodies::respond`] whenever contacts have acted on the matter, and
//! [`Bodies::commit`] or [`Bodies::refuse`] at the end. Between these calls it sees the bodies as colliders with the poses that
//! [`Bodies::poses`] returns.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use tuff_scene::{Motion, Pose};

use crate::contacts::Contacts;
use crate::coupling::{impulse, response};
use crate::matrix::Matrix6;
use crate::solve::Target;
use crate::twist::{State, Twist, Wrench};
use crate::world::World;

/// What matter does to a body at the velocities of a solve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Load {
    /// Impulses on the body, about its center at the start of the substep.
    pub wrench: Wrench,
    /// Sum of the sizes of these impulses [N s].
    pub size: f64,
    /// Impulse that the matter needs for a change of the body's twist.
    pub resistance: Matrix6,
    /// Number of contacts in reach.
    pub contacts: u32,
}

impl Load {
    /// No matter.
    pub const NONE: Self = Self { wrench: Wrench::ZERO, size: 0.0, resistance: [[0.0; 6]; 6], contacts: 0 };
}

/// A body as frames show it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RigidState {
    /// Center of mass [m].
    pub center: [f64; 3],
    /// Translation that follows the rotation of the body from where it starts, about the scene's origin [m].
    pub translation: [f64; 3],
    /// This rotation as a quaternion x, y, z, w.
    pub rotation: [f64; 4],
    /// Velocity of the center of mass [m/s].
    pub velocity: [f64; 3],
    /// Angular velocity [rad/s].
    pub angular_velocity: [f64; 3],
    /// Impulse received from matter over the frame [N s].
    pub impulse: [f64; 3],
}

impl RigidState {
    /// Returns the placement that takes the body from where it starts to where it is.
    pub fn pose(&self) -> Pose {
        Pose { rotation: DQuat::from_array(self.rotation), translation: DVec3::from_array(self.translation) }
    }
}

/// What a solve may return to.
#[derive(Debug, Clone)]
pub struct Trial {
    twists: Vec<Twist>,
    contacts: Option<Contacts>,
}

/// What a body receives without matter, for solvers that judge its balance themselves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Balance {
    /// Impulses of contacts with colliders and other bodies, and of joints.
    pub contacts: Wrench,
    /// These, less the change of momentum that the twist asks for: what matter must cancel.
    pub missing: Wrench,
    /// Impulse of the weight over the substep [N s].
    pub weight: f64,
    /// Radius that relates moments to impulses [m].
    pub radius: f64,
}

/// Rigid bodies of a run.
#[derive(Debug, Clone)]
pub struct Bodies {
    world: Arc<World>,
    /// States between substeps, shape [body_count].
    states: Vec<State>,
    /// Twists that the present solve has found.
    twists: Vec<Twist>,
    /// Twists without contacts.
    free: Vec<Twist>,
    /// Matrices from twists to momenta at the start of the substep.
    mass: Vec<Matrix6>,
    /// Contacts of the bodies with each other and with colliders, and their joints.
    contacts: Option<Contacts>,
    /// Those of the last substep that counted.
    before: Option<Contacts>,
    /// Loads of the last response.
    pushed: Vec<Load>,
    /// Rate of change of the twists by contacts in the last substep [m/s^2, rad/s^2].
    rate: Vec<Twist>,
    /// Impulses received from matter since the frame began.
    received: Vec<Wrench>,
    /// Length of a frame [s].
    frame: f64,
    gravity: DVec3,
    /// Length of the present substep [s].
    dt: f64,
}

impl Default for Bodies {
    fn default() -> Self {
        Self::new(Arc::new(World::default()), 0.0)
    }
}

impl Bodies {
    /// Creates the bodies at their start; `frame`: length of a frame [s].
    pub fn new(world: Arc<World>, frame: f64) -> Self {
        let count = world.len();
        Self {
            states: world.initial(),
            twists: vec![Twist::ZERO; count],
            free: vec![Twist::ZERO; count],
            mass: Vec::new(),
            contacts: None,
            before: None,
            pushed: vec![Load::NONE; count],
            rate: vec![Twist::ZERO; count],
            received: vec![Wrench::ZERO; count],
            frame,
            gravity: DVec3::ZERO,
            dt: 0.0,
            world,
        }
    }

    /// Replaces the motion of a collider that the bodies can touch.
    pub fn set_motion(&mut self, collider: usize, motion: &Motion) {
        if !self.is_empty() {
            Arc::make_mut(&mut self.world).set_motion(collider, motion);
        }
    }

    /// Returns the number of bodies.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Returns the mass of a body [kg].
    pub fn mass(&self, body: usize) -> f64 {
        self.world.mass(body)
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

    /// Begins a substep from `time` [s] over `dt` [s]: places the bodies as they would move under gravity [m/s^2] without contacts, and
    /// finds the contacts among them.
    pub fn begin(&mut self, gravity: DVec3, time: f64, dt: f64) {
        (self.gravity, self.dt) = (gravity, dt);
        self.free = self.world.predict(&self.states, gravity, dt);
        self.twists.clone_from(&self.free);
        self.mass = (0..self.len()).map(|b| self.world.mass_matrix(b, &self.states[b])).collect();
        self.before = self.contacts.take();
        self.contacts = Some(self.world.touch(&self.states, &self.free, time, dt, self.before.as_ref()));
    }

    /// Returns to the contacts before a substep that does not count.
    pub fn refuse(&mut self) {
        self.contacts = self.before.take();
    }

    /// Returns the center of mass of a body at the start of the substep [m].
    pub fn center(&self, body: usize) -> DVec3 {
        self.states[body].position
    }

    /// Returns the poses of a body at the start and the end of the substep.
    pub fn poses(&self, body: usize) -> [Pose; 2] {
        let state = &self.states[body];
        [self.world.pose(body, state), self.world.pose_after(body, state, self.twists[body], self.dt)]
    }

    /// Sets the twists of a guess: those without contacts, changed by what contacts did in the last substep.
    pub fn guess(&mut self) {
        let guessed = |(free, rate): (&Twist, &Twist)| Twist {
            linear: free.linear + self.dt * rate.linear,
            angular: free.angular + self.dt * rate.angular,
        };
        self.twists = std::iter::zip(&self.free, &self.rate).map(guessed).collect();
    }

    /// Sets the twists without contacts.
    pub fn predict(&mut self) {
        self.twists.clone_from(&self.free);
    }

    /// Returns what [`Bodies::return_to`] needs to come back here.
    pub fn keep(&self) -> Trial {
        Trial { twists: self.twists.clone(), contacts: self.contacts.clone() }
    }

    /// Returns to a point of the solve.
    pub fn return_to(&mut self, trial: &Trial) {
        self.twists.clone_from(&trial.twists);
        self.contacts.clone_from(&trial.contacts);
    }

    /// Lets the bodies respond to matter and to their other contacts. `loads`: shape [body_count].
    pub fn respond(&mut self, loads: &[Load]) {
        self.pushed.copy_from_slice(loads);
        let target = |(b, load): (usize, &Load)| {
            let mut matrix = self.mass[b];
            for (row, more) in std::iter::zip(&mut matrix, &load.resistance) {
                (0..6).for_each(|i| row[i] += more[i]);
            }
            let lag = impulse(&self.mass[b], difference(self.free[b], self.twists[b]));
            let step = response(&matrix, load.wrench + lag);
            let twist = Twist {
                linear: self.twists[b].linear + step.linear,
                angular: self.twists[b].angular + step.angular,
            };
            Target { matrix, twist }
        };
        let targets: Vec<Target> = loads.iter().enumerate().map(target).collect();
        if let Some(contacts) = &mut self.contacts {
            self.twists = self.world.solve(contacts, &targets, self.dt);
        }
    }

    /// Returns what each body receives apart from matter.
    pub fn balances(&self) -> Vec<Balance> {
        let received = self.contacts.as_ref().map(|contacts| self.world.impulses(contacts));
        let balance = |b: usize| {
            let contacts = received.as_ref().map_or(Wrench::ZERO, |received| received[b]);
            let change = impulse(&self.mass[b], difference(self.twists[b], self.free[b]));
            let missing = Wrench {
                linear: contacts.linear - change.linear,
                angular: contacts.angular - change.angular,
            };
            let weight = self.world.mass(b) * self.gravity.length() * self.dt;
            Balance { contacts, missing, weight, radius: self.world.radius(b) }
        };
        (0..self.len()).map(balance).collect()
    }

    /// Returns the largest imbalance of a body under these loads relative to what acts on it [dimensionless].
    pub fn imbalance(&self, loads: &[Load]) -> f64 {
        let mut most = 0.0_f64;
        for (load, balance) in std::iter::zip(loads, self.balances()) {
            let share = balance.share(load);
            // A share that is not a number must not pass for balance.
            if share.is_nan() || share > most {
                most = share;
            }
        }
        most
    }

    /// Ends the substep: moves the bodies, and changes their momenta by exactly what contacts took from the matter, at the last response,
    /// and from each other.
    pub fn commit(&mut self) {
        let Some(contacts) = &self.contacts else { return };
        let target = |(&matrix, &twist): (&Matrix6, &Twist)| Target { matrix, twist };
        let targets: Vec<Target> = std::iter::zip(&self.mass, &self.twists).map(target).collect();
        let displacements = self.world.displacements(contacts, &targets);
        let of_contacts = self.world.impulses(contacts);
        let wrenches: Vec<Wrench> =
            std::iter::zip(&self.pushed, of_contacts).map(|(load, other)| load.wrench + other).collect();
        for (b, wrench) in wrenches.iter().enumerate() {
            let change = response(&self.mass[b], *wrench);
            self.rate[b] = Twist { linear: change.linear / self.dt, angular: change.angular / self.dt };
            self.received[b] = self.received[b] + self.pushed[b].wrench;
        }
        let world = Arc::clone(&self.world);
        world.commit(&mut self.states, &self.twists, &wrenches, self.gravity, self.dt, &displacements);
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
        self.speeds().map(|(_, speed)| speed).fold(0.0, f64::max)
    }

    /// Returns the highest speed of a point of the bodies that could meet matter within a frame, at most [m/s]: matter in the box from
    /// `min` to `max` [m] that moves at most at `speed` [m/s].
    pub fn max_speed_near(&self, min: DVec3, max: DVec3, speed: f64) -> f64 {
        let fall = self.gravity.length() * self.frame;
        let near = |&(b, own): &(usize, f64)| {
            let center = self.states[b].position;
            let way = (center - center.clamp(min, max)).length() - self.world.radius(b);
            way < self.frame * (own + speed + fall)
        };
        self.speeds().filter(near).map(|(_, speed)| speed).fold(0.0, f64::max)
    }

    fn speeds(&self) -> impl Iterator<Item = (usize, f64)> {
        self.states.iter().enumerate().map(|(b, state)| (b, self.world.max_speed(b, state)))
    }

    /// Returns the number of bodies in reach of matter of which a point would have moved faster than `speed` [m/s] if nothing had touched
    /// it in the substep.
    pub fn count_fast(&self, speed: f64) -> u64 {
        let fast = |&(b, twist): &(usize, &Twist)| {
            let turning = twist.angular.length() * self.world.radius(b);
            self.pushed[b].contacts > 0 && twist.linear.length() + turning > speed
        };
        self.free.iter().enumerate().filter(fast).count() as u64
    }

    /// Returns the bodies as frames show them.
    pub fn shown(&self) -> Vec<RigidState> {
        let shown = |(b, state): (usize, &State)| {
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

    /// Number of saved numbers per body.
    pub const SAVED: usize = 19;

    /// Returns the numbers that later substeps depend on, [`SAVED`](Self::SAVED) per body.
    pub fn saved(&self) -> Vec<f64> {
        let of = |(state, rate): (&State, &Twist)| {
            let vectors = [state.position, state.velocity, state.angular_momentum, rate.linear, rate.angular];
            let mut numbers: Vec<f64> = vectors.iter().flat_map(|v| v.to_array()).collect();
            numbers.extend(state.rotation.to_array());
            numbers
        };
        std::iter::zip(&self.states, &self.rate).flat_map(of).collect()
    }

    /// Restores what was [saved](Self::saved).
    pub fn restore(&mut self, saved: &[f64]) {
        for ((state, rate), n) in
            std::iter::zip(std::iter::zip(&mut self.states, &mut self.rate), saved.chunks_exact(Self::SAVED))
        {
            let vector = |k: usize| DVec3::new(n[3 * k], n[3 * k + 1], n[3 * k + 2]);
            [state.position, state.velocity, state.angular_momentum] = [0, 1, 2].map(vector);
            [rate.linear, rate.angular] = [3, 4].map(vector);
            state.rotation = DQuat::from_xyzw(n[15], n[16], n[17], n[18]);
        }
        self.contacts = None;
    }
}

impl Balance {
    /// Returns the imbalance under a load relative to what acts on the body [dimensionless].
    pub fn share(&self, load: &Load) -> f64 {
        let size_of = |wrench: Wrench| wrench.linear.length().max(wrench.angular.length() / self.radius);
        let acting = size_of(load.wrench + self.contacts);
        let scale = self.weight.max(load.size).max(acting).max(f64::MIN_POSITIVE);
        size_of(load.wrench + self.missing) / scale
    }
}

fn difference(a: Twist, b: Twist) -> Twist {
    Twist { linear: a.linear - b.linear, angular: a.angular - b.angular }
}
