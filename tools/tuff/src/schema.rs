//! `tuff schema`.

use tuff_cli::exit::Stop;
use tuff_cli::print;

/// Prints the JSON schema of scene files.
pub fn schema() -> Result<(), Stop> {
    print::out(&format!("{:#}\n", tuff_scene::schema()))
}
