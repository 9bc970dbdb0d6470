//! The explicit material point method, a baseline for comparison: MLS-MPM with APIC transfers (Hu et al. 2018, Jiang et al.
//! 2015), quadratic B-splines and the models' f64 return mapping after every step (with Drucker-Prager, the method of Klar et al.
//! 2016).
//!
//! Entry points: [`MpmSolver`] takes a [`tuff_problem::Problem`]; [`step::advance`] is one step. The formulas are in
//! `engine/reference/README.md`. f64, serial, deterministic.

pub mod grid;
pub mod points;
pub mod step;

mod solver;

pub use solver::MpmSolver;
