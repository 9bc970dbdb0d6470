//! Lines of the report about the f64 functions of a tensor model.

use tuff_plugin::Variant;

use super::laws::Laws;
use crate::check::findings::{At, Finding, Part, Place, Verdict, Worst};
use crate::check::journal::Watched;
use crate::check::laws::{STRAY, impossible};
use crate::check::sets::Set;

/// Ratio of stiffness to moduli at rest, in every direction, below which a model is reported as soft.
const SOFT: f64 = 0.1;

/// Returns the findings on every law.
pub fn findings(laws: &Laws, model: &Watched<'_>, sets: &[Set]) -> Vec<Finding> {
    let claims = model.model.descriptor().claims;
    let line = |worst: &Worst, check: &str, right: &str, wrong: &str| {
        worst.finding((model.model, sets), Part::Double, check, right, wrong)
    };
    let skip = |check: &str, text: &str| Finding::new(Part::Double, check, Verdict::Skipped, text);
    let claimed = |claim: bool, worst: &Worst, check: &str, wrong: &str| {
        if claim { line(worst, check, "", wrong) } else { skip(check, "not claimed") }
    };
    let trials = format!("{} trials", laws.trials);
    let fault = laws.fault.as_ref().map_or_else(String::new, |fault| format!(" ({fault})"));
    let not_finite = format!("an answer is not finite, or forget is not within 0 to 1{fault}");
    let lost = "an answer is not finite";
    let place = |at: Option<At>| at.map(|at| Place::new(model.model, &sets[at.set], at));
    let mut list = vec![
        line(&laws.rest, "rest", "", "without strain there is energy or stress, or advance moves something"),
        line(&laws.finite, "finite answers", &trials, &not_finite),
        line(&laws.constants, "constants in range", "", STRAY),
        line(
            &laws.slope,
            "energy against stress",
            "",
            "respond's energy is not the potential of its stress when strain, branch and F are carried along: check both formulas, \
             and what a step relaxes",
        ),
        line(&laws.sign, "energy not negative", "", "energy is negative: use sums of squares, exp_remainder"),
        line(
            &laws.moduli,
            "moduli at rest",
            "they bound the stiffness in every direction",
            "moduli are softer than the slope of respond's stress at rest in some direction: solvers may overshoot",
        ),
        line(
            &laws.objectivity,
            "objectivity",
            "rotated particles, and axes in another order",
            "the answers do not rotate with the particle, or depend on the order of the axes: use only directions that F carries \
             and the axes of the strains",
        ),
        line(&laws.axes, "axes", "", "advance returns axes that are not perpendicular unit vectors"),
        isotropy(laws, claims.isotropic, &line),
        claimed(
            claims.volume_preserving,
            &laws.volume,
            "volume",
            "claimed, but advance changes the sum of the Hencky strains of the strain or of the branch",
        ),
        line(
            &laws.twice,
            "advanced twice",
            if laws.is_rate_dependent { "steps of length 0" } else { "" },
            "advancing what advance returned changes it again",
        ),
    ];
    if laws.used.0 < SOFT {
        let text = format!(
            "moduli are at least {:.0} times the stiffness at rest: solvers take small steps",
            1.0 / laws.used.0
        );
        let note = Finding::new(Part::Double, "moduli much too stiff", Verdict::Note, text);
        list.push(Finding { place: place(laws.used.1), ..note });
    }
    list.push(if claims.dissipative {
        line(
            &laws.gain,
            "no energy gain",
            "energy after advance <= energy of respond <= energy before",
            "claimed to be dissipative, but the energy is higher after advance, or that of respond is not between the stored \
             energies after and before",
        )
    } else {
        let text = format!("not claimed; the largest gain is {:.1e} of the stiffness", laws.gain.deviation);
        skip("no energy gain", &text)
    });
    list.push(if laws.is_rate_dependent {
        line(&laws.steps, "time steps 0, 1 ns and 1 s", "", lost)
    } else {
        line(&laws.rate, "rate independence", "", "claimed, but dt changes what respond or advance returns")
    });
    list.extend([
        needs(laws, model.model.descriptor().variant, &line),
        line(&laws.crushed, "J -> 0", "all stretches 0.01", lost),
        line(&laws.inverted, "inverted", "stretches of 0.01, and F inside out", lost),
        line(&laws.huge, "huge strain", "stretches of 100", lost),
        Finding {
            place: place(laws.impossible_finite),
            ..impossible(laws.impossible_fault.as_deref(), laws.impossible_finite.is_some())
        },
        line(
            &laws.again,
            "same answers again",
            "one and two threads",
            "the same arguments give different answers: a function keeps something between calls",
        ),
    ]);
    list
}

type Line<'a> = dyn Fn(&Worst, &str, &str, &str) -> Finding + 'a;

fn isotropy(laws: &Laws, is_claimed: bool, line: &Line<'_>) -> Finding {
    if is_claimed {
        let wrong = "claimed, but it matters how the particle was rotated before it was strained";
        return line(&laws.isotropy, "isotropy", "", wrong);
    }
    let (verdict, text) = if laws.isotropy.holds() {
        (
            Verdict::Note,
            "not claimed, but no answer depends on how the particle was rotated before it was strained",
        )
    } else {
        (Verdict::Skipped, "not claimed")
    };
    Finding::new(Part::Double, "isotropy", verdict, text)
}

fn needs(laws: &Laws, variant: Variant, line: &Line<'_>) -> Finding {
    let wrong =
        "the answers change with a branch or F that the descriptor does not ask for: runs keep it at rest";
    let Variant::Tensor { branch, deformation } = variant else {
        return line(&laws.needs, "needs", "", wrong);
    };
    let idle: Vec<_> = [("the branch", branch && !laws.reacts[0]), ("F", deformation && !laws.reacts[1])]
        .into_iter()
        .filter_map(|(name, is_idle)| is_idle.then_some(name))
        .collect();
    if idle.is_empty() || !laws.needs.holds() {
        return line(&laws.needs, "needs", "", wrong);
    }
    let text = format!(
        "the descriptor asks for {}, but no answer depends on it: memory for nothing",
        idle.join(" and ")
    );
    Finding::new(Part::Double, "needs", Verdict::Note, text)
}
