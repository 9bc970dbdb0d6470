//! Scenes of `configs/scenes` that cards run, so that the measurements are made on what users run.
//!
//! Their text is embedded in the program: a renamed scene is a compile error, and the program can be copied to another machine without
//! the repository.

/// A scene file.
#[derive(Debug, Clone, Copy)]
pub struct Shipped {
    /// Name in messages.
    pub file: &'static str,
    /// Content.
    pub text: &'static str,
}

macro_rules! shipped {
    ($($name:ident $file:literal),* $(,)?) => {
        $(
            #[doc = concat!("`configs/scenes/", $file, "`.")]
            pub const $name: Shipped =
                Shipped { file: $file, text: include_str!(concat!("../../../configs/scenes/", $file)) };
        )*
    };
}

shipped! {
    BRITTLE_CANDY "brittle_candy.toml",
    CANTILEVER "cantilever.toml",
    FRICTION_ANGLES "friction_angles.toml",
    GOO_COIL "goo_coil.toml",
    HB_DROP_TRIO "hb_drop_trio.toml",
    HOURGLASS "hourglass.toml",
    NOTCHED_SAND_BLOCK "notched_sand_block.toml",
    SNOW_BLOCK_DROP "snow_block_drop.toml",
    SNOWBALL_WALL "snowball_wall.toml",
    TWO_SAND_BLOCKS "two_sand_blocks.toml",
    VISCOPLASTIC_DROP "viscoplastic_drop.toml",
    WHEEL_PRESS "wheel_press.toml",
}
