//! The trait that a model implements, and the inputs and results of its functions.

use crate::descriptor::{Descriptor, ParameterKind};

/// A constitutive model. [`crate::export_material!`] turns it into a library.
///
/// Functions are pure, take principal Hencky strains `eps_i = ln s_i` and work in f64; `GLSL` contains the same formulas for the
/// device.
pub trait ConstitutiveModel: 'static {
    /// File name of [`Self::GLSL`] for messages of the shader compiler.
    const GLSL_NAME: &'static str;
    /// GLSL text, usually `include_str!("<id>.glsl")`.
    const GLSL: &'static str;
    /// True if the model is a fluid: it keeps no strain from step to step. At the start of each substep the solver gives it the
    /// isotropic strain `ln J = 1 - rho / rho_0` of the density rho around a particle, to which the strain of the step adds.
    const FLUID: bool = false;

    /// Returns the description of the model, its parameters and its state.
    fn descriptor() -> Descriptor;

    /// Converts parameters to constants, with every conversion and every check that needs more than one parameter.
    ///
    /// # Errors
    /// The parameter at fault, and the reason.
    fn prepare(parameters: &Parameters) -> Result<Vec<f64>, ParameterError>;

    /// Returns the return mapping of the trial strain in `point`, from the state at the start of the substep.
    fn project(point: &Point) -> Projection;

    /// Returns the elastic energy density Psi >= 0, 0 at rest \[Pa\].
    fn energy(point: &Point) -> f64;

    /// Returns the principal Kirchhoff stresses d Psi / d eps_i, tension positive \[Pa\].
    fn kirchhoff(point: &Point) -> [f64; 3];

    /// Returns the principal Kirchhoff stresses after the return mapping of the trial strain in `point` \[Pa\]: a model that can
    /// compute them for less than the two functions together may override this one.
    #[inline]
    fn stress(point: &Point) -> [f64; 3] {
        Self::kirchhoff(&Point { hencky: Self::project(point).hencky, ..*point })
    }

    /// Returns the small-strain moduli.
    fn moduli(point: &Point) -> Moduli;

    /// Returns the step \[s\] within which the fastest wave crosses `spacing` \[m\] at `density` [kg/m^3].
    fn stable_step(constants: &[f64], density: f64, spacing: f64) -> f64;
}

/// Input of a model's functions.
#[derive(Clone, Copy, Debug)]
pub struct Point<'a> {
    /// Prepared constants.
    pub constants: &'a [f64],
    /// State words at the start of the substep.
    pub state: [f64; 4],
    /// Principal Hencky strains \[-\].
    pub hencky: [f64; 3],
    /// Length of the substep \[s\].
    pub dt: f64,
}

/// Result of a return mapping.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Projection {
    /// Projected principal Hencky strains \[-\].
    pub hencky: [f64; 3],
    /// State words after the substep.
    pub state: [f64; 4],
    /// Share of the remembered non-affine displacement that survives, 0 to 1 \[-\].
    pub forget: f64,
    /// One of the `CASE_*` numbers of [`crate::abi`].
    pub case: u32,
}

/// Small-strain moduli.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moduli {
    /// mu \[Pa\].
    pub shear: f64,
    /// kappa \[Pa\].
    pub bulk: f64,
}

/// Parameters by name, in SI units, as given by a scene.
#[derive(Clone, Copy, Debug)]
pub struct Parameters<'a> {
    descriptor: &'a Descriptor,
    values: &'a [f64],
}

/// Reason why parameters were rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterError {
    /// Name of the parameter at fault, if it is a single one.
    pub parameter: Option<String>,
    /// The fault, and what is allowed.
    pub message: String,
}

impl<'a> Parameters<'a> {
    /// Wraps values in the order of the descriptor's parameters; `None` if the counts differ.
    pub fn new(descriptor: &'a Descriptor, values: &'a [f64]) -> Option<Self> {
        (descriptor.parameters.len() == values.len()).then_some(Self { descriptor, values })
    }

    /// Returns the value of a parameter that may be absent.
    pub fn get(&self, name: &str) -> Option<f64> {
        let index = self.descriptor.parameter_index(name)?;
        Some(self.values[index]).filter(|value| !value.is_nan())
    }

    /// Returns the value of a parameter that is required or has a default.
    ///
    /// # Errors
    /// The parameter is absent.
    pub fn need(&self, name: &str) -> Result<f64, ParameterError> {
        self.get(name).ok_or_else(|| ParameterError::of(name, format!("{name} is missing")))
    }

    /// Returns the value of a switch.
    ///
    /// # Errors
    /// The parameter is absent.
    pub fn flag(&self, name: &str) -> Result<bool, ParameterError> {
        Ok(self.need(name)? != 0.0)
    }

    /// Returns name and value of the parameter that is given, of several alternatives, if any.
    ///
    /// # Errors
    /// Two of them are given.
    pub fn at_most_one<'n>(&self, names: &[&'n str]) -> Result<Option<(&'n str, f64)>, ParameterError> {
        self.one_of(names, "at most")
    }

    /// Like [`Self::at_most_one`], but one must be given; `what` names the quantity.
    ///
    /// # Errors
    /// None or two of them are given.
    pub fn exactly_one<'n>(&self, what: &str, names: &[&'n str]) -> Result<(&'n str, f64), ParameterError> {
        self.one_of(names, "exactly")?.ok_or_else(|| {
            let message = format!("no {what} is given; give exactly one of {}", names.join(", "));
            ParameterError::of(names.first().copied().unwrap_or_default(), message)
        })
    }

    fn one_of<'n>(&self, names: &[&'n str], how: &str) -> Result<Option<(&'n str, f64)>, ParameterError> {
        let mut given = names.iter().filter_map(|&name| Some((name, self.get(name)?)));
        let first = given.next();
        if let (Some((first, _)), Some((second, _))) = (first, given.next()) {
            let names = names.join(", ");
            let message = format!("both {first} and {second} are given; give {how} one of {names}");
            return Err(ParameterError::of(second, message));
        }
        Ok(first)
    }

    /// Checks every value against the descriptor's ranges and required marks.
    ///
    /// # Errors
    /// The first parameter that is missing or outside its range.
    pub fn check_ranges(&self) -> Result<(), ParameterError> {
        for (parameter, &value) in self.descriptor.parameters.iter().zip(self.values) {
            let name = &parameter.name;
            if value.is_nan() {
                if parameter.required || parameter.default.is_some() {
                    return Err(ParameterError::of(
                        name,
                        format!("{name} is missing ({})", parameter.range()),
                    ));
                }
            } else if !parameter.accepts(value) {
                let unit = match (&parameter.kind, parameter.unit.as_str()) {
                    (ParameterKind::Number, unit) if unit != "-" => format!(" {unit}"),
                    _ => String::new(),
                };
                let allowed = parameter.range();
                return Err(ParameterError::of(name, format!("{name} = {value}{unit} is outside {allowed}")));
            }
        }
        Ok(())
    }
}

impl ParameterError {
    /// Creates an error of one parameter.
    pub fn of(parameter: &str, message: impl Into<String>) -> Self {
        Self { parameter: Some(parameter.into()), message: message.into() }
    }

    /// Creates an error of no single parameter.
    pub fn general(message: impl Into<String>) -> Self {
        Self { parameter: None, message: message.into() }
    }
}

impl std::fmt::Display for ParameterError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for ParameterError {}
