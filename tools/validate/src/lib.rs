//! Benchmarks of mechanics as cards, each with a scene, a measurement, a reference and a tolerance.
//!
//! Read first: [`Card`] and one module of [`cards`]. A card receives a [`Lab`] (the models, the device and the amount of work it may do)
//! and adds to [`Findings`]: numbers with their expected values ([`Check`]), diagrams, pictures, remarks. The program `tuff-validate`
//! runs cards and writes a report; the default tests run the fast cards at their smallest size.

pub mod bar;
mod card;
pub mod cards;
mod check;
pub mod draws;
mod findings;
mod lab;
pub mod machine;
pub mod measure;
pub mod meshes;
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
