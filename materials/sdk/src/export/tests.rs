use super::*;
use crate::descriptor::Claims;
use crate::{Moduli, Projection};

/// Rejects negative moduli with a long text; panics on request.
struct Probe;

impl ConstitutiveModel for Probe {
    const GLSL_NAME: &'static str = "probe.glsl";
    const GLSL: &'static str = "// nothing";

    fn descriptor() -> Descriptor {
        let bulk =
            Parameter::number("bulk", "Pa", "Stiffness").default_value(2.0).above(-9.0).alias("K").alias("k");
        let kind = Parameter::choice("kind", &["one", "two"], "A choice");
        Descriptor {
            id: "probe".into(),
            version: "1".into(),
            author: "tests".into(),
            help: "A probe".into(),
            reference: String::new(),
            parameters: vec![kind, bulk],
            states: vec![
                StateWord::new("a", "-", 0.5, "A word").hidden(),
                StateWord::new("b", "Pa", 0.0, "b").from_constant(0),
            ],
            claims: Claims { isotropic: true, dissipative: true, ..Claims::default() },
            variant: Variant::Principal,
            constant_count: 1,
        }
    }

    fn prepare(parameters: &Parameters) -> Result<Vec<f64>, ParameterError> {
        let bulk = parameters.need("bulk")?;
        assert!(bulk != 13.0, "thirteen");
        if bulk < 0.0 {
            return Err(ParameterError::of("bulk", format!("x{}", "é".repeat(400))));
        }
        Ok(vec![bulk; if bulk == 5.0 { 2 } else { 1 }])
    }

    fn project(point: &Point) -> Projection {
        assert!(point.dt >= 0.0);
        Projection { hencky: point.hencky, state: point.state, forget: 0.25, case: 17 }
    }

    fn energy(point: &Point) -> f64 {
        point.constants[0]
    }

    fn kirchhoff(point: &Point) -> [f64; 3] {
        point.hencky
    }

    fn moduli(point: &Point) -> Moduli {
        Moduli { shear: 1.0, bulk: point.constants[0] }
    }

    fn stable_step(constants: &[f64], density: f64, spacing: f64) -> f64 {
        constants[0] + density + spacing
    }
}

fn table() -> &'static TuffMaterial {
    static TABLE: OnceLock<Option<&'static TuffMaterial>> = OnceLock::new();
    let host = TuffHost { struct_size: 24, abi_version: ABI_VERSION, name: TuffString::from_static("test") };
    assert!(entry::<Probe>(&TABLE, std::ptr::null()).is_null());
    let table = entry::<Probe>(&TABLE, &host);
    // SAFETY: the table lives forever.
    unsafe { table.as_ref() }.unwrap()
}

fn error(struct_size: u32) -> TuffError {
    TuffError { struct_size, abi_version: ABI_VERSION, parameter: 77, message_length: 0, message: [0; 512] }
}

fn prepare_with(bulk: f64, error: &mut TuffError) -> (i32, f64) {
    let mut constant = f64::NAN;
    let values = [0.0, bulk];
    // SAFETY: lengths match the buffers.
    let status = unsafe { (table().prepare.unwrap())(values.as_ptr(), 2, &mut constant, 1, error) };
    (status, constant)
}

#[test]
fn the_table_says_what_the_descriptor_says() {
    let table = table();
    assert_eq!((table.struct_size, table.parameter_count, table.state_count), (280, 2, 2));
    assert_eq!(table.claims, abi::CLAIM_ISOTROPIC | abi::CLAIM_DISSIPATIVE);
    // SAFETY: two parameters and two states are there.
    let (parameters, states) = unsafe {
        (std::slice::from_raw_parts(table.parameters, 2), std::slice::from_raw_parts(table.states, 2))
    };
    assert_eq!(
        (parameters[0].kind, parameters[0].choice_count, parameters[0].max),
        (abi::KIND_CHOICE, 2, 1.0)
    );
    assert_eq!(parameters[1].flags, abi::PARAMETER_HAS_DEFAULT | abi::PARAMETER_MIN_EXCLUSIVE);
    assert_eq!((parameters[1].default_value, parameters[1].min, parameters[1].alias_count), (2.0, -9.0, 2));
    assert_eq!((states[0].flags, states[0].initial_value), (0, 0.5));
    assert_eq!(states[1].flags, abi::STATE_EXPORTED | abi::STATE_FROM_CONSTANT);
}

#[test]
fn refusals_carry_the_parameter_and_whole_letters() {
    let mut report = error(528);
    assert_eq!(prepare_with(3.0, &mut report), (abi::STATUS_OK, 3.0));
    assert_eq!(prepare_with(-1.0, &mut report).0, abi::STATUS_REFUSED);
    assert_eq!((report.parameter, report.message_length, report.struct_size), (1, 511, 528));
    assert!(std::str::from_utf8(&report.message[..511]).is_ok());
    assert_eq!(prepare_with(-10.0, &mut report).0, abi::STATUS_REFUSED);
    let length = report.message_length as usize;
    assert_eq!(std::str::from_utf8(&report.message[..length]), Ok("bulk = -10 Pa is outside -9 < bulk"));
    let mut too_small = error(16);
    assert_eq!(prepare_with(-1.0, &mut too_small).0, abi::STATUS_REFUSED);
    assert_eq!(too_small.parameter, 77);
}

#[test]
fn panics_and_wrong_counts_become_statuses() {
    let mut report = error(528);
    assert_eq!(prepare_with(13.0, &mut report).0, abi::STATUS_PANIC);
    assert_eq!(prepare_with(5.0, &mut report).0, abi::STATUS_MISUSE);
    let mut constant = 0.0;
    // SAFETY: one parameter is there, and the count says so; null pointers are part of the test.
    unsafe {
        let prepare = table().prepare.unwrap();
        assert_eq!(prepare([0.0].as_ptr(), 1, &mut constant, 1, &mut report), abi::STATUS_MISUSE);
        assert_eq!(prepare(std::ptr::null(), 2, &mut constant, 1, &mut report), abi::STATUS_MISUSE);
        assert_eq!(prepare([0.0, 1.0].as_ptr(), 2, std::ptr::null_mut(), 1, &mut report), abi::STATUS_MISUSE);
        assert_eq!(table().energy.unwrap()(std::ptr::null(), &mut constant), abi::STATUS_MISUSE);
    }
}

#[test]
fn stresses_of_a_batch_come_in_rows() {
    let (constants, state) = ([4.0], [0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0]);
    let hencky = [0.1, 0.4, 0.2, 0.5, 0.3, 0.6];
    let batch = TuffBatch {
        struct_size: 56,
        abi_version: ABI_VERSION,
        constants: constants.as_ptr(),
        constant_count: 1,
        count: 2,
        state: state.as_ptr(),
        hencky: hencky.as_ptr(),
        stride: 2,
        dt: 1.0,
    };
    let mut tau = [0.0; 6];
    let stress = table().stress.unwrap();
    // SAFETY: all pointers lead to locals of the right type and length; null is part of the test.
    unsafe {
        assert_eq!(stress(&batch, tau.as_mut_ptr()), abi::STATUS_OK);
        assert_eq!(stress(&batch, std::ptr::null_mut()), abi::STATUS_MISUSE);
        assert_eq!(stress(std::ptr::null(), tau.as_mut_ptr()), abi::STATUS_MISUSE);
        for broken in [
            TuffBatch { stride: 1, ..batch },
            TuffBatch { state: std::ptr::null(), ..batch },
            TuffBatch { hencky: std::ptr::null(), ..batch },
            TuffBatch { constants: std::ptr::null(), ..batch },
            TuffBatch { struct_size: 48, ..batch },
        ] {
            assert_eq!(stress(&broken, tau.as_mut_ptr()), abi::STATUS_MISUSE);
        }
        assert_eq!(stress(&TuffBatch { dt: -1.0, ..batch }, tau.as_mut_ptr()), abi::STATUS_PANIC);
    }
    assert_eq!(tau, hencky);
}

#[test]
fn functions_pass_points_and_results() {
    let constants = [4.0];
    let mut point = TuffPoint {
        struct_size: 88,
        abi_version: ABI_VERSION,
        constants: constants.as_ptr(),
        constant_count: 1,
        reserved: 0,
        state: [1.0, 2.0, 3.0, 4.0],
        hencky: [0.1, 0.2, 0.3],
        dt: 1.0,
    };
    let mut out = TuffProjection {
        struct_size: 80,
        abi_version: 7,
        case_id: 0,
        reserved: 0,
        hencky: [0.0; 3],
        state: [0.0; 4],
        forget: 0.0,
    };
    let (mut energy, mut tau, mut step) = (0.0, [0.0; 3], 0.0);
    // SAFETY: all pointers lead to locals of the right type; null is part of the test.
    unsafe {
        assert_eq!(table().project.unwrap()(&point, &mut out), abi::STATUS_OK);
        assert_eq!(table().energy.unwrap()(&point, &mut energy), abi::STATUS_OK);
        assert_eq!(table().kirchhoff.unwrap()(&point, tau.as_mut_ptr()), abi::STATUS_OK);
        assert_eq!(table().stable_step.unwrap()(constants.as_ptr(), 1, 2.0, 1.0, &mut step), abi::STATUS_OK);
        assert_eq!(table().project.unwrap()(&point, std::ptr::null_mut()), abi::STATUS_MISUSE);
        point.dt = -1.0;
        assert_eq!(table().project.unwrap()(&point, &mut out), abi::STATUS_PANIC);
        out.struct_size = 72;
        point.dt = 1.0;
        assert_eq!(table().project.unwrap()(&point, &mut out), abi::STATUS_MISUSE);
    }
    assert_eq!(
        (out.hencky, out.state, out.forget, out.case_id),
        ([0.1, 0.2, 0.3], [1.0, 2.0, 3.0, 4.0], 0.25, 17)
    );
    assert_eq!((out.abi_version, energy, tau, step), (7, 4.0, [0.1, 0.2, 0.3], 7.0));
}
