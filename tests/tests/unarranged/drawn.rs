//! Scenes drawn from seeds, checked for what must hold in any scene.

use tuff_scenes::{Company, Drawn, Fault, JudgeError, draw, judge};
use tuff_tests::library;

/// Maximum number of particles in these.
const PARTICLES: u32 = 700;

pub fn four_scenes_do_nothing_that_none_may_on_a_vulkan_device() {
    judged(4, Company::None, Some("0"));
}

pub fn six_scenes_in_company_do_nothing_that_none_may() {
    judged(6, Company::Always, None);
}

pub fn twenty_scenes_do_nothing_that_none_may_on_a_vulkan_device() {
    judged(20, Company::None, Some("0"));
}

pub fn forty_scenes_in_company_do_nothing_that_none_may() {
    judged(40, Company::Always, None);
}

/// Judges this many scenes on a device, by default that of a run: the first ones with an adaptive step that are not refused and contain
/// no material with a stiffness of gigapascals, which takes ten times as long.
fn judged(scenes: usize, company: Company, device: Option<&str>) {
    let (mut run, mut refused, mut faulty) = (0, 0, Vec::new());
    for seed in 1.. {
        let drawn = draw(seed, PARTICLES, company);
        if run == scenes {
            break;
        }
        let stiff = crate::STIFF.iter().any(|preset| drawn.text.contains(preset));
        if stiff || !drawn.text.contains("\"auto\"") {
            continue;
        }
        match judge(&drawn, library(), device) {
            Ok(judgement) => {
                println!("{seed}: {judgement:?}");
                run += 1;
                if !judgement.faults.is_empty() {
                    faulty.push((seed, judgement.faults));
                }
            }
            Err(error @ (JudgeError::Refused(_) | JudgeError::WarnedOf(_))) => {
                println!("{seed}: {error}");
                refused += 1;
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert!(faulty.is_empty(), "{faulty:?}");
    assert!(refused <= scenes / 2, "{refused} scenes are refused");
}

/// A block of rubber as soft as foam, crushed by a lid that descends in a tenth of a second: its energy grows, and at the end it rests
/// with another volume.
pub fn a_scene_that_does_is_told() {
    let text = r#"
        format = 1
        [scene]
        name = "pressed"
        [time]
        frames = [1, 31]
        frame_rate = 50
        max_substep = "auto"
        [solver]
        kernel_radius = 0.01
        [[material]]
        name = "soft"
        model = "elastic"
        density = 1000.0
        youngs_modulus = 1e4
        poisson_ratio = 0.0
        [[body]]
        name = "block"
        material = "soft"
        shape = { box = { min = [-0.03, 0.0, -0.03], max = [0.03, 0.06, 0.03] } }
        [[collider]]
        name = "floor"
        shape = { plane = { point = [0.0, 0.0, 0.0], normal = [0.0, 1.0, 0.0] } }
        [[collider]]
        name = "lid"
        shape = { box = { min = [-0.1, 0.065, -0.1], max = [0.1, 0.2, 0.1] } }
        [collider.motion]
        keyframes = [{ time = 0.0 }, { time = 0.1, translate = [0.0, -0.025, 0.0] }]
        [output]
        particles = []
        preview = false
    "#;
    let drawn = Drawn { text: text.to_owned(), files: Vec::new() };
    let judgement = judge(&drawn, library(), None).unwrap();
    println!("{judgement:?}");
    let told = |wanted: fn(&Fault) -> bool| judgement.faults.iter().any(wanted);
    assert!(told(|fault| matches!(fault, Fault::Energy(..))));
    assert!(told(|fault| matches!(fault, Fault::Volume(..))));
    assert!(!told(|fault| matches!(fault, Fault::Through(..) | Fault::Failed(_))));
}
