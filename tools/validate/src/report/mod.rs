//! The report: outcomes of cards on disk, and the page that shows them.

mod html;
mod store;

pub use html::page;
pub use store::{Outcome, Store, StoreError};
