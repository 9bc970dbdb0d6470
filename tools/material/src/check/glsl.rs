//! Checks the GLSL of a model against its f64 functions, and on its own.

use std::sync::Arc;

use serde_json::{Map, Value};
use tuff_gpu::{Device, GpuError};
use tuff_material::device::{self, Answer, Trial};
use tuff_material_sdk::Moduli;
use tuff_solver::agreement::{MARGIN, ROUNDING, is_kind};

use super::findings::{At, Finding, Part, Verdict, Worst, number, numbers};
use super::journal::Watched;
use super::laws::{self, DT};
use super::probe::{distance, largest, stress_unit};
use super::samples::{self, Draw};
use super::sets::Set;
use super::{shaders, text};

/// Time of a projection on a device above which something is wrong: in ns, and in multiples of the time on the CPU.
const COST: [f64; 2] = [2000.0, 20.0];
/// Steps for rate-dependent models \[s\].
pub const RATE_STEPS: [f64; 2] = [DT, 1e-2];

/// Checks the GLSL and measures the time of a projection \[ns\].
///
/// # Errors
/// Any device error. A text that does not compile is a finding.
pub fn check(
    model: &Watched<'_>,
    device: &Arc<Device>,
    sets: &[Set],
    states: &[Vec<[f64; 4]>],
) -> Result<Vec<Finding>, GpuError> {
    let (places, trials) = trials(model, sets, states);
    model.note(Part::Glsl, "the GLSL: compiling it and running it once for every trial");
    let (finding, answers) = compiled(device, device::evaluate(device, model.model, &trials))?;
    let mut list = vec![finding];
    let Some(answers) = answers else { return Ok(list) };
    list.push(text::names(model.model, device)?);
    let again = device::evaluate(device, model.model, &trials)?;
    let laws = compare(model, sets, &places, &trials, &answers, &again);
    list.extend(laws);
    model.note(Part::Glsl, "the GLSL: NaN and infinite strain");
    let impossible: Vec<Trial> =
        samples::impossible().into_iter().map(|hencky| Trial { hencky, ..trials[0].clone() }).collect();
    device::evaluate(device, model.model, &impossible)?;
    list.push(Finding::new(Part::Glsl, "NaN and infinite strain", Verdict::Ok, "the device goes on"));
    list.push(objectivity(model, device, sets, states)?);
    list.push(cost(model, device, &sets[0], &trials)?);
    Ok(list)
}

/// Returns the finding about compilation, and the answers if there are any: a text that does not compile is a finding.
pub fn compiled<T>(device: &Device, outcome: Result<T, GpuError>) -> Result<(Finding, Option<T>), GpuError> {
    let line = |verdict, text| Finding::new(Part::Glsl, "compiles", verdict, text);
    match outcome {
        Ok(answers) => Ok((line(Verdict::Ok, device.info().name.clone()), Some(answers))),
        Err(GpuError::Compile { file, line: number, message, .. }) => {
            Ok((line(Verdict::Fail, format!("{file}:{number}: {message}")), None))
        }
        Err(other) => Err(other),
    }
}

/// Measures the time of a projection.
fn cost(model: &Watched<'_>, device: &Arc<Device>, set: &Set, trials: &[Trial]) -> Result<Finding, GpuError> {
    let on_cpu = laws::cost(model, set);
    model.note(Part::Glsl, "the GLSL: project, many times");
    let usual: Vec<Trial> = trials.iter().take(samples::ordinary().len()).cloned().collect();
    timed(device, "projection", on_cpu, || shaders::cost(device, model.model, &usual))
}

/// Returns the finding about the time of a function. `measure` returns the time of a later call and of the first one \[ns\]. Drivers cut
/// off endless loops after some 10^4 turns, lose the device, or hang.
pub fn timed(
    device: &Arc<Device>,
    what: &str,
    on_cpu: f64,
    measure: impl Fn() -> Result<[f64; 2], GpuError>,
) -> Result<Finding, GpuError> {
    let allowed = COST[0].max(COST[1] * on_cpu);
    let (mut cost, mut slowest) = (0.0, f64::INFINITY);
    // Repeat: another process may have slowed the measurement down.
    for _ in 0..3 {
        let [later, first] = measure()?;
        (cost, slowest) = (later, slowest.min(later.max(first)));
        if slowest <= allowed {
            break;
        }
    }
    let name = &device.info().name;
    let (verdict, text) = if slowest <= allowed {
        (Verdict::Ok, {
            let cost = if cost < 0.1 { "less than 0.1".to_owned() } else { format!("{cost:.1}") };
            format!("{cost} ns a {what} on {name}, roughly")
        })
    } else {
        let text = format!(
            "{slowest:.0} ns a {what} on {name} for {on_cpu:.0} ns on the CPU: a loop without end, or without a \
             constant bound"
        );
        (Verdict::Fail, text)
    };
    Ok(Finding { deviation: Some(cost), ..Finding::new(Part::Glsl, "cost", verdict, text) })
}

/// Combines every set, state and strain, rounded to f32, with its arguments.
fn trials(model: &Watched<'_>, sets: &[Set], states: &[Vec<[f64; 4]>]) -> (Vec<At>, Vec<Trial>) {
    let extremes = samples::extremes().into_iter().map(|(hencky, _)| hencky);
    let strains: Vec<_> = samples::ordinary().into_iter().chain([[0.0; 3]]).chain(extremes).collect();
    let steps: &[f64] = if model.model.descriptor().claims.rate_independent { &[DT] } else { &RATE_STEPS };
    let (mut places, mut trials) = (Vec::new(), Vec::new());
    for (set, (parameters, states)) in sets.iter().zip(states).enumerate() {
        for state in states {
            for hencky in &strains {
                for &dt in steps {
                    let (state, hencky) = (state.map(single), hencky.map(single));
                    places.push(At { set, state, hencky, dt: single(dt), matter: None });
                    let constants = parameters.constants.clone();
                    trials.push(Trial { constants, state, hencky, dt: single(dt) });
                }
            }
        }
    }
    (places, trials)
}

/// Rounds to f32.
pub fn single(value: f64) -> f64 {
    f64::from(value as f32)
}

/// Difference of two answers, each field in its unit.
#[derive(Clone, Copy, Default)]
struct Difference {
    strain: f64,
    stress: f64,
    energy: f64,
    state: f64,
    forget: f64,
    moduli: f64,
}

impl Difference {
    fn between(a: &Answer, b: &Answer, units: &Units) -> Self {
        Self {
            strain: distance(a.hencky, b.hencky) / units.strain,
            stress: distance(a.stress, b.stress) / units.stress,
            energy: (a.energy - b.energy).abs() / units.stress,
            state: largest([0, 1, 2, 3].map(|i| (a.state[i] - b.state[i]).abs() / units.state[i])),
            forget: (a.forget - b.forget).abs(),
            moduli: largest([0, 1].map(|i| (a.moduli[i] - b.moduli[i]).abs())) / units.moduli,
        }
    }

    fn fields(&self) -> [f64; 6] {
        [self.strain, self.stress, self.energy, self.state, self.forget, self.moduli]
    }
}

/// Units of differences at a trial.
struct Units {
    strain: f64,
    stress: f64,
    moduli: f64,
    state: [f64; 4],
}

/// Names of the compared fields and the tolerances of f32.
const FIELDS: [(&str, f64); 6] = [
    ("f32 strain", 5e-6),
    ("f32 stress", 1e-5),
    ("f32 energy", 1e-5),
    ("f32 state", 1e-5),
    ("f32 forget factor", 1e-3),
    ("f32 moduli", 1e-5),
];

/// Tolerance of f32 at the engine's limits in every field: roots are found for ordinary stretches.
pub const AT_LIMITS: f64 = 1e-3;

fn compare(
    model: &Watched<'_>,
    sets: &[Set],
    places: &[At],
    trials: &[Trial],
    answers: &[Answer],
    again: &[Answer],
) -> Vec<Finding> {
    let mut fields = FIELDS.map(|(_, allowed)| Worst::new(allowed));
    let (mut finite, mut sign, mut same) = (Worst::yes_or_no(), Worst::new(0.0), Worst::yes_or_no());
    let mut at_limits = Worst::new(AT_LIMITS);
    let mut largest = [0.0_f64; 6];
    let mut beside_borders = 0;
    let mut draw = Draw::new(2);
    for (((&at, trial), answer), second) in places.iter().zip(trials).zip(answers).zip(again) {
        let is_finite = is_finite_answer(answer);
        finite.judge(!is_finite || !(0.0..=1.0).contains(&answer.forget), at);
        same.judge(is_finite && answer != second, at);
        if !is_finite {
            continue;
        }
        sign.enter((-answer.energy).max(0.0), at);
        let (case, expected) = double(model, trial);
        if !is_finite_answer(&expected) {
            continue;
        }
        let units = units(model, trial, &expected);
        let Some(spread) = spread(model, trial, case, &expected, &units, &mut draw) else {
            beside_borders += 1;
            continue;
        };
        let found = Difference::between(answer, &expected, &units).fields();
        let is_ordinary = at.hencky.iter().all(|x| x.abs() <= 1.0);
        for (((worst, largest), found), spread) in fields.iter_mut().zip(&mut largest).zip(found).zip(spread)
        {
            if is_ordinary { worst } else { &mut at_limits }.enter(excess(found, spread), at);
            if is_ordinary {
                *largest = largest.max(found);
            }
        }
    }
    let words = model.model.descriptor().states.len();
    let line = |worst: &Worst, check: &str, right: &str, wrong: &str| {
        let finding = worst.finding((model.model, sets), Part::Glsl, check, right, wrong);
        let double = |index: usize| quantities(&double(model, &trials[index]).1, words);
        worst.with_answers(finding, places, [&double, &|index| quantities(&answers[index], words)])
    };
    let counted = format!("{} trials, {beside_borders} near borders between cases left out", trials.len());
    let mut list = vec![
        line(&finite, "finite answers", &counted, "an answer is not finite, or forget is not within 0 to 1"),
        line(&sign, "energy not negative", "", "energy is negative: use sums of squares, exp_remainder [Pa]"),
    ];
    let wrong = "beyond what rounding explains: the GLSL and the f64 code hold different formulas, or the GLSL cancels";
    for ((worst, largest), (name, _)) in fields.iter().zip(largest).zip(FIELDS) {
        if name != "f32 state" || words > 0 {
            list.push(line(worst, name, &format!("{largest:.1e} with rounding"), wrong));
        }
    }
    list.push(line(&at_limits, "f32 at the limits", "all of them at stretches of 0.01 and 100", wrong));
    list.push(line(&same, "same answers again", "", "two launches give different answers"));
    list
}

/// Returns an answer for the report, with as many state words as the model has.
fn quantities(answer: &Answer, words: usize) -> Map<String, Value> {
    let Answer { hencky, state, forget, stress, energy, moduli } = answer;
    let list = [
        ("strain", numbers(hencky)),
        ("stress", numbers(stress)),
        ("energy", number(*energy)),
        ("forget", number(*forget)),
        ("moduli", numbers(moduli)),
    ];
    let state = (words > 0).then(|| ("state".to_owned(), numbers(&state[..words])));
    list.map(|(name, value)| (name.to_owned(), value)).into_iter().chain(state).collect()
}

/// Returns the f64 answer and its case.
fn double(model: &Watched<'_>, trial: &Trial) -> (u32, Answer) {
    let Trial { constants, state, hencky, dt } = trial;
    let projection = model.project(constants, state, *dt, *hencky);
    let moduli = model.moduli(constants, state);
    let answer = Answer {
        hencky: projection.hencky,
        state: projection.state,
        forget: projection.forget,
        stress: model.kirchhoff(constants, state, projection.hencky),
        energy: model.energy(constants, state, projection.hencky),
        moduli: [moduli.shear, moduli.bulk],
    };
    (projection.case, answer)
}

fn units(model: &Watched<'_>, trial: &Trial, expected: &Answer) -> Units {
    let [shear, bulk] = expected.moduli;
    let size = |v: [f64; 3]| v.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
    let mut state = [1.0; 4];
    for ((unit, word), value) in state.iter_mut().zip(&model.model.descriptor().states).zip(expected.state) {
        *unit = if word.unit == "Pa" { 2.0 * shear } else { 1.0 };
        *unit = unit.max(value.abs());
    }
    Units {
        strain: size(trial.hencky).max(1.0),
        stress: stress_unit(Moduli { shear, bulk }, expected.hencky) * size(expected.hencky).clamp(1e-2, 1.0),
        moduli: shear.max(bulk),
        state,
    }
}

/// Changes a constant by rounding, unless it is a kind.
pub fn jitter(constant: &mut f64, draw: &mut Draw) {
    let share = 1.0 + ROUNDING * draw.next();
    if !is_kind(*constant) {
        *constant *= share;
    }
}

/// Returns trials whose arguments differ by rounding.
fn neighbors(trial: &Trial, draw: &mut Draw) -> Vec<Trial> {
    let size = trial.hencky.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
    let mut list = Vec::new();
    for sign in [-ROUNDING, ROUNDING] {
        for axis in 0..3 {
            let mut near = trial.clone();
            near.hencky[axis] += sign * size;
            list.push(near);
        }
        let mut near = trial.clone();
        near.state = near.state.map(|x| x * (1.0 + sign));
        list.push(near);
        let mut near = trial.clone();
        near.constants.iter_mut().for_each(|constant| jitter(constant, draw));
        list.push(near);
    }
    list
}

/// Checks that rotated strain gives the same energy and the stress rotated with it, through the engine's eigenvectors.
fn objectivity(
    model: &Watched<'_>,
    device: &Arc<Device>,
    sets: &[Set],
    states: &[Vec<[f64; 4]>],
) -> Result<Finding, GpuError> {
    model.note(Part::Glsl, "the GLSL: rotated strains");
    let mut draw = Draw::new(3);
    let mut worst = Worst::new(2e-5);
    let (mut places, mut trials, mut turns) = (Vec::new(), Vec::new(), Vec::new());
    for hencky in samples::ordinary().into_iter().filter(|h| h.iter().all(|x| x.abs() <= 0.3)) {
        for &state in &states[0] {
            let at = At { set: 0, state: state.map(single), hencky, dt: single(DT), matter: None };
            places.push(at);
            let constants = sets[0].constants.clone();
            trials.push(Trial { constants, state: at.state, hencky, dt: at.dt });
            turns.push(shaders::rotation([draw.next(), draw.next(), draw.next(), draw.next()]));
        }
    }
    let upright = vec![shaders::rotation([1.0, 0.0, 0.0, 0.0]); turns.len()];
    let plain = shaders::turned(device, model.model, &trials, &upright)?;
    let turned = shaders::turned(device, model.model, &trials, &turns)?;
    for (((&at, trial), turn), (plain, turned)) in
        places.iter().zip(&trials).zip(&turns).zip(plain.iter().zip(&turned))
    {
        let (case, expected) = double(model, trial);
        let units = units(model, trial, &expected);
        let Some(spread) = spread(model, trial, case, &expected, &units, &mut draw) else { continue };
        let [x, y, z, ..] = plain.stress;
        let stress = shaders::compose(turn, [x, y, z]);
        let error = largest([0, 1, 2, 3, 4, 5].map(|i| (turned.stress[i] - stress[i]).abs())) / units.stress;
        let energy = (turned.energy - plain.energy).abs() / units.stress;
        worst.enter(excess(largest([error, energy]), spread[1].max(spread[2])), at);
    }
    Ok(worst.finding(
        (model.model, sets),
        Part::Glsl,
        "objectivity",
        "rotated strains, through the engine's eigenvectors",
        "the stress does not rotate with the strain: the answers depend on the order of the three strains",
    ))
}

/// Returns the changes by rounding the arguments in each field; none if rounding leads to another case.
fn spread(
    model: &Watched<'_>,
    trial: &Trial,
    case: u32,
    expected: &Answer,
    units: &Units,
    draw: &mut Draw,
) -> Option<[f64; 6]> {
    let mut spread = [0.0_f64; 6];
    for near in neighbors(trial, draw) {
        let (other, answer) = double(model, &near);
        if other != case {
            return None;
        }
        let fields = Difference::between(&answer, expected, units).fields();
        spread = std::array::from_fn(|i| spread[i].max(fields[i]));
    }
    Some(spread)
}

/// Returns the part of a deviation that rounding does not explain.
pub fn excess(found: f64, spread: f64) -> f64 {
    if found.is_nan() { found } else { (found - MARGIN * spread).max(0.0) }
}

fn is_finite_answer(answer: &Answer) -> bool {
    let numbers = answer.hencky.iter().chain(&answer.state).chain(&answer.stress).chain(&answer.moduli);
    numbers.chain([&answer.energy, &answer.forget]).all(|x| x.is_finite())
}
