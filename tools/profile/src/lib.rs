//! Measures where the time of a substep goes.
//!
//! [`measure`] runs a scene and fills a [`record::Record`], which [`table`] formats and [`compare`] compares with another; [`trace`]
//! draws the same dispatches over time. `main` is a command line over [`show`] and [`compare`].

pub mod args;
pub mod compare;
pub mod compile;
pub mod law;
pub mod measure;
pub mod record;
pub mod show;
pub mod statistics;
pub mod subject;
pub mod table;
pub mod trace;
