//! E6: distance of results from their limit with few particles across: a beam, a slump, a column of sand, a bar of metal that hits a
//! wall.
//!
//! Beam and slump have closed forms (cards B31 and B23). The bar has none: its limit is extrapolated from the two finest sizes, assuming
//! that the error is proportional to the spacing, `q + (q - q') h / (h' - h)` with q' and h' of the coarser one. A column of sand has
//! none either, and the random scattering of its points changes it by some hundredths, which an extrapolation would amplify: it is
//! compared with the finest size. The column is as high as its radius; its run-out is that of 95 % of its grains, because single grains
//! roll anywhere. Lube et al. 2004 measured `(r - r0) / r0 = 1.24` at this aspect ratio, with grains of any friction and up to the last
//! grain; this value is recorded alongside.

use tuff_chart::{Axis, Chart, Curve};

use super::{cantilever, metal_bar, slump};
use crate::measure::positions;
use crate::scenes::{body, contact_radius, floor, material, scattered, scene};
use crate::{ByDefault, Card, CardError, Expected, Findings, Lab};

/// The card.
pub const CARD: Card = Card {
    id: "E6",
    title: "Error against particles across",
    reference: "Beam theory; Pashias et al. 1996; limits of column and bar",
    figure: None,
    by_default: ByDefault::Judged([0.5, 1.6, 30.0]),
    minutes: [0.6, 4.0, 50.0],
    run,
};

/// Radius and height of the column of sand [m].
const COLUMN: f64 = 0.08;
const GRAVITY: f64 = 9.81;
/// Yield stress of the slump, tau_y / (rho g H).
const STRENGTH: f64 = 0.15;

/// Results for several numbers of particles across.
struct Study {
    name: &'static str,
    /// Number of particles across, and the result.
    found: Vec<(u32, f64)>,
    /// Limit for infinitely many particles.
    limit: f64,
}

impl Study {
    /// Extrapolates the limit from the two finest sizes.
    fn extrapolated(name: &'static str, found: Vec<(u32, f64)>) -> Self {
        let limit = match found[..] {
            [.., (coarse, other), (fine, q)] => {
                let ratio = f64::from(fine) / f64::from(coarse);
                q + (q - other) / (ratio - 1.0)
            }
            _ => f64::NAN,
        };
        Self { name, found, limit }
    }

    /// Takes the finest size as the limit.
    fn against_finest(name: &'static str, found: Vec<(u32, f64)>) -> Self {
        let limit = found.last().map_or(f64::NAN, |(_, q)| *q);
        Self { name, found, limit }
    }

    /// Returns the errors relative to the limit.
    fn errors(&self) -> Vec<[f64; 2]> {
        let error = |q: f64| ((q - self.limit) / self.limit).abs();
        self.found.iter().map(|&(across, q)| [f64::from(across), error(q)]).collect()
    }
}

fn run(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let sizes: &[u32] = lab.pick(&[4, 6], &[4, 6, 8], &[6, 8, 12]);
    let rough: &[u32] = lab.pick(&[6, 8], &[6, 8, 12], &[8, 12, 20]);
    let each = |sizes: &[u32], mut one: Box<dyn FnMut(u32) -> Result<f64, CardError> + '_>| {
        sizes.iter().map(|&n| Ok((n, one(n)?))).collect::<Result<Vec<_>, CardError>>()
    };
    let beam = each(sizes, Box::new(|n| cantilever::deflection(lab, n)))?;
    let fallen = each(rough, Box::new(|n| slump::settle(lab, n, STRENGTH, findings)))?;
    let column = each(rough, Box::new(|n| run_out(lab, n)))?;
    let bar = each(sizes, Box::new(|n| metal_bar::length(lab, n)))?;
    let studies = [
        Study { name: "deflection of a beam", found: beam, limit: 1.0 },
        Study { name: "slump of a cylinder", found: fallen, limit: slump::slump(STRENGTH) },
        Study::against_finest("run-out of a column of sand", column),
        Study::extrapolated("length of a bar after impact", bar),
    ];
    // Bounds on the error at the last size before the limit. The slump law considers sections and meets experiments to within 0.05 to 0.1
    // of H: 0.08 of H, as in B23.
    let bounds = [lab.pick(0.09, 0.05, 0.04), 0.08 / slump::slump(STRENGTH), 0.15, 0.05];
    let mut chart = Chart {
        title: "Error against particles across".to_owned(),
        x: Axis { label: "particles across".to_owned(), unit: "1", log: true },
        y: Axis { label: "relative error".to_owned(), unit: "1", log: true },
        ..Chart::default()
    };
    for (index, (study, bound)) in studies.iter().zip(bounds).enumerate() {
        let errors = study.errors();
        for (&(across, q), [_, error]) in study.found.iter().zip(&errors) {
            findings.record(format!("{}, {across} across", study.name), "", q);
            findings.record(format!("error of {}, {across} across", study.name), "", *error);
        }
        // The finest size has no error if it serves as the limit.
        if let Some([across, error]) = errors.iter().rev().find(|[_, error]| *error > 0.0) {
            let what = format!("error of {}, {across} across, at most", study.name);
            findings.check(what, "", *error, Expected::AtMost(bound));
        }
        let errors = errors.into_iter().filter(|[_, error]| *error > 0.0).collect();
        chart.curves.push(Curve::line(study.name, index, errors));
    }
    findings.diagram(&chart);
    findings.remark(
        "Deflection over beam theory, slump over H, run-out (r - r0) / r0 of 95 % of the grains (Lube et al. 2004: 1.24 for all), \
         length over that before the impact."
            .to_owned(),
    );
    Ok(())
}

/// Returns how far a column of sand has spread at rest: `(r - r0) / r0` of 95 % of its grains.
fn run_out(lab: &Lab, across: u32) -> Result<f64, CardError> {
    let spacing = 2.0 * COLUMN / f64::from(across);
    let shape = format!(
        "{{ cylinder = {{ from = [0.0, 0.0, 0.0], to = [0.0, {:?}, 0.0], radius = {:?} }} }}",
        COLUMN - spacing,
        COLUMN - 0.5 * spacing
    );
    let parts = material("drucker_prager", 1600.0, 3.5e5, 0.3, "friction_angle = 30.0")
        + &body("column", &shape, &scattered(spacing), "");
    let rest = parts.clone() + &floor(contact_radius(lab, spacing, &parts)?, "friction = 0.6");
    let dt = 0.2 * spacing / (1.35 * 3.5e5 / 1600.0_f64).sqrt();
    let mut trial = lab.trial(&scene(dt, [0.0, -GRAVITY, 0.0], spacing, "iterations = 10\n", &rest))?;
    let radii = |x: &[glam::DVec3]| {
        let mut radii: Vec<f64> = x.iter().map(|x| x.x.hypot(x.z)).collect();
        radii.sort_by(f64::total_cmp);
        radii[(radii.len() - 1) * 19 / 20]
    };
    let before = radii(&positions(&trial.now()?));
    trial.run(8.0 * (COLUMN / GRAVITY).sqrt())?;
    Ok(radii(&positions(&trial.now()?)) / before - 1.0)
}
