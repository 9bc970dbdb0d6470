//! Experiments of the XPBI paper, one constant per card.

/// Why most of them have no default settings.
const SUBJECT: &str = "the settings are what the figure compares";

mod coiling;
mod convergence;
mod cost_shares;
mod friction_angles;
mod hb_drop;
mod hourglass;
mod neighbors;
mod notched_block;
mod resolutions;
mod sand_blocks;
mod snow_steps;
mod step_ablation;
mod wheel_press;

pub use coiling::CARD as P4;
pub use convergence::CARD as P6;
pub use cost_shares::{RATES as P14, SHARES as P11};
pub use friction_angles::CARD as P2;
pub use hb_drop::CARD as P1;
pub use hourglass::CARD as P15;
pub use neighbors::CARD as P13;
pub use notched_block::CARD as P3;
pub use resolutions::CARD as P10;
pub use sand_blocks::{DENSITY as P8, SPREAD as P7};
pub use snow_steps::CARD as P9;
pub use step_ablation::CARD as P12;
pub use wheel_press::CARD as P5;
