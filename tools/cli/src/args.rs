//! Arguments that say which scene and which models.

use std::path::PathBuf;

use clap::Args;
use tuff_scene::Override;

/// Where models come from.
#[derive(Debug, Args)]
pub struct LibraryArgs {
    /// Folder with material libraries, or one library; searched first. Also: TUFF_MATERIAL_PATH
    #[arg(long, value_name = "DIR")]
    pub material_path: Vec<PathBuf>,
}

/// A scene and the changes to it.
#[derive(Debug, Args)]
pub struct SceneArgs {
    /// Scene file (TOML)
    #[arg(value_name = "SCENE")]
    pub scene: PathBuf,
    /// Override a key of the scene: PATH=VALUE, for example time.max_substep=5e-5 (may be repeated)
    #[arg(long, value_name = "PATH=VALUE", value_parser = parse_override)]
    pub set: Vec<Override>,
    /// Scale spacing and kernel radius together to reach about N particles
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub particles: Option<u64>,
    /// Where models come from.
    #[command(flatten)]
    pub library: LibraryArgs,
}

fn parse_override(text: &str) -> Result<Override, String> {
    Override::parse(text).map_err(|error| error.messages().collect::<Vec<_>>().join("; "))
}
