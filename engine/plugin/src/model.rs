//! One loaded model.

use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use tuff_material_sdk::abi::{
    self, ABI_VERSION, CLAIM_FLUID, ENTRY_SYMBOL, EnergyFn, EntryFn, KirchhoffFn, ModuliFn, PrepareFn,
    ProjectFn, StableStepFn, StressFn, TuffBatch, TuffError, TuffHost, TuffModuli, TuffPoint, TuffProjection,
    TuffString,
};
use tuff_material_sdk::descriptor::{Descriptor, Initial, Variant};
use tuff_material_sdk::{Moduli, Parameters, Projection, TensorPoint};

use crate::read::Reader;
use crate::tensor::TensorFunctions;
use crate::{PluginError, PrepareError, content_hash, image, watchdog};

/// GLSL functions that the engine calls, after the prefix `<id>_`.
const PRINCIPAL_GLSL: [&str; 4] = ["project", "energy", "kirchhoff", "moduli"];
const TENSOR_GLSL: [&str; 4] = ["respond", "advance", "energy", "moduli"];

/// Value and number of the guard words behind the constants that `prepare` fills: a library that writes more constants than it
/// declares is detected and does no harm.
const GUARD: f64 = -7.25e-161;
const GUARD_COUNT: usize = 64;

/// A constitutive model of a loaded library. The library stays loaded until the process ends.
#[derive(Clone, Debug)]
pub struct Model {
    file: PathBuf,
    hash: u64,
    descriptor: Descriptor,
    glsl_name: String,
    glsl: String,
    glsl_file: Option<PathBuf>,
    fluid: bool,
    functions: Functions,
    fault: Arc<OnceLock<String>>,
}

#[derive(Clone, Copy, Debug)]
struct Functions {
    prepare: PrepareFn,
    moduli: ModuliFn,
    stable_step: StableStepFn,
    law: Law,
}

/// Functions that only one of the variants has.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Law {
    Principal { project: ProjectFn, energy: EnergyFn, kirchhoff: KirchhoffFn, stress: Option<StressFn> },
    Tensor(TensorFunctions),
}

impl Model {
    /// Loads the model of the library `content`, which was read from `file`.
    ///
    /// # Errors
    /// The content is not a library, its description breaks a rule, or its code does not return.
    pub fn load(file: &Path, content: Vec<u8>) -> Result<Self, PluginError> {
        let path = file.to_path_buf();
        let loaded = watchdog::within_deadline(move || Self::load_at_once(&path, &content));
        loaded.unwrap_or_else(|| Err(PluginError::Hangs { path: file.to_path_buf() }))
    }

    fn load_at_once(file: &Path, content: &[u8]) -> Result<Self, PluginError> {
        let reader = Reader { path: file };
        let library = image::open(file, content)?;
        let entry = entry(&library, file)?;
        // The library may have started threads or registered handlers of its own: it is never unloaded.
        std::mem::forget(library);
        let host = TuffHost {
            struct_size: size_of::<TuffHost>() as u32,
            abi_version: ABI_VERSION,
            name: TuffString::from_static(concat!("Tuff ", env!("CARGO_PKG_VERSION"))),
        };
        // SAFETY: the symbol's name carries the ABI's major version, which fixes the signature; `host` outlives the call.
        let table = unsafe { entry(&host) };
        if table.is_null() {
            return Err(reader.invalid("its entry point returned no table"));
        }
        // SAFETY: a library with this symbol returns a table of the ABI, unless it lies; `read` checks what can be checked.
        let (table, contents) = unsafe {
            let table = reader.read(table, "the material table")?;
            (table, reader.contents(&table)?)
        };
        let missing = |name: &str| reader.invalid(format!("its function `{name}` is a null pointer"));
        let law = match contents.tensor {
            Some(tensor) => Law::Tensor(TensorFunctions {
                respond: tensor.respond.ok_or_else(|| missing("respond"))?,
                advance: tensor.advance.ok_or_else(|| missing("advance"))?,
                energy: tensor.energy.ok_or_else(|| missing("energy"))?,
            }),
            None => Law::Principal {
                project: table.project.ok_or_else(|| missing("project"))?,
                energy: table.energy.ok_or_else(|| missing("energy"))?,
                kirchhoff: table.kirchhoff.ok_or_else(|| missing("kirchhoff"))?,
                stress: table.stress,
            },
        };
        let functions = Functions {
            prepare: table.prepare.ok_or_else(|| missing("prepare"))?,
            moduli: table.moduli.ok_or_else(|| missing("moduli"))?,
            stable_step: table.stable_step.ok_or_else(|| missing("stable_step"))?,
            law,
        };
        if table.claims & CLAIM_FLUID != 0 && matches!(law, Law::Tensor(_)) {
            return Err(reader.invalid("it claims to be a fluid, which only the principal variant can be"));
        }
        let descriptor = contents.descriptor;
        descriptor.validate().map_err(|message| reader.invalid(message))?;
        if let Some(name) = missing_function(&descriptor, &contents.glsl) {
            return Err(reader.invalid(format!("its GLSL text has no function `{name}`")));
        }
        let glsl_name = if contents.glsl_name.is_empty() {
            format!("{}.glsl", descriptor.id)
        } else {
            contents.glsl_name
        };
        Ok(Self {
            file: file.to_path_buf(),
            hash: content_hash(content),
            descriptor,
            glsl_name,
            glsl: contents.glsl,
            glsl_file: None,
            fluid: table.claims & CLAIM_FLUID != 0,
            functions,
            fault: Arc::new(OnceLock::new()),
        })
    }

    /// Returns true if the model is a fluid: it keeps no strain, and starts each substep with that of the density around a particle.
    pub fn is_fluid(&self) -> bool {
        self.fluid
    }

    /// Returns the model with its GLSL text replaced by that of `file`.
    ///
    /// # Errors
    /// The text lacks one of the model's functions.
    pub fn with_glsl(&self, file: &Path, text: String) -> Result<Self, PluginError> {
        match missing_function(&self.descriptor, &text) {
            Some(function) => Err(PluginError::GlslFile { path: file.to_path_buf(), function }),
            None => Ok(Self { glsl: text, glsl_file: Some(file.to_path_buf()), ..self.clone() }),
        }
    }

    /// Returns the model's description of itself.
    pub fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }

    /// Returns the path of the library file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Returns the xxh3 of the library file.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// Returns the GLSL text with the functions `<id>_project`, `_energy`, `_kirchhoff` and `_moduli`, or, in the tensor variant,
    /// `<id>_respond`, `_advance`, `_energy` and `_moduli`.
    pub fn glsl(&self) -> &str {
        &self.glsl
    }

    /// Returns the file that the GLSL text comes from, unless it is the library's own.
    pub fn glsl_file(&self) -> Option<&Path> {
        self.glsl_file.as_deref()
    }

    /// Returns the xxh3 of the GLSL text.
    pub fn glsl_hash(&self) -> u64 {
        content_hash(self.glsl.as_bytes())
    }

    /// Returns the file name of the GLSL text for messages of the shader compiler.
    pub fn glsl_name(&self) -> &str {
        &self.glsl_name
    }

    /// Returns the first fault that one of the model's functions reported: function and status. Its results are NaN from then on.
    pub fn fault(&self) -> Option<&str> {
        self.fault.get().map(String::as_str)
    }

    /// Returns the model with a record of faults of its own, for calls that must not spoil the model.
    pub fn apart(&self) -> Self {
        Self { fault: Arc::new(OnceLock::new()), ..self.clone() }
    }

    /// Converts parameters in the descriptor's order (NaN: absent without default) to constants, shape \[constant_count\].
    ///
    /// Checks the ranges of the descriptor first, and the model's response at rest afterwards.
    ///
    /// # Errors
    /// A parameter is missing, out of range or rejected by the model, or the model's response is unusable.
    pub fn prepare(&self, parameters: &[f64]) -> Result<Vec<f64>, PrepareError> {
        let descriptor = &self.descriptor;
        let general = |message: String| PrepareError { parameter: None, message };
        let expected = descriptor.parameters.len();
        let named = Parameters::new(descriptor, parameters)
            .ok_or_else(|| general(format!("found {} parameters, expected {expected}", parameters.len())))?;
        named.check_ranges().map_err(|error| PrepareError {
            parameter: error.parameter.as_deref().and_then(|name| descriptor.parameter_index(name)),
            message: error.message,
        })?;
        watchdog::rehearse(self, parameters)?;
        let constants = self.call_prepare(parameters)?;
        self.check_constants(&constants).map_err(general)?;
        Ok(constants)
    }

    /// Returns the result of `prepare`, unchecked.
    pub(crate) fn call_prepare(&self, parameters: &[f64]) -> Result<Vec<f64>, PrepareError> {
        let count = self.descriptor.constant_count;
        let mut constants = vec![f64::NAN; count];
        constants.extend([GUARD; GUARD_COUNT]);
        let mut error = TuffError {
            struct_size: size_of::<TuffError>() as u32,
            abi_version: ABI_VERSION,
            parameter: abi::NO_PARAMETER,
            message_length: 0,
            message: [0; 512],
        };
        // SAFETY: lengths are those of the buffers, which outlive the call.
        let status = unsafe {
            (self.functions.prepare)(
                parameters.as_ptr(),
                parameters.len() as u32,
                constants.as_mut_ptr(),
                count as u32,
                &mut error,
            )
        };
        if constants[count..].iter().any(|word| word.to_bits() != GUARD.to_bits()) {
            let file = self.file.display();
            let message = format!("`prepare` in {file} writes beyond the {count} constants that it declares");
            return Err(PrepareError { parameter: None, message });
        }
        if status != abi::STATUS_OK {
            return Err(self.refusal(status, &error));
        }
        constants.truncate(count);
        Ok(constants)
    }

    /// Returns the state words of a new particle; unused ones are 0.
    pub fn initial_state(&self, constants: &[f64]) -> [f64; 4] {
        let mut state = [0.0; 4];
        for (value, word) in state.iter_mut().zip(&self.descriptor.states) {
            *value = match word.initial {
                Initial::Value(value) => value,
                Initial::Constant(index) => constants[index],
            };
        }
        state
    }

    /// Returns the return mapping of the trial strain `hencky` \[-\] from the state at the start of a substep of `dt` \[s\]. Only
    /// for the principal variant, like [`Self::energy`] and [`Self::kirchhoff`]; other models return NaN.
    pub fn project(&self, constants: &[f64], state: &[f64; 4], dt: f64, hencky: [f64; 3]) -> Projection {
        let point = self.point(constants, state, dt, hencky);
        let mut out = TuffProjection {
            struct_size: size_of::<TuffProjection>() as u32,
            abi_version: ABI_VERSION,
            case_id: 0,
            reserved: 0,
            hencky: [f64::NAN; 3],
            state: [f64::NAN; 4],
            forget: f64::NAN,
        };
        let status = match self.functions.law {
            // SAFETY: both structs outlive the call and carry their sizes; the point's constants are `constant_count` long.
            Law::Principal { project, .. } => unsafe { project(&point, &mut out) },
            Law::Tensor(_) => abi::STATUS_MISUSE,
        };
        if !self.succeeded("project", status) {
            (out.hencky, out.state, out.forget) = ([f64::NAN; 3], [f64::NAN; 4], f64::NAN);
        }
        Projection { hencky: out.hencky, state: out.state, forget: out.forget, case: out.case_id }
    }

    /// Returns the elastic energy density Psi \[Pa\] at the principal Hencky strains `hencky` \[-\].
    pub fn energy(&self, constants: &[f64], state: &[f64; 4], hencky: [f64; 3]) -> f64 {
        let point = self.point(constants, state, 0.0, hencky);
        let mut energy = f64::NAN;
        let status = match self.functions.law {
            // SAFETY: as in `project`.
            Law::Principal { energy: function, .. } => unsafe { function(&point, &mut energy) },
            Law::Tensor(_) => abi::STATUS_MISUSE,
        };
        if self.succeeded("energy", status) { energy } else { f64::NAN }
    }

    /// Returns the principal Kirchhoff stresses \[Pa\] at the principal Hencky strains `hencky` \[-\].
    pub fn kirchhoff(&self, constants: &[f64], state: &[f64; 4], hencky: [f64; 3]) -> [f64; 3] {
        let point = self.point(constants, state, 0.0, hencky);
        let mut tau = [f64::NAN; 3];
        let status = match self.functions.law {
            // SAFETY: as in `project`; the function writes three numbers.
            Law::Principal { kirchhoff, .. } => unsafe { kirchhoff(&point, tau.as_mut_ptr()) },
            Law::Tensor(_) => abi::STATUS_MISUSE,
        };
        if self.succeeded("kirchhoff", status) { tau } else { [f64::NAN; 3] }
    }

    /// Returns whether the model has a function of its own for [`Self::stress`].
    pub fn has_stress(&self) -> bool {
        matches!(self.functions.law, Law::Principal { stress: Some(_), .. })
    }

    /// Computes the principal Kirchhoff stresses \[Pa\] after the return mapping, `kirchhoff` of `project`, of the particles `first`,
    /// `first + 1` ... of a batch of N, whose principal trial Hencky strains are `hencky` \[-\]: as many as there are `states`. Shapes
    /// \[axis\]\[particle\].
    ///
    /// # Panics
    /// If there are more states than particles from `first` on.
    pub fn stress<const N: usize>(
        &self,
        constants: &[f64],
        states: &[[f64; 4]],
        dt: f64,
        first: usize,
        hencky: &[[f64; N]; 3],
        stress: &mut [[f64; N]; 3],
    ) {
        let particles = first..first + states.len();
        assert!(particles.end <= N, "{} particles in a batch of {N}", particles.end);
        let Law::Principal { stress: Some(function), .. } = self.functions.law else {
            for (lane, state) in std::iter::zip(particles, states) {
                let strain = [0, 1, 2].map(|axis: usize| hencky[axis][lane]);
                let projected = self.project(constants, state, dt, strain).hencky;
                for (row, tau) in std::iter::zip(&mut *stress, self.kirchhoff(constants, state, projected)) {
                    row[lane] = tau;
                }
            }
            return;
        };
        self.assert_count(constants);
        let batch = TuffBatch {
            struct_size: size_of::<TuffBatch>() as u32,
            abi_version: ABI_VERSION,
            constants: constants.as_ptr(),
            constant_count: constants.len() as u32,
            count: states.len() as u32,
            state: states.as_ptr().cast(),
            hencky: hencky.as_flattened()[first..].as_ptr(),
            stride: N as u64,
            dt,
        };
        // SAFETY: as in `project`; `count` numbers lie in each of the three rows, since `first + count` is at most N.
        let status = unsafe { function(&batch, stress.as_flattened_mut()[first..].as_mut_ptr()) };
        if !self.succeeded("stress", status) {
            for row in stress {
                row[particles.clone()].fill(f64::NAN);
            }
        }
    }

    /// Returns the small-strain moduli \[Pa\].
    pub fn moduli(&self, constants: &[f64], state: &[f64; 4]) -> Moduli {
        let point = self.point(constants, state, 0.0, [0.0; 3]);
        let mut out = TuffModuli {
            struct_size: size_of::<TuffModuli>() as u32,
            abi_version: ABI_VERSION,
            shear: f64::NAN,
            bulk: f64::NAN,
        };
        // SAFETY: as in `project`.
        let status = unsafe { (self.functions.moduli)(&point, &mut out) };
        if self.succeeded("moduli", status) {
            Moduli { shear: out.shear, bulk: out.bulk }
        } else {
            Moduli { shear: f64::NAN, bulk: f64::NAN }
        }
    }

    /// Returns the step \[s\] that resolves the fastest wave or relaxation at `density` [kg/m^3] and particle distance `spacing`
    /// \[m\].
    pub fn stable_step(&self, constants: &[f64], density: f64, spacing: f64) -> f64 {
        self.assert_count(constants);
        let mut step = f64::NAN;
        // SAFETY: the pointer and length are those of one slice.
        let status = unsafe {
            (self.functions.stable_step)(
                constants.as_ptr(),
                constants.len() as u32,
                density,
                spacing,
                &mut step,
            )
        };
        if self.succeeded("stable_step", status) { step } else { f64::NAN }
    }

    fn point(&self, constants: &[f64], state: &[f64; 4], dt: f64, hencky: [f64; 3]) -> TuffPoint {
        self.assert_count(constants);
        TuffPoint {
            struct_size: size_of::<TuffPoint>() as u32,
            abi_version: ABI_VERSION,
            constants: constants.as_ptr(),
            constant_count: constants.len() as u32,
            reserved: 0,
            state: *state,
            hencky,
            dt,
        }
    }

    pub(crate) fn law(&self) -> Law {
        self.functions.law
    }

    pub(crate) fn assert_count(&self, constants: &[f64]) {
        assert_eq!(constants.len(), self.descriptor.constant_count, "constants of another model");
    }

    pub(crate) fn succeeded(&self, function: &str, status: i32) -> bool {
        if status != abi::STATUS_OK {
            self.fault.get_or_init(|| {
                let what = describe(status);
                format!("`{function}` of model `{}` in {} {what}", self.descriptor.id, self.file.display())
            });
        }
        status == abi::STATUS_OK
    }

    fn refusal(&self, status: i32, error: &TuffError) -> PrepareError {
        let length = (error.message_length as usize).min(error.message.len());
        let said = String::from_utf8_lossy(&error.message[..length]).into_owned();
        let parameter =
            Some(error.parameter as usize).filter(|&index| index < self.descriptor.parameters.len());
        let message = if status == abi::STATUS_REFUSED && !said.is_empty() {
            said
        } else {
            let tail = if said.is_empty() { String::new() } else { format!(": {said}") };
            format!("`prepare` in {} {}{tail}", self.file.display(), describe(status))
        };
        PrepareError { parameter, message }
    }

    /// Checks that the constants fit into f32 and that the model is usable at rest.
    fn check_constants(&self, constants: &[f64]) -> Result<(), String> {
        let fail = |what: String| {
            Err(format!("the model in {} {what}; its library is at fault", self.file.display()))
        };
        if let Some(index) = constants.iter().position(|&value| !(value as f32).is_finite()) {
            return fail(format!(
                "prepared constant {index} = {}, which is not a finite f32",
                constants[index]
            ));
        }
        let state = self.initial_state(constants);
        let Moduli { shear, bulk } = self.moduli(constants, &state);
        let Rest { energy, forget, numbers } = self.at_rest(constants, &state);
        if let Some(fault) = self.fault() {
            return Err(fault.to_owned());
        }
        if !(shear.is_finite() && bulk.is_finite() && shear >= 0.0 && bulk >= 0.0 && shear + bulk > 0.0) {
            return fail(format!("has the moduli {shear} and {bulk} Pa at rest"));
        }
        if !(energy.is_finite() && energy >= 0.0) {
            return fail(format!("has the energy {energy} Pa at rest"));
        }
        if !numbers.iter().all(|value| value.is_finite()) {
            return fail(format!("is not finite at rest: strains, state and stress are {numbers:?}"));
        }
        if !(0.0..=1.0).contains(&forget) {
            return fail(format!("has the forget factor {forget} at rest"));
        }
        Ok(())
    }

    fn at_rest(&self, constants: &[f64], state: &[f64; 4]) -> Rest {
        match self.functions.law {
            Law::Principal { .. } => {
                let projection = self.project(constants, state, 1e-4, [0.0; 3]);
                let tau = self.kirchhoff(constants, state, projection.hencky);
                let energy = self.energy(constants, state, projection.hencky);
                let numbers = [&projection.hencky[..], &projection.state, &tau].concat();
                Rest { energy, forget: projection.forget, numbers }
            }
            Law::Tensor(_) => {
                let point = TensorPoint { dt: 1e-4, ..TensorPoint::at_rest(constants, *state) };
                let (response, update) = (self.respond(&point), self.advance(&point));
                let strains = [update.strain.hencky, update.branch.hencky].concat();
                let numbers = [&strains[..], &update.state, &response.kirchhoff].concat();
                Rest { energy: response.energy, forget: update.forget, numbers }
            }
        }
    }
}

/// A model's response for matter at rest.
struct Rest {
    energy: f64,
    forget: f64,
    numbers: Vec<f64>,
}

fn describe(status: i32) -> String {
    match status {
        abi::STATUS_REFUSED => "refused without a reason".into(),
        abi::STATUS_MISUSE => "refused its arguments".into(),
        abi::STATUS_PANIC => "panicked".into(),
        other => format!("returned the unknown status {other}"),
    }
}

/// Returns the first function that the engine calls and `glsl` lacks.
fn missing_function(model: &Descriptor, glsl: &str) -> Option<String> {
    let functions = match model.variant {
        Variant::Principal => PRINCIPAL_GLSL,
        Variant::Tensor { .. } => TENSOR_GLSL,
    };
    functions.map(|function| format!("{}_{function}", model.id)).into_iter().find(|name| !glsl.contains(name))
}

fn entry(library: &libloading::Library, file: &Path) -> Result<EntryFn, PluginError> {
    // SAFETY: only the address is taken here.
    if let Ok(symbol) = unsafe { library.get::<EntryFn>(ENTRY_SYMBOL) } {
        return Ok(*symbol);
    }
    // SAFETY: as above; the symbol of another version is not called.
    let other = (0..10)
        .map(|major| format!("tuff_material_entry_v{major}"))
        .find(|name| unsafe { library.get::<*const c_void>(name.as_str()).is_ok() });
    let found = other.map_or_else(|| "no entry point".to_owned(), |name| format!("the symbol `{name}`"));
    Err(PluginError::MissingEntry { path: file.to_path_buf(), found })
}
