//! `tuff presets [NAME]`.

use std::fmt::Write;

use crate::args::PresetsArgs;
use tuff_cli::exit::Stop;
use tuff_cli::print;

/// Lists the presets that ship, or prints one as a file to start from.
pub fn presets(args: &PresetsArgs) -> Result<(), Stop> {
    let Some(name) = &args.name else {
        let mut text = String::new();
        for preset in tuff_scene::presets() {
            let _ = writeln!(text, "{:<18} {:<17} {}", preset.name, preset.model(), preset.help());
        }
        return print::out(&text);
    };
    let preset = tuff_scene::presets().find(|p| p.name == name).ok_or_else(|| {
        let known: Vec<_> = tuff_scene::presets().map(|p| p.name).collect();
        Stop::bad_input(format!("no preset `{name}` ships; available: {}", known.join(", ")))
    })?;
    print::out(preset.text)
}
