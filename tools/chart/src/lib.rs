//! Diagrams for reports and pictures: curves over axes with units, pages of them, as SVG and PNG.

mod chart;
mod page;

pub use chart::{Axis, BLACK, Chart, Curve, GREY, number};
pub use page::{Page, PageError};
