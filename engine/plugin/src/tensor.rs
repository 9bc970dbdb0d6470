//! Calls into models of the tensor variant.

use tuff_material_sdk::abi::{
    self, ABI_VERSION, AdvanceFn, RespondFn, StoredEnergyFn, TuffTensorPoint, TuffTensorResponse,
    TuffTensorUpdate,
};
use tuff_material_sdk::{Stretch, TensorPoint, TensorResponse, TensorUpdate};

use crate::Model;
use crate::model::Law;

/// The functions of a tensor model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TensorFunctions {
    pub(crate) respond: RespondFn,
    pub(crate) advance: AdvanceFn,
    pub(crate) energy: StoredEnergyFn,
}

const LOST: Stretch = Stretch { hencky: [f64::NAN; 3], axes: [[f64::NAN; 3]; 3] };

/// Functions of the tensor variant; other models return NaN.
impl Model {
    /// Returns energy and stress of the step that leads to `point`.
    pub fn respond(&self, point: &TensorPoint) -> TensorResponse {
        let raw = self.tensor_point(point);
        let (struct_size, abi_version) = (size_of::<TuffTensorResponse>() as u32, ABI_VERSION);
        let nan = f64::NAN;
        let mut out = TuffTensorResponse { struct_size, abi_version, energy: nan, kirchhoff: [nan; 6] };
        let status = match self.law() {
            // SAFETY: both structs outlive the call and carry their sizes; the point's constants are `constant_count` long.
            Law::Tensor(functions) => unsafe { (functions.respond)(&raw, &mut out) },
            Law::Principal { .. } => abi::STATUS_MISUSE,
        };
        if self.succeeded("respond", status) {
            TensorResponse { energy: out.energy, kirchhoff: out.kirchhoff }
        } else {
            TensorResponse { energy: nan, kirchhoff: [nan; 6] }
        }
    }

    /// Returns the state at the end of the step that leads to `point`.
    pub fn advance(&self, point: &TensorPoint) -> TensorUpdate {
        let raw = self.tensor_point(point);
        let mut out = TuffTensorUpdate {
            struct_size: size_of::<TuffTensorUpdate>() as u32,
            abi_version: ABI_VERSION,
            state: [f64::NAN; 4],
            strain: LOST.into(),
            branch: LOST.into(),
            forget: f64::NAN,
            case_id: 0,
            reserved: 0,
        };
        let status = match self.law() {
            // SAFETY: as in `respond`.
            Law::Tensor(functions) => unsafe { (functions.advance)(&raw, &mut out) },
            Law::Principal { .. } => abi::STATUS_MISUSE,
        };
        if self.succeeded("advance", status) {
            let (strain, branch) = (out.strain.into(), out.branch.into());
            TensorUpdate { state: out.state, strain, branch, forget: out.forget, case: out.case_id }
        } else {
            TensorUpdate { state: [f64::NAN; 4], strain: LOST, branch: LOST, forget: f64::NAN, case: 0 }
        }
    }

    /// Returns the energy density \[Pa\] stored at `point` between substeps.
    pub fn stored_energy(&self, point: &TensorPoint) -> f64 {
        let raw = self.tensor_point(point);
        let mut energy = f64::NAN;
        let status = match self.law() {
            // SAFETY: as in `respond`.
            Law::Tensor(functions) => unsafe { (functions.energy)(&raw, &mut energy) },
            Law::Principal { .. } => abi::STATUS_MISUSE,
        };
        if self.succeeded("energy", status) { energy } else { f64::NAN }
    }

    fn tensor_point(&self, point: &TensorPoint) -> TuffTensorPoint {
        self.assert_count(point.constants);
        let mut deformation = [0.0; 9];
        deformation.copy_from_slice(point.deformation.as_flattened());
        TuffTensorPoint {
            struct_size: size_of::<TuffTensorPoint>() as u32,
            abi_version: ABI_VERSION,
            constants: point.constants.as_ptr(),
            constant_count: point.constants.len() as u32,
            reserved: 0,
            state: point.state,
            strain: point.strain.into(),
            branch: point.branch.into(),
            deformation,
            dt: point.dt,
        }
    }
}
