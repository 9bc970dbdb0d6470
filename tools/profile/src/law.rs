//! Cost of each material's law: the model's functions as the sweeps call them, at the particles' current strains.
//!
//! The scene's composed source is compiled into a launch that does nothing but call the law, a few times in a row and then many times.
//! The difference excludes the cost of the launch, the loads and the trial strain; subtracting the same difference for a loop that calls
//! nothing also removes the cost of the loop.

use std::sync::Arc;

use tuff_gpu::{
    Access, Attribute, AttributeId, Device, DeviceKind, Element, Executor, ExecutorOptions, FieldType,
    GpuError, Groups, Memory, PushConstants, PushField, Recording, RunOptions, Specialization,
    StageDeclaration, StageId, Store,
};
use tuff_plugin::Variant;
use tuff_problem::Problem;
use tuff_solver::List;
use tuff_solver::attributes as solver;
use tuff_solver::materials::{self, History};

/// Number of invocations: enough to fill a large GPU; fewer on a processor, so that a launch ends before the scheduler switches to
/// another program.
const INVOCATIONS: usize = 1 << 18;
const INVOCATIONS_CPU: usize = 1 << 12;
/// Numbers of consecutive calls in the short and in the long launch.
const CALLS: [u32; 2] = [8, 40];
/// Launches of each kind; the fastest counts, since disturbances only slow a launch down.
const ROUNDS: usize = 40;
/// Maximum number of pair records that are read back; if there are more, only the first particles in the order of cells are sampled.
const PAIRS: usize = 1 << 26;

/// Cost of one call of a material's law.
#[derive(Debug, Clone, PartialEq)]
pub struct LawCost {
    /// Index of the material.
    pub material: usize,
    /// Number of its particles.
    pub particles: u64,
    /// Time of one return mapping [ns]; `None` for whole-tensor models, which compute everything at once.
    pub projection_ns: Option<f64>,
    /// Time of everything that a sweep requests once: moduli, return mapping (unless it is deferred to the commit), stress and energy
    /// [ns].
    pub law_ns: f64,
}

const fn row(name: &'static str, element: Element) -> Attribute {
    Attribute {
        name,
        aliases: &[],
        element,
        memory: Memory::Device,
        help: "Material at the strains of a scene.",
    }
}

static TABLE: &[Attribute] = &[
    row("step_x", Element::Vec4),
    row("step_y", Element::Vec4),
    row("step_z", Element::Vec4),
    row("strain_diagonal", Element::Vec4),
    row("strain_shear", Element::Vec4),
    row("state", Element::Vec4),
    row("identity", Element::Uvec4),
    row("history", Element::Vec4),
    row("answer", Element::Vec4),
];

const HISTORY: u16 = 7;
const ANSWER: u16 = 8;

static PUSH: &[PushField] = &[
    PushField { name: "dt", glsl_type: FieldType::Float, help: "Substep [s]." },
    PushField { name: "count", glsl_type: FieldType::Uint, help: "Particles." },
    PushField { name: "calls", glsl_type: FieldType::Uint, help: "Calls in a row." },
    PushField { name: "nudge", glsl_type: FieldType::Float, help: "0, which a compiler must not know." },
];

const fn stage(name: &'static str) -> StageDeclaration {
    const fn read(index: u16) -> (AttributeId, Access) {
        (AttributeId(index), Access::Read)
    }
    const ACCESSES: &[(AttributeId, Access)] = &[
        read(0),
        read(1),
        read(2),
        read(3),
        read(4),
        read(5),
        read(6),
        read(HISTORY),
        (AttributeId(ANSWER), Access::Write),
    ];
    StageDeclaration { name, shader: "law.comp", accesses: ACCESSES, indirect: None }
}

/// The sorted state of a substep on the host.
struct State {
    lists: Vec<List>,
    pair: Vec<[u32; 4]>,
    velocity: Vec<[f32; 4]>,
    diagonal: Vec<[f32; 4]>,
    shear: Vec<[f32; 4]>,
    words: Vec<[f32; 4]>,
    identity: Vec<[u32; 4]>,
    history: Vec<[f32; 4]>,
}

impl State {
    fn read(store: &Store, particles: usize, history: usize) -> Result<Self, GpuError> {
        let range: Vec<[u32; 2]> = store.download(solver::NEIGHBOR_RANGE, particles)?;
        let mut lists: Vec<List> = range.into_iter().map(List::from).collect();
        lists.truncate(lists.iter().take_while(|&&list| List::extent(&[list]) <= PAIRS).count());
        let count = lists.len();
        Ok(Self {
            pair: store.download(solver::PAIR, List::extent(&lists))?,
            lists,
            velocity: store.download(solver::VELOCITY, particles)?,
            diagonal: store.download(solver::STRAIN_DIAGONAL, count)?,
            shear: store.download(solver::STRAIN_SHEAR, count)?,
            words: store.download(solver::STATE, count)?,
            identity: store.download(solver::IDENTITY, count)?,
            history: if history > 0 { store.download(solver::HISTORY, count * history)? } else { Vec::new() },
        })
    }

    /// Returns the columns of dt grad v of a particle, as the commit computes it.
    fn step(&self, p: usize, dt: f32) -> [[f32; 4]; 3] {
        let mut columns = [[0.0; 4]; 3];
        for record in self.lists[p].records().map(|i| &self.pair[i]) {
            let neighbor = self.velocity[(record[0] & 0x00ff_ffff) as usize];
            for (column, g) in columns.iter_mut().zip(&record[1..]) {
                for axis in 0..3 {
                    column[axis] += dt * (neighbor[axis] - self.velocity[p][axis]) * f32::from_bits(*g);
                }
            }
        }
        columns
    }
}

/// Measures the cost of each material that has particles, in the state after the last substep in `store`, the store of a simulation of
/// `problem`.
///
/// # Errors
/// Any device error.
pub fn costs(problem: &Problem, store: &Store) -> Result<Vec<LawCost>, GpuError> {
    let words = History::of(problem).words() as usize;
    let state = State::read(store, problem.particle_count(), words)?;
    let mut costs = Vec::new();
    for (material, resolved) in problem.materials.iter().enumerate() {
        let own = |p: &usize| state.identity[*p][1] as usize == material;
        let particles: Vec<usize> = (0..state.lists.len()).filter(own).collect();
        if particles.is_empty() {
            continue;
        }
        let mut bench = Bench::new(problem, store.device(), &state, &particles, words)?;
        let principal = matches!(problem.models[resolved.model].descriptor().variant, Variant::Principal);
        costs.push(LawCost {
            material,
            particles: problem.particles.material.iter().filter(|&&m| m as usize == material).count() as u64,
            projection_ns: if principal { Some(bench.nanoseconds(PROJECTION)?) } else { None },
            law_ns: bench.nanoseconds(LAW)?,
        });
    }
    Ok(costs)
}

/// Functions called in the loop; `NOTHING` measures the cost of the loop itself.
const NOTHING: StageId = StageId(0);
const PROJECTION: StageId = StageId(1);
const LAW: StageId = StageId(2);

/// A launch over particles of one material.
struct Bench {
    store: Store,
    executor: Executor,
    count: usize,
    dt: f32,
}

impl Bench {
    fn new(
        problem: &Problem,
        device: &Arc<Device>,
        state: &State,
        particles: &[usize],
        history: usize,
    ) -> Result<Self, GpuError> {
        let count = if device.info().kind == DeviceKind::Cpu { INVOCATIONS_CPU } else { INVOCATIONS };
        // Few particles are used repeatedly; of many, evenly spaced ones are picked.
        let chosen: Vec<usize> = if particles.len() < count {
            particles.iter().copied().cycle().take(count).collect()
        } else {
            (0..count).map(|i| particles[i * particles.len() / count]).collect()
        };
        let mut counts = vec![count as u64; TABLE.len()];
        counts[usize::from(HISTORY)] = (count * history.max(1)) as u64;
        let mut store = Store::new(device, TABLE, &counts)?;
        let dt = problem.dt() as f32;
        let steps: Vec<[[f32; 4]; 3]> = chosen.iter().map(|&p| state.step(p, dt)).collect();
        for axis in 0..3 {
            let column: Vec<[f32; 4]> = steps.iter().map(|step| step[axis]).collect();
            store.upload(AttributeId(axis as u16), &column)?;
        }
        for (id, values) in [(3, &state.diagonal), (4, &state.shear), (5, &state.words)] {
            let picked: Vec<[f32; 4]> = chosen.iter().map(|&p| values[p]).collect();
            store.upload(AttributeId(id), &picked)?;
        }
        let identity: Vec<[u32; 4]> = chosen.iter().map(|&p| state.identity[p]).collect();
        store.upload(AttributeId(6), &identity)?;
        if history > 0 {
            let of = |&p: &usize| state.history[p * history..(p + 1) * history].iter().copied();
            let carried: Vec<[f32; 4]> = chosen.iter().flat_map(of).collect();
            store.upload(AttributeId(HISTORY), &carried)?;
        }
        let implicit = problem.scene.solver.plasticity == tuff_scene::Plasticity::Implicit;
        let mut sources = materials::sources(problem);
        sources.push(("law.comp".to_owned(), SHADER.to_owned()));
        let stage = |id: StageId| stage(["nothing", "projection", "law"][usize::from(id.0)]);
        let variant = |id: StageId| Specialization {
            constants: vec![(0, id.0.into()), (1, implicit.into())],
            sources: sources.clone(),
            ..Default::default()
        };
        let stages = [NOTHING, PROJECTION, LAW].map(|calls| (stage(calls), variant(calls))).into();
        let options = ExecutorOptions { push: PUSH, ..Default::default() };
        let executor = Executor::new(device, &store, stages, options)?;
        Ok(Self { store, executor, count, dt })
    }

    /// Returns the time of one call [ns].
    fn nanoseconds(&mut self, stage: StageId) -> Result<f64, GpuError> {
        Ok((self.turn(stage)? - self.turn(NOTHING)?).max(0.0))
    }

    /// Returns the time of one turn of the loop that makes the calls [ns].
    fn turn(&mut self, stage: StageId) -> Result<f64, GpuError> {
        let mut fastest = [f64::INFINITY; 2];
        for _ in 0..ROUNDS {
            for (fastest, calls) in fastest.iter_mut().zip(CALLS) {
                let push = PushConstants::NONE.float(self.dt).uint(self.count as u32).uint(calls).float(0.0);
                let mut recording = Recording::new();
                recording.dispatch(stage, Groups::linear(self.count as u64, 64), push);
                let report = self.executor.run(&self.store, &recording, RunOptions { timestamps: true })?;
                *fastest = report.stages.iter().map(|time| time.ns as f64).sum::<f64>().min(*fastest);
            }
        }
        let calls = self.count as f64 * f64::from(CALLS[1] - CALLS[0]);
        Ok((fastest[1] - fastest[0]) / calls)
    }
}

const SHADER: &str = "#version 460
#extension GL_GOOGLE_include_directive : require
#include \"attributes.glsl\"
#include \"launch.glsl\"
#include \"symmetric.glsl\"
#include \"materials.glsl\"
#include \"strain.glsl\"
#ifdef TENSOR_MODELS
#include \"history.glsl\"
#endif

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint WHAT = 2u; // nothing, the projection, all of the law
layout(constant_id = 1) const bool IMPLICIT = true;

void main() {
    uint i = invocation();
    if (i >= push.count) return;
    mat3 step = mat3(step_x(i).xyz, step_y(i).xyz, step_z(i).xyz);
    limit_fold(step);
    Trial t = trial_strain(Symmetric(strain_diagonal(i).xyz, strain_shear(i).xyz), step);
    vec4 words = state(i);
    uvec4 self = identity(i);
    uint material = material_of(self);
    // Every call waits for the one before: none can be left out or done once for all.
    vec3 last = vec3(0.0);
#ifdef TENSOR_MODELS
    if (material_is_tensor(material)) {
        bool clamped;
        TensorPoint point = carried_point(i, t, step, clamped);
        for (uint k = 0u; k < push.calls; ++k) {
            TensorPoint now = point;
            now.strain.hencky += push.nudge * last;
            now.branch.hencky += push.nudge * last;
            now.deformation[0] += push.nudge * last;
            last = now.strain.hencky + now.branch.hencky + now.deformation[0];
            if (WHAT != 2u) continue;
            mat3 tau;
            float psi = material_respond(material, words, IMPLICIT ? push.dt : 0.0, now, tau);
            vec2 moduli = material_moduli(material, words + push.nudge * last.x);
            last = tau[0] + tau[1] + tau[2] + psi + moduli.x + moduli.y;
        }
    } else
#endif
    for (uint k = 0u; k < push.calls; ++k) {
        vec3 hencky = t.hencky + push.nudge * last;
        vec4 dropped = words;
        float forget;
        if (WHAT == 1u || (WHAT == 2u && IMPLICIT)) hencky = material_project(material, dropped, push.dt, hencky, forget);
        last = hencky;
        if (WHAT == 2u) {
            vec2 moduli = material_moduli(material, words + push.nudge * last.x);
            vec3 tau = material_kirchhoff(material, words, hencky);
            last += push.nudge * (tau + material_energy(material, words, hencky) + moduli.x + moduli.y);
        }
    }
    answer(i) = vec4(last, 0.0);
}
";
