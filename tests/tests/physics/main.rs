//! Cards of the validation plan.
fn main() {}
