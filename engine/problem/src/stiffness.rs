//! Matter so stiff that the substeps neither resolve its waves nor, with sweeps, find its balance.

use tuff_scene::{Matter, Scheme, Warning};

use crate::problem::Problem;

/// Spacings that sound may cross in a fixed substep of `newton_cg` without a warning: a beam of rubber at 46 (the scene
/// `elastic_beam`) balances in 50 passes.
const FAR: f64 = 50.0;

/// Spacings that sound may cross in a substep of sweeps without a warning. Sweeps spread balance like diffusion: n spacings take
/// about n^2 sweeps.
const FAR_BY_SWEEPS: f64 = 8.0;

/// Wave-resolving substeps per frame above which there is a warning, although cheaper ones are sought.
const MANY: f64 = 2000.0;

/// Returns a warning for each material of a body whose waves the scene's substeps cannot resolve. With `newton_cg` only the waves
/// are lost; what sweeps leave unbalanced is stored as stress and thrown back.
pub fn warnings(problem: &Problem) -> Vec<Warning> {
    let scene = &problem.scene;
    if scene.solver.matter != Matter::Continuum {
        return Vec::new();
    }
    let sweeps = scene.solver.scheme != Scheme::NewtonCg;
    let mut warned = Vec::new();
    let mut warnings = Vec::new();
    for (index, body) in scene.bodies.iter().enumerate() {
        let step = problem.stable_step(index);
        let substeps = 1.0 / scene.time.frame_rate / step;
        let (dt, crossings) = (problem.dt(), problem.crossings(index));
        let rounds = scene.solver.iterations;
        let far = if sweeps { FAR_BY_SWEEPS.max(f64::from(rounds).sqrt()) } else { FAR };
        let asks = match scene.time.substep_bounds {
            Some(_) if substeps > MANY => {
                format!("resolving its waves would take {substeps:.0} substeps a frame")
            }
            None if crossings > far => {
                format!("sound crosses {crossings:.0} particles in a substep of {dt:.3e} s")
            }
            _ => continue,
        };
        if warned.contains(&body.material) {
            continue;
        }
        warned.push(body.material);
        let (follows, way_out) = if sweeps {
            let follows = format!("{rounds} sweeps leave it far from balance, and impacts may throw it away");
            (
                follows,
                format!(
                    "`scheme = \"newton_cg\"` with {} iterations or more balances it; ",
                    Scheme::NEWTON_PASSES
                ),
            )
        } else {
            (format!("impacts and vibrations of `{}` will be damped", body.name), String::new())
        };
        let message = format!("is so stiff that {asks}: {follows}");
        let help = format!(
            "{way_out}if it hardly deforms and does not yield, a hundredth of its moduli looks the same and allows steps ten times \
             as long; steps of {step:.2e} s resolve its waves"
        );
        warnings.push(scene.warn_material(body.material, &message, help));
    }
    warnings
}
