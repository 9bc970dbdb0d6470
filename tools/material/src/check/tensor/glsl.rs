//! Checks the GLSL of a tensor model against its f64 functions, and on its own.

use std::sync::Arc;

use glam::DMat3;
use tuff_gpu::{Device, GpuError};
use tuff_plugin::{Stretch, Variant};
use tuff_reference::tensor::norm;

use super::compare::{ENERGY, FIELDS, STRESS, Units, difference, double, is_finite, quantities, spread};
use super::device::{self, Answer, Trial};
use super::laws;
use super::matter::{self, Matter, rotation};
use crate::check::findings::{At, Finding, Part, Verdict, Worst};
use crate::check::glsl::{AT_LIMITS, RATE_STEPS, compiled, excess, single, timed};
use crate::check::journal::Watched;
use crate::check::laws::DT;
use crate::check::probe::largest;
use crate::check::samples::Draw;
use crate::check::sets::Set;
use crate::check::text;

/// Checks the GLSL and measures the time of a respond \[ns\].
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
    list.extend(compare(model, sets, &places, &trials, (&answers, &again)));
    model.note(Part::Glsl, "the GLSL: NaN and infinite strain");
    let variant = model.model.descriptor().variant;
    let impossible: Vec<Trial> =
        matter::impossible(variant).into_iter().map(|matter| Trial { matter, ..trials[0].clone() }).collect();
    device::evaluate(device, model.model, &impossible)?;
    list.push(Finding::new(Part::Glsl, "NaN and infinite strain", Verdict::Ok, "the device goes on"));
    list.push(objectivity(model, device, sets, states)?);
    let on_cpu = laws::cost(model, &sets[0]);
    model.note(Part::Glsl, "the GLSL: respond, many times");
    let usual: Vec<Trial> = trials.iter().take(matter::ordinary(variant).len()).cloned().collect();
    list.push(timed(device, "respond", on_cpu, || device::cost(device, model.model, &usual))?);
    Ok(list)
}

/// Combines every set, state and particle, rounded to f32, with its arguments.
fn trials(model: &Watched<'_>, sets: &[Set], states: &[Vec<[f64; 4]>]) -> (Vec<At>, Vec<Trial>) {
    let descriptor = model.model.descriptor();
    let extremes = matter::extremes(descriptor.variant).into_iter().map(|(matter, _)| matter);
    let ordinary = matter::ordinary(descriptor.variant).into_iter();
    let all: Vec<_> = ordinary.chain([Matter::REST]).chain(extremes).map(rounded).collect();
    let steps: &[f64] = if descriptor.claims.rate_independent { &[DT] } else { &RATE_STEPS };
    let (mut places, mut trials) = (Vec::new(), Vec::new());
    for (set, (parameters, states)) in sets.iter().zip(states).enumerate() {
        for state in states {
            for &matter in &all {
                for &dt in steps {
                    let (state, dt) = (state.map(single), single(dt));
                    places.push(At { set, state, hencky: matter.strain.hencky, dt, matter: Some(matter) });
                    trials.push(Trial { constants: parameters.constants.clone(), state, dt, matter });
                }
            }
        }
    }
    (places, trials)
}

/// Rounds to f32, so that both sides start from the same numbers.
fn rounded(matter: Matter) -> Matter {
    let along = |Stretch { hencky, axes }: Stretch| Stretch {
        hencky: hencky.map(single),
        axes: axes.map(|axis| axis.map(single)),
    };
    Matter {
        strain: along(matter.strain),
        branch: along(matter.branch),
        deformation: DMat3::from_cols_array(&matter.deformation.to_cols_array().map(single)),
    }
}

fn compare(
    model: &Watched<'_>,
    sets: &[Set],
    places: &[At],
    trials: &[Trial],
    (answers, again): (&[Answer], &[Answer]),
) -> Vec<Finding> {
    let mut fields = FIELDS.map(|(_, allowed)| Worst::new(allowed));
    let (mut finite, mut sign, mut same) = (Worst::yes_or_no(), Worst::new(0.0), Worst::yes_or_no());
    let mut at_limits = Worst::new(AT_LIMITS);
    let mut most = [0.0_f64; 7];
    let mut beside_borders = 0;
    let mut draw = Draw::new(8);
    for (((&at, trial), answer), second) in places.iter().zip(trials).zip(answers).zip(again) {
        let is_sound = is_finite(answer);
        finite.judge(!is_sound || !(0.0..=1.0).contains(&answer.forget), at);
        same.judge(is_sound && answer != second, at);
        if !is_sound {
            continue;
        }
        sign.enter(answer.energies.iter().fold(0.0, |worst, energy| worst.max(-energy)), at);
        let (case, expected) = double(model, trial);
        if !is_finite(&expected) {
            continue;
        }
        let units = Units::new(model, trial, &expected);
        let Some(spread) = spread(model, trial, (case, &expected), &units, &mut draw) else {
            beside_borders += 1;
            continue;
        };
        let is_ordinary = trial.matter.size()[0] <= 1.0 + 1e-6;
        let found = difference(answer, &expected, &units);
        for (index, (found, spread)) in found.into_iter().zip(spread).enumerate() {
            let worst = if is_ordinary { &mut fields[index] } else { &mut at_limits };
            worst.enter(excess(found, spread), at);
            if is_ordinary {
                most[index] = most[index].max(found);
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
    let descriptor = model.model.descriptor();
    let has_branch = matches!(descriptor.variant, Variant::Tensor { branch: true, .. });
    for ((worst, most), (name, _)) in fields.iter().zip(most).zip(FIELDS) {
        let is_idle = match name {
            "f32 state" => descriptor.states.is_empty(),
            "f32 branch" => !has_branch,
            _ => false,
        };
        if !is_idle {
            list.push(line(worst, name, &format!("{most:.1e} with rounding"), wrong));
        }
    }
    list.push(line(&at_limits, "f32 at the limits", "all of them at stretches of 0.01 and 100", wrong));
    list.push(line(&same, "same answers again", "", "two launches give different answers"));
    list
}

/// Checks that rotated particles have the same energies and the stress rotated with them.
fn objectivity(
    model: &Watched<'_>,
    device: &Arc<Device>,
    sets: &[Set],
    states: &[Vec<[f64; 4]>],
) -> Result<Finding, GpuError> {
    model.note(Part::Glsl, "the GLSL: rotated particles");
    let mut draw = Draw::new(9);
    let (mut turns, mut plain, mut turned) = (Vec::new(), Vec::new(), Vec::new());
    for matter in matter::ordinary(model.model.descriptor().variant) {
        if matter.size()[0] > 0.3 {
            continue;
        }
        for state in &states[0] {
            let turn = rotation(&mut draw);
            let constants = sets[0].constants.clone();
            let trial = Trial { constants, state: state.map(single), dt: single(DT), matter };
            turned.push(Trial { matter: matter.turned(turn).reordered(), ..trial.clone() });
            plain.push(trial);
            turns.push(turn);
        }
    }
    let before = device::evaluate(device, model.model, &plain)?;
    let after = device::evaluate(device, model.model, &turned)?;
    let mut worst = Worst::new(2e-5);
    for ((trial, turn), (a, b)) in plain.iter().zip(&turns).zip(before.iter().zip(&after)) {
        let (case, expected) = double(model, trial);
        let units = Units::new(model, trial, &expected);
        let Some(spread) = spread(model, trial, (case, &expected), &units, &mut draw) else { continue };
        let stress = norm(b.stress - *turn * a.stress * turn.transpose()) / units.stress;
        let energy = largest([0, 1, 2].map(|i| (a.energies[i] - b.energies[i]).abs() / units.stress));
        let hencky = trial.matter.strain.hencky;
        let at = At { set: 0, state: trial.state, hencky, dt: trial.dt, matter: Some(trial.matter) };
        worst.enter(excess(largest([stress, energy]), spread[STRESS].max(spread[ENERGY])), at);
    }
    Ok(worst.finding(
        (model.model, sets),
        Part::Glsl,
        "objectivity",
        "rotated particles, and axes in another order",
        "the answers do not rotate with the particle, or depend on the order of the axes",
    ))
}
