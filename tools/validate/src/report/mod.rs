//! The report: outcomes of cards on disk, and the page that shows them.

mod html;
mod kept;
mod store;

pub use html::page;
pub use kept::{RUNS, keep, without_pictures};
pub use store::{Outcome, Store, StoreError};
