//! `tuff schema`.

use crate::exit::Stop;
use crate::print;

/// Prints the JSON schema of scene files.
pub fn schema() -> Result<(), Stop> {
    print::out(&format!("{:#}\n", tuff_scene::schema()))
}
