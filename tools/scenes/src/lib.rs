//! Scenes that nobody arranged: [`draw()`] combines shapes, materials, samplings, colliders, stacking, velocities and steps as a
//! careless user would, and [`judge()`] holds their runs against what must hold in any scene, whatever it shows.

mod draw;
mod judge;

pub use draw::draw;
pub use judge::{Fault, JudgeError, Judgement, judge};
