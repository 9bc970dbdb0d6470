//! Per-particle quantities that frames can contain.

/// A per-particle attribute of a frame file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FrameAttribute {
    /// Velocities.
    Velocity,
    /// Ids, stable for life.
    Id,
    /// Materials, by their index in the manifest's list.
    Material,
    /// Bodies, by their index in the manifest's list.
    Body,
    /// Total volume ratio J.
    VolumeRatio,
    /// Density.
    Density,
    /// Density of the particle distribution.
    Packing,
    /// Elastic strain.
    Strain,
    /// Cauchy stress.
    Stress,
    /// Pressure.
    Pressure,
    /// Von Mises stress.
    VonMises,
    /// Deformation gradient.
    Deformation,
    /// A state word of a material, by its declared name.
    State(String),
}

/// Type of an attribute's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttributeKind {
    /// A scalar.
    Scalar,
    /// An index or id.
    Index,
    /// A vector.
    Vector,
    /// A symmetric tensor.
    Symmetric,
    /// A tensor.
    Tensor,
}

/// An attribute available in every scene.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributeRow {
    /// Name in scene files and frames.
    pub name: &'static str,
    /// The attribute.
    pub attribute: FrameAttribute,
    /// Type of its values.
    pub kind: AttributeKind,
    /// Unit; empty: dimensionless.
    pub unit: &'static str,
    /// Meaning.
    pub help: &'static str,
}

macro_rules! attributes {
    ($($name:literal = $attribute:ident, $kind:ident, $unit:literal, $help:literal;)*) => {
        /// Attributes available in every scene.
        pub const ATTRIBUTES: &[AttributeRow] = &[$(AttributeRow {
            name: $name, attribute: FrameAttribute::$attribute, kind: AttributeKind::$kind, unit: $unit, help: $help,
        }),*];
    };
}

attributes! {
    "velocity" = Velocity, Vector, "m/s", "Velocity; columns vx vy vz.";
    "id" = Id, Index, "", "Id, constant throughout the run.";
    "material" = Material, Index, "", "Index of the material in the scene.";
    "body" = Body, Index, "", "Index of the body in the scene.";
    "J" = VolumeRatio, Scalar, "", "Total volume ratio.";
    "density" = Density, Scalar, "kg/m^3", "Rest density divided by J.";
    "packing" = Packing, Scalar, "", "Number density of particles relative to the body at rest; below 1 at surfaces.";
    "strain" = Strain, Symmetric, "", "Elastic strain b - I.";
    "stress" = Stress, Symmetric, "Pa", "Cauchy stress, tension positive.";
    "pressure" = Pressure, Scalar, "Pa", "Negative mean stress.";
    "von_mises" = VonMises, Scalar, "Pa", "Von Mises stress, sqrt(3/2) |dev sigma|.";
    "deformation" = Deformation, Tensor, "", "Total deformation gradient F since the first frame, advanced by F + dt grad(v) F; costs 48 bytes per particle on the device.";
}

impl FrameAttribute {
    /// Looks up an attribute by name; unknown names are state words.
    pub fn named(name: &str) -> Self {
        let known = ATTRIBUTES.iter().find(|row| row.name == name);
        known.map_or_else(|| Self::State(name.to_owned()), |row| row.attribute.clone())
    }

    /// Returns the row in the table; `None` for a state word.
    pub fn row(&self) -> Option<&'static AttributeRow> {
        ATTRIBUTES.iter().find(|row| row.attribute == *self)
    }

    /// Returns the name in scene files.
    pub fn name(&self) -> &str {
        match self {
            Self::State(name) => name,
            known => known.row().map_or("", |row| row.name),
        }
    }

    /// Returns the type of its values.
    pub fn kind(&self) -> AttributeKind {
        self.row().map_or(AttributeKind::Scalar, |row| row.kind)
    }

    /// Returns the names of its columns in files that store only scalars: `vx vy vz` for the velocity, otherwise
    /// `<name>_<component>`.
    pub fn columns(&self) -> Vec<String> {
        match (self, self.kind().components()) {
            (Self::Velocity, components) => components.iter().map(|axis| format!("v{axis}")).collect(),
            (_, []) => vec![self.name().to_owned()],
            (_, components) => components.iter().map(|c| format!("{}_{c}", self.name())).collect(),
        }
    }
}

impl AttributeKind {
    /// Returns the names of the components in file order, row by row for tensors; empty for scalars.
    pub fn components(self) -> &'static [&'static str] {
        match self {
            Self::Scalar | Self::Index => &[],
            Self::Vector => &["x", "y", "z"],
            Self::Symmetric => &["xx", "yy", "zz", "yz", "xz", "xy"],
            Self::Tensor => &["xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"],
        }
    }
}
