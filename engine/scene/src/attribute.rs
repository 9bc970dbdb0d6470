//! What a frame can hold of every particle.

/// A per-particle attribute of a frame file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FrameAttribute {
    /// Velocities.
    Velocity,
    /// Ids, stable for life.
    Id,
    /// Materials, by their place in the manifest's list.
    Material,
    /// Bodies, by their place in the manifest's list.
    Body,
    /// Total volume ratio J.
    VolumeRatio,
    /// Density.
    Density,
    /// Density of the particles themselves.
    Packing,
    /// Elastic strain.
    Strain,
    /// Cauchy stress.
    Stress,
    /// Pressure.
    Pressure,
    /// Stress by von Mises.
    VonMises,
    /// Deformation gradient.
    Deformation,
    /// A state word of a material, by its declared name.
    State(String),
}

/// What the values of an attribute are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttributeKind {
    /// A number.
    Scalar,
    /// A place in a list, or an id.
    Index,
    /// A vector.
    Vector,
    /// A symmetric tensor.
    Symmetric,
    /// A tensor.
    Tensor,
}

/// An attribute that every scene has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributeRow {
    /// Name in scene files and frames.
    pub name: &'static str,
    /// The attribute.
    pub attribute: FrameAttribute,
    /// What its values are.
    pub kind: AttributeKind,
    /// Unit; empty: dimensionless.
    pub unit: &'static str,
    /// Meaning.
    pub help: &'static str,
}

macro_rules! attributes {
    ($($name:literal = $attribute:ident, $kind:ident, $unit:literal, $help:literal;)*) => {
        /// The attributes that every scene has.
        pub const ATTRIBUTES: &[AttributeRow] = &[$(AttributeRow {
            name: $name, attribute: FrameAttribute::$attribute, kind: AttributeKind::$kind, unit: $unit, help: $help,
        }),*];
    };
}

attributes! {
    "velocity" = Velocity, Vector, "m/s", "Velocity; columns vx vy vz.";
    "id" = Id, Index, "", "Id, stable for life.";
    "material" = Material, Index, "", "Place of the material in the scene.";
    "body" = Body, Index, "", "Place of the body in the scene.";
    "J" = VolumeRatio, Scalar, "", "Volume over that at rest.";
    "density" = Density, Scalar, "kg/m^3", "Rest density over J.";
    "packing" = Packing, Scalar, "", "Density of the particles themselves, in parts of that of the body at rest: below 1 at surfaces.";
    "strain" = Strain, Symmetric, "", "Elastic strain b - I.";
    "stress" = Stress, Symmetric, "Pa", "Cauchy stress, tension positive.";
    "pressure" = Pressure, Scalar, "Pa", "Minus a third of the trace of the stress.";
    "von_mises" = VonMises, Scalar, "Pa", "sqrt(3/2) times the norm of the deviator of the stress.";
    "deformation" = Deformation, Tensor, "", "Deformation gradient F since the first frame, plastic part included, advanced by F + dt grad(v) F; 48 bytes a particle \
                     on the device where it is asked for. Grains keep I.";
}

impl FrameAttribute {
    /// The attribute of this name: a state word where none of every scene has it.
    pub fn named(name: &str) -> Self {
        let known = ATTRIBUTES.iter().find(|row| row.name == name);
        known.map_or_else(|| Self::State(name.to_owned()), |row| row.attribute.clone())
    }

    /// Its row in the table; none for a state word.
    pub fn row(&self) -> Option<&'static AttributeRow> {
        ATTRIBUTES.iter().find(|row| row.attribute == *self)
    }

    /// Its name in scene files; that of its columns follows from it, but for `velocity`, whose columns are `vx vy vz`.
    pub fn name(&self) -> &str {
        match self {
            Self::State(name) => name,
            known => known.row().map_or("", |row| row.name),
        }
    }

    /// What its values are.
    pub fn kind(&self) -> AttributeKind {
        self.row().map_or(AttributeKind::Scalar, |row| row.kind)
    }

    /// Names of its columns where a file holds numbers alone.
    pub fn columns(&self) -> Vec<String> {
        match (self, self.kind().components()) {
            (Self::Velocity, components) => components.iter().map(|axis| format!("v{axis}")).collect(),
            (_, []) => vec![self.name().to_owned()],
            (_, components) => components.iter().map(|c| format!("{}_{c}", self.name())).collect(),
        }
    }
}

impl AttributeKind {
    /// What the components are called, in the order of files; none where there is one value alone. A tensor goes row by row.
    pub fn components(self) -> &'static [&'static str] {
        match self {
            Self::Scalar | Self::Index => &[],
            Self::Vector => &["x", "y", "z"],
            Self::Symmetric => &["xx", "yy", "zz", "yz", "xz", "xy"],
            Self::Tensor => &["xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"],
        }
    }
}
