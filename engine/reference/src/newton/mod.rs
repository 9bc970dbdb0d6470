//! Inexact Newton with preconditioned conjugate gradients on the force balance of a substep (`scheme = "newton_cg"`).
//!
//! The unknowns are the velocities. A pass is an evaluation of the forces or a product with the matrix; each visits all pairs
//! once. Relaxation precedes every Newton step and continues for as long as it pays.

mod conjugate_gradients;
pub mod contact;
mod modes;
mod relaxation;
mod respond;
pub mod tangent;

use glam::DVec3;
use tuff_problem::newton::{
    CORNER_ROUNDS, DECREASE, FORCING_FIRST, FORCING_MAX, FORCING_MIN, GROWTH, GUESS_AGAIN, GUESS_ROUNDING,
    KINK_ALLOWANCE, NOISE_EVALUATIONS, NOISE_FROM, NOISE_SPEED_CAP, NOISE_TO, NOISE_TOLERANCE, ROUND_MOVES,
    ROUND_REDUCTION, SHORTEST,
};
use tuff_problem::thresholds::BOUND_FROM;
use tuff_problem::{LARGEST_SCALE, STRAIN_SHARE};
use tuff_rigid::Trial;

use self::conjugate_gradients::solve_linear;
use self::contact::{Blocked, react};
pub use self::relaxation::Followed;
use self::relaxation::{Preconditioner, Relaxation};
use self::tangent::{Tangents, linearize};
use crate::clock::timed;
use crate::constraints::distance::pushes;
use crate::context::{Context, Step};
use crate::parallel;
use crate::rigid;
use crate::scalar::Scalar;
use crate::sheets;
use crate::stages::predict_velocity::is_slow;
use crate::stages::residual::balance;
use crate::stages::solve_colliders::{hold_contacts, solve_colliders, solve_colliders_often};
use crate::state::{Contacts, State};

/// Forces at the velocities that the state holds.
struct Evaluation {
    /// Imbalance of the forces, along directions that no contact blocks [N s].
    imbalance: Vec<DVec3>,
    /// Norm of this imbalance [N s].
    matter: f64,
    /// Imbalance of the rigid bodies relative to what acts on them [dimensionless].
    bodies: f64,
    /// Norm of both [N s]: bodies are in balance when their relative imbalance is within the tolerance.
    norm: f64,
    tangents: Vec<Tangents>,
    blocked: Vec<Blocked>,
}

/// Sets the initial velocities: those at the start, changed by gravity and by the internal forces of the last substep, after
/// contact.
pub fn guess<S: Scalar>(context: &Context, step: Step, state: &mut State<S>) {
    let guess = |p: usize| {
        if state.inverse_mass[p] == 0.0 {
            return state.velocity[p];
        }
        let base = base(context, step, state, p);
        let change = step.dt * (context.gravity + state.internal_acceleration[p]);
        // What rests on springs moves by their give, in a step of any length.
        base + change / (1.0 + state.near_springs[p] * step.dt * step.dt)
    };
    state.velocity = parallel::map(state.particle_count(), guess);
    rigid::guess(context, step, state);
    // Faces share the load of a particle in their corner; taken one after the other they find the shares gradually.
    solve_colliders_often(context, step, state, CORNER_ROUNDS);
    rigid::respond_to_matter(context, step, state);
}

/// Returns true if p is slow at `velocity` [m/s] in a body that rests.
pub fn rests<S: Scalar>(context: &Context, step: Step, state: &State<S>, p: usize, velocity: DVec3) -> bool {
    state.awake[state.body[p] as usize] <= 0 && is_slow(context, step, velocity)
}

/// Returns the velocity that a guess starts from [m/s]: the one at the start of the substep, or zero in a body that rests.
fn base<S: Scalar>(context: &Context, step: Step, state: &State<S>, p: usize) -> DVec3 {
    let start = state.start_velocity[p];
    if rests(context, step, state, p, start) { DVec3::ZERO } else { start }
}

/// Returns what a solve leaves for the guess of the next one: `internal_acceleration` and `near_springs` of the state. In a body that
/// rests, velocities within the tolerance are noise and give no guess, except for too-close pairs: these start where their load takes
/// them.
pub fn lasting<S: Scalar>(context: &Context, step: Step, state: &State<S>) -> (Vec<DVec3>, Vec<f64>) {
    let touched = sheets::touched(step, state);
    let kept = |p: usize| {
        let contact = state.contacts[p].total();
        let base = base(context, step, state, p);
        let found = state.velocity[p];
        let mut near_springs = 0.0;
        let mut left = found;
        if base == DVec3::ZERO {
            let (pushed, springs) = springs(context, step, state, p);
            let pushed = pushed || touched.get(p).copied().unwrap_or(false);
            if !pushed && rests(context, step, state, p, found) {
                left = DVec3::ZERO;
            }
            let contacts = &state.contacts[p];
            if contacts.change[..contacts.count].iter().all(|change| *change == DVec3::ZERO) {
                near_springs = springs;
            }
        }
        let change =
            (1.0 + near_springs * step.dt * step.dt) * left - base - step.dt * context.gravity - contact;
        // A failed solve leaves no guess.
        if state.inverse_mass[p] > 0.0 && found.length_squared() < 1e30 {
            (change / step.dt, near_springs)
        } else {
            (DVec3::ZERO, 0.0)
        }
    };
    parallel::map_two(state.particle_count(), kept)
}

/// Returns whether too-close pairs push p, and the stiffness over the mass of a spring that would push as they do [1/s^2].
fn springs<S: Scalar>(context: &Context, step: Step, state: &State<S>, p: usize) -> (bool, f64) {
    let (mut pushed, mut force) = (false, DVec3::ZERO);
    for push in pushes(context, step, state, p) {
        pushed = true;
        force -= push.stiffness * push.lacking * push.normal;
    }
    let moved = step.dt * state.velocity[p];
    let stiffness = -force.dot(moved) / (state.mass[p] * moved.length_squared());
    (pushed, if stiffness > 0.0 && stiffness < 1e30 { stiffness } else { 0.0 })
}

/// Sets the predicted velocities, after contact.
fn predict<S: Scalar>(context: &Context, step: Step, state: &mut State<S>) {
    state.velocity.clone_from(&state.predicted_velocity);
    parallel::each(&mut state.contacts, |_, contacts| contacts.change.fill(DVec3::ZERO));
    rigid::predict(context, step, state);
    solve_colliders(context, step, state);
    rigid::respond_to_matter(context, step, state);
}

/// What a solve came to.
pub struct Outcome {
    /// Number of passes.
    pub passes: u32,
    /// Relative norm of the remaining imbalance.
    pub left: f64,
    /// What particles follow at once of impulses after the solve.
    pub followed: Followed,
}

/// Brings the velocities, with contacts solved, to force balance: to a norm of the tolerance times `scale` [N s]. If the guess is
/// rejected and the imbalance of the predicted velocities after contact is larger than `scale`, it replaces `scale`, as far as
/// matter may store it as strain; the solve begins at the nearer of the two, with the preconditioner of the predicted velocities. Takes
/// at most as many passes as the scene has iterations.
pub fn solve_newton<S: Scalar>(
    context: &Context,
    step: Step,
    state: &mut State<S>,
    mut scale: f64,
) -> Outcome {
    let budget = context.settings.iterations;
    let mut here = evaluate(context, step, state, None, scale);
    let mut passes = 1;
    state.guess_imbalance = parallel::map(here.imbalance.len(), |p| here.imbalance[p].length());
    let mut guess = None;
    if here.norm > GUESS_ROUNDING * scale || here.norm.is_nan() {
        guess = Some((Kept::of(state), here.matter, here.bodies));
        predict(context, step, state);
        if budget == 1 {
            return Outcome { passes: 1, left: 1.0, followed: Followed::all(state.particle_count()) };
        }
        here = evaluate(context, step, state, None, scale);
        passes += 1;
    }
    let tolerance = context.settings.residual_tolerance;
    let preconditioner =
        timed!(state, Preconditioner, Preconditioner::new(context, step, state, &here.tangents));
    if passes == 2 {
        let stopping = STRAIN_SHARE * stopping(context, step, state, &preconditioner);
        scale = scale.max(if tolerance > 0.0 { here.matter.min(stopping / tolerance) } else { here.matter });
    }
    if is_at_stake(context, state, &here, &preconditioner) {
        scale = scale.min(LARGEST_SCALE * at_stake(state, &here, &preconditioner));
    }
    if tolerance > 0.0 {
        scale = scale.max(S::ROUNDING / tolerance * resisted(state, &preconditioner));
    }
    here.norm = here.matter.hypot(scale * here.bodies);
    if let Some((kept, matter, bodies)) = guess
        && nearer(matter.hypot(scale * bodies), here.norm)
        && passes + GUESS_AGAIN <= budget
    {
        kept.restore(context, step, state);
        here = evaluate(context, step, state, None, scale);
        passes += 1;
    }
    let goal = tolerance * scale;
    let most = NOISE_SPEED_CAP * step.dt * context.gravity.length();
    let momentum = |p: usize| match state.inverse_mass[p] {
        0.0 => 0.0,
        _ => (state.mass[p] * state.velocity[p].length().min(most)).powi(2),
    };
    let momentum = parallel::sum(state.particle_count(), momentum).sqrt();
    let noise = momentum > NOISE_FROM * scale && momentum < NOISE_TO * scale;
    let aim = if noise { NOISE_TOLERANCE * goal } else { goal };
    let mut solve = Solve {
        context,
        step,
        scale,
        goal,
        aim,
        more: 0,
        budget,
        passes,
        preconditioner,
        forcing: FORCING_FIRST,
        counted: 1.0,
    };
    solve.count(&here);
    let mut lowest = here.norm;
    while solve.goes_on(&here) {
        here = solve.relax(state, here, &mut lowest);
        if !solve.goes_on(&here) {
            break;
        }
        let counts;
        (here, counts) = solve.newton_step(state, here, lowest);
        lowest = lowest.min(here.norm);
        if !counts {
            break;
        }
    }
    let left = if here.norm == 0.0 { 0.0 } else { here.norm / scale };
    Outcome { passes: solve.passes, left, followed: solve.preconditioner.followed(context, state) }
}

/// Returns true if the norm of a guess is lower than that of the predicted velocities, or is the only number.
fn nearer(guess: f64, predicted: f64) -> bool {
    guess.is_finite() && (guess < predicted || predicted.is_nan())
}

/// What the solve may return to.
struct Kept {
    velocity: Vec<DVec3>,
    contacts: Vec<Contacts>,
    rigid: Trial,
}

impl Kept {
    fn of<S: Scalar>(state: &State<S>) -> Self {
        Self { velocity: state.velocity.clone(), contacts: state.contacts.clone(), rigid: state.rigid.keep() }
    }

    fn restore<S: Scalar>(self, context: &Context, step: Step, state: &mut State<S>) {
        state.velocity = self.velocity;
        state.contacts = self.contacts;
        state.rigid.return_to(&self.rigid);
        rigid::follow(context, step, state);
    }
}

/// A solve in progress.
struct Solve<'a> {
    context: &'a Context,
    step: Step,
    /// Scale of the tolerance [N s].
    scale: f64,
    /// Norm of the imbalance that the tolerance asks for [N s].
    goal: f64,
    /// Norm of the imbalance at which the solve ends [N s].
    aim: f64,
    /// Evaluations that reached the goal but not the aim.
    more: u32,
    /// Passes that it may take, and passes taken.
    budget: u32,
    passes: u32,
    preconditioner: Preconditioner,
    /// Forcing term of the next linear solve.
    forcing: f64,
    /// Length of the last accepted Newton step, as a fraction of the full step.
    counted: f64,
}

impl Solve<'_> {
    /// Returns true if the solve is not balanced and can afford another move: a linear solve takes a pass and its evaluation
    /// another; relaxation takes one, and one to go back.
    fn goes_on(&self, here: &Evaluation) -> bool {
        let balanced = here.norm <= self.aim || (here.norm <= self.goal && self.more > NOISE_EVALUATIONS);
        !balanced && self.passes + 2 <= self.budget
    }

    /// Counts an evaluation from which the solve continues.
    fn count(&mut self, here: &Evaluation) {
        self.more += u32::from(here.norm <= self.goal && here.norm > self.aim);
    }

    /// Returns true if the solve leaves the tolerance, which the norm `before` met; the solve then ends at the state before.
    fn leaves(&self, before: f64, there: &Evaluation) -> bool {
        before <= self.goal && (there.norm > self.goal || there.norm.is_nan())
    }

    /// Lets colliders and rigid bodies act on a move.
    fn act<S: Scalar>(&self, state: &mut State<S>) {
        let ease = &self.preconditioner.ease;
        timed!(state, Colliders, {
            hold_contacts(self.context, self.step, state, ease);
            if !state.rigid.is_empty() {
                rigid::respond(self.context, self.step, state, Some(&self.preconditioner.resistance));
                hold_contacts(self.context, self.step, state, ease);
            }
        });
    }

    fn evaluate<S: Scalar>(&mut self, state: &mut State<S>, last: &Evaluation) -> Evaluation {
        self.passes += 1;
        evaluate(self.context, self.step, state, Some(&last.tangents), self.scale)
    }

    /// Runs rounds of relaxation for as long as they pay. Returns to the start of a round if a move makes things far worse, or if
    /// the passes end above the norm at the start of the round.
    fn relax<S: Scalar>(
        &mut self,
        state: &mut State<S>,
        mut here: Evaluation,
        lowest: &mut f64,
    ) -> Evaluation {
        let mut relaxation = Relaxation::default();
        let mut start = (Kept::of(state), here.norm);
        let mut moves = 0;
        while self.goes_on(&here) {
            // Within the tolerance every move begins a round, so that a move that leads out of it is undone.
            let within = here.norm <= self.goal;
            if moves == ROUND_MOVES || (within && moves > 0) {
                if !within && here.norm > ROUND_REDUCTION * start.1 {
                    break;
                }
                start = (Kept::of(state), here.norm);
                moves = 0;
            }
            moves += 1;
            relaxation.move_once(self.context, self.step, state, &here, &self.preconditioner);
            self.act(state);
            let there = self.evaluate(state, &here);
            if self.leaves(start.1, &there) {
                start.0.restore(self.context, self.step, state);
                here.norm = start.1;
                self.more = NOISE_EVALUATIONS + 1;
                return here;
            }
            if there.norm <= GROWTH * here.norm {
                here = there;
                self.count(&here);
                *lowest = lowest.min(here.norm);
            } else {
                state.counters.newton_uphill += 1;
                start.0.restore(self.context, self.step, state);
                let back = self.evaluate(state, &there);
                self.count(&back);
                *lowest = lowest.min(back.norm);
                return back;
            }
        }
        if here.norm > self.goal && self.passes + 2 > self.budget && here.norm > start.1 {
            start.0.restore(self.context, self.step, state);
            here.norm = start.1;
        }
        here
    }

    /// Takes a Newton step and returns whether it is accepted; otherwise the state is unchanged. The first length tried is twice
    /// the last accepted one.
    fn newton_step<S: Scalar>(
        &mut self,
        state: &mut State<S>,
        here: Evaluation,
        lowest: f64,
    ) -> (Evaluation, bool) {
        let wanted = self.forcing.max(0.5 * self.aim / here.norm);
        let linear = solve_linear(
            self.context,
            self.step,
            state,
            &here,
            &self.preconditioner,
            wanted,
            self.budget - self.passes - 1,
        );
        self.passes += linear.passes;
        let start = Kept::of(state);
        let mut factor = f64::min(1.0, 2.0 * self.counted);
        let mut last = None;
        let there = loop {
            parallel::each(&mut state.velocity, |p, velocity| {
                *velocity = start.velocity[p] + factor * linear.change[p];
            });
            state.contacts.clone_from(&start.contacts);
            state.rigid.return_to(&start.rigid);
            rigid::follow(self.context, self.step, state);
            self.act(state);
            let there = self.evaluate(state, last.as_ref().unwrap_or(&here));
            if self.leaves(here.norm, &there) {
                start.restore(self.context, self.step, state);
                return (here, false);
            }
            if there.norm <= (1.0 - DECREASE * factor) * here.norm {
                break there;
            }
            if self.passes < self.budget && factor > SHORTEST {
                factor *= 0.5;
                last = Some(there);
                continue;
            }
            state.counters.newton_uphill += 1;
            let bearable = there.norm <= KINK_ALLOWANCE * lowest;
            if self.passes == self.budget || !bearable {
                start.restore(self.context, self.step, state);
                return (here, false);
            }
            break there;
        };
        self.count(&there);
        self.counted = factor;
        self.forcing = ((there.norm - linear.left).abs() / here.norm).clamp(FORCING_MIN, FORCING_MAX);
        (there, true)
    }
}

fn evaluate<S: Scalar>(
    context: &Context,
    step: Step,
    state: &mut State<S>,
    last: Option<&[Tangents]>,
    scale: f64,
) -> Evaluation {
    timed!(state, Sheets, sheets::look(context, step, state));
    let (actions, tangents) = timed!(state, Linearize, linearize(context, step, state, last));
    let force = timed!(state, Balance, balance(context, step, state, &actions));
    timed!(state, React, {
        let blocked = react(context, step, state, &force);
        let imbalance = parallel::map(state.particle_count(), |p| {
            blocked[p].free(force[p] - state.mass[p] * state.contacts[p].total())
        });
        let (matter, bodies) = (length(&imbalance), rigid::imbalance(context, state));
        Evaluation { matter, bodies, norm: matter.hypot(scale * bodies), tangents, imbalance, blocked }
    })
}

/// Returns the norm by which the imbalance changes if all velocities change by their own magnitude [N s].
fn resisted<S: Scalar>(state: &State<S>, preconditioner: &Preconditioner) -> f64 {
    let square = |p: usize| (preconditioner.resistance[p] * state.velocity[p].length()).powi(2);
    let free = |p: usize| if state.inverse_mass[p] > 0.0 { square(p) } else { 0.0 };
    parallel::sum(state.particle_count(), free).sqrt()
}

/// Returns true if the momenta at stake bound the scale of the tolerance: with matter as stiff as metal, and where bodies have rigid modes
/// only if a collider blocks a particle of it.
fn is_at_stake<S: Scalar>(
    context: &Context,
    state: &State<S>,
    here: &Evaluation,
    preconditioner: &Preconditioner,
) -> bool {
    let free = context.contrast.mode_count() == 0;
    let stiff = |p: usize| preconditioner.resistance[p] > BOUND_FROM * state.mass[p];
    let matter = |p: usize| state.inverse_mass[p] > 0.0 && !context.classes.class(state.body[p]).is_linked();
    let counts = |p: usize| matter(p) && stiff(p) && (free || here.blocked[p].blocks());
    parallel::sum(state.particle_count(), |p| f64::from(u8::from(counts(p)))) > 0.0
}

/// Returns the norm of the momenta at stake [N s]: those at the predicted velocities, and those that particles gain if they follow the
/// imbalance.
fn at_stake<S: Scalar>(state: &State<S>, here: &Evaluation, preconditioner: &Preconditioner) -> f64 {
    let square = |p: usize| {
        let follows = here.imbalance[p] / preconditioner.resistance[p];
        state.mass[p].powi(2) * (state.predicted_velocity[p].length_squared() + follows.length_squared())
    };
    let free = |p: usize| if state.inverse_mass[p] > 0.0 { square(p) } else { 0.0 };
    parallel::sum(state.particle_count(), free).sqrt()
}

/// Returns the norm of the impulses whose strain energy would equal the change of kinetic energy by contact [N s].
fn stopping<S: Scalar>(
    context: &Context,
    step: Step,
    state: &State<S>,
    preconditioner: &Preconditioner,
) -> f64 {
    let square = |p: usize| {
        let gained = state.velocity[p] - state.start_velocity[p] - step.dt * context.gravity;
        preconditioner.traces[p] / 3.0 * state.mass[p] * gained.length_squared()
    };
    let free = |p: usize| if state.inverse_mass[p] > 0.0 { square(p) } else { 0.0 };
    parallel::sum(state.particle_count(), free).sqrt()
}

fn length(v: &[DVec3]) -> f64 {
    parallel::sum(v.len(), |p| v[p].length_squared()).sqrt()
}
