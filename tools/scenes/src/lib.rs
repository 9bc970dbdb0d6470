//! Random scenes: [`draw()`] combines shapes, materials, samplings, colliders, stacking, velocities and steps like a careless user would,
//! and [`judge()`] checks their runs for what must hold in any scene.

mod company;
mod draw;
mod judge;

pub use draw::{Company, Drawn, draw};
pub use judge::{Fault, JudgeError, Judgement, judge};
