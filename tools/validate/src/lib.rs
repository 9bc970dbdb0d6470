//! Benchmarks of mechanics as cards: a scene, a measurement, a reference and a tolerance each.
//!
//! Read first: [`Card`] and one module of [`cards`]. A card gets a [`Lab`] (the models, the device and how much work it may
//! do) and writes what it found into [`Findings`]: numbers with what they should be ([`Check`]), diagrams, pictures, remarks.
//! The program `tuff-validate` runs cards and writes a report; the default tests run the small size of the fast ones.

pub mod bar;
mod card;
pub mod cards;
mod check;
pub mod draws;
mod findings;
mod lab;
pub mod measure;
pub mod points;
pub mod press;
pub mod report;
pub mod scenes;
pub mod shipped;
pub mod sweeps;
mod trial;

pub use card::{ByDefault, Card, Settings, Size};
pub use check::{Check, Deviation, Expected, Verdict};
pub use findings::{BALANCE, DAMPING, Findings, Image, SMOOTHING};
pub use lab::{CardError, Lab, Method};
pub use trial::Trial;
