//! Errors and their messages.

use crate::fixture::*;
use std::process::{Command as Process, ExitCode};
use tuff_gpu::*;

/// Set in the environment of a child process that lists devices instead of running tests.
pub const CHILD: &str = "TUFF_TEST_CHILD";

pub const TESTS: &[Test] = &[
    ("devices_are_listed_and_chosen", devices_are_listed_and_chosen),
    ("a_missing_driver_says_what_to_install", a_missing_driver_says_what_to_install),
    (
        "shaders_that_break_their_declaration_do_not_compile",
        shaders_that_break_their_declaration_do_not_compile,
    ),
    ("compile_errors_name_the_virtual_file", compile_errors_name_the_virtual_file),
    ("out_of_memory_names_the_attribute", out_of_memory_names_the_attribute),
    ("unfit_declarations_and_recordings_are_refused", unfit_declarations_and_recordings_are_refused),
    ("mapped_access_is_for_host_visible_attributes", mapped_access_is_for_host_visible_attributes),
    ("validation_messages_fail_the_call", validation_messages_fail_the_call),
    ("a_device_that_hangs_is_given_up", a_device_that_hangs_is_given_up),
];

/// Body of the child process.
pub fn child() -> ExitCode {
    match Device::enumerate() {
        Ok(list) => println!("found {}", list.len()),
        Err(error @ GpuError::NoDriver { .. }) => println!("no driver: {error}"),
        Err(error) => println!("other: {error}"),
    }
    ExitCode::SUCCESS
}

fn devices_are_listed_and_chosen() {
    let list = Device::enumerate().unwrap();
    let usable = list.iter().find(|info| info.suitable()).unwrap();
    assert!(usable.memory > 0 && usable.subgroup_size > 0 && !usable.driver.is_empty(), "{usable:?}");
    assert!(usable.api >= (1, 2, 0));
    let by_index = Device::open(Some(&usable.index.to_string())).unwrap();
    assert_eq!(by_index.info().name, usable.name);
    let part = usable.name[1..].to_uppercase();
    assert_eq!(Device::open(Some(&part)).unwrap().info().name, usable.name);
    let error = Device::open(Some("no such card")).unwrap_err();
    assert!(
        matches!(&error, GpuError::UnknownDevice { .. }) && error.to_string().contains(&usable.name),
        "{error}"
    );
}

fn a_missing_driver_says_what_to_install() {
    let output = Process::new(std::env::current_exe().unwrap())
        .env(CHILD, "1")
        .env("VK_ICD_FILENAMES", "/nowhere.json")
        .env("VK_DRIVER_FILES", "/nowhere.json")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        text.starts_with("no driver:") && text.contains("apt-get install mesa-vulkan-drivers libvulkan1"),
        "{text}"
    );
    assert_eq!(text.lines().count(), 1);
}

fn compile_one(text: &str, no_texels: bool) -> Result<Executor> {
    let device = device();
    let store = store(&device, 4, StoreOptions { no_texels, ..StoreOptions::default() });
    let stage = StageDeclaration {
        name: "one",
        shader: "one.comp",
        accesses: &[(SOURCE, Access::Read), (TARGET, Access::Write)],
        indirect: None,
    };
    Executor::new(&device, &store, vec![with_source(stage, text)], options())
}

fn shaders_that_break_their_declaration_do_not_compile() {
    let with =
        |body: &str| format!("#version 460\n#include \"attributes.glsl\"\nvoid main() {{\n{body}\n}}\n");
    assert!(compile_one(&with("target(0) = source(0);"), true).is_ok());
    // On a software driver, read-only attributes come through a texel fetch, which is not an l-value at all.
    assert!(compile_one(&with("source(0) = 1u;"), false).is_err());
    for (body, expected) in [
        ("source(0) = 1u;", "readonly"),
        ("target(0) = target(1);", "writeonly"),
        ("target(0) = label(0).x;", "attribute_label_is_not_declared_by_stage_one"),
    ] {
        match compile_one(&with(body), true) {
            Err(GpuError::Compile { stage, file, line, log, .. }) => {
                assert_eq!((stage.as_str(), file.as_str(), line), ("one", "one.comp", 4));
                assert!(log.contains(expected), "{log}");
            }
            other => panic!("{body}: {:?}", other.err()),
        }
    }
    assert!(matches!(
        Executor::new(
            &device(),
            &store(&device(), 4, StoreOptions::default()),
            vec![(StageDeclaration { shader: "stages/none.comp", ..STEP }, Specialization::default())],
            options()
        ),
        Err(GpuError::MissingShader { .. } | GpuError::Invalid(_))
    ));
}

fn compile_errors_name_the_virtual_file() {
    let device = device();
    let store = store(&device, 4, StoreOptions::default());
    let (stage, mut special) = with_shaders(STEP);
    special.sources[1].1 = special.sources[1].1.replace("void main", "#include \"sand.glsl\"\nvoid main");
    special.sources.push((
        "sand.glsl".to_owned(),
        "// Sand.\nfloat sand_energy(uint c) {\n    return c.z;\n}\n".to_owned(),
    ));
    match Executor::new(&device, &store, vec![(stage, special)], options()) {
        Err(error @ GpuError::Compile { .. }) => {
            let text = error.to_string();
            assert!(text.starts_with("stage \"step\": sand.glsl:3: "), "{text}");
        }
        other => panic!("{:?}", other.err()),
    }
}

fn out_of_memory_names_the_attribute() {
    // Without the layer, which rightly rejects the size.
    let device = Device::open_with(None, DeviceOptions::default()).unwrap();
    let mut store = store(&device, 4, StoreOptions { chunk_bytes: Some(1 << 40), ..StoreOptions::default() });
    let error = store.resize(POSITION, 1 << 36).unwrap_err();
    match &error {
        GpuError::OutOfMemory { attribute, bytes, .. } => {
            assert_eq!((attribute.as_str(), *bytes), ("position", 1 << 40));
        }
        error => panic!("{error}"),
    }
    assert!(error.to_string().contains("\"position\" needs 1099511627776 bytes"), "{error}");
    // A buffer that can be created, but for which (on software drivers) there is no memory.
    match store.resize(POSITION, 3 << 26) {
        Err(error) => assert!(matches!(&error, GpuError::OutOfMemory { .. }), "{error}"),
        Ok(()) => assert!(device.info().kind != DeviceKind::Cpu),
    }
    store.resize(POSITION, 0).unwrap();
    // The store is still usable; the attribute is empty.
    assert_eq!(store.count(POSITION), 0);
    store.resize(POSITION, 8).unwrap();
    store.upload(POSITION, &[[1.0f32; 4]; 8]).unwrap();
}

fn unfit_declarations_and_recordings_are_refused() {
    let device = device();
    let store_ = store(&device, 100, StoreOptions::default());
    let refused = |stages: &[StageDeclaration]| {
        let stages = stages.iter().copied().map(with_shaders).collect();
        Executor::new(&device, &store_, stages, options()).err().unwrap().to_string()
    };
    let twice = StageDeclaration { accesses: &[(TARGET, Access::Read), (TARGET, Access::Write)], ..STEP };
    assert!(refused(&[twice]).contains("\"target\" is declared twice"));
    assert!(
        refused(&[StageDeclaration { accesses: &[(AttributeId(99), Access::Read)], ..STEP }])
            .contains("attribute 99")
    );
    assert!(refused(&[STEP, STEP]).contains("two of that name"));

    let mut executor = executor(&device, &store_, &[STEP, INDEX]);
    let direct = |stage, groups| Command::Dispatch { stage: StageId(stage), groups, push: push(1) };
    let indirect = |attribute, offset| Groups::Indirect { attribute, offset };
    let long = (0..32).fold(PushConstants::NONE, |push, word| push.uint(word));
    for (command, expected) in [
        (direct(7, Groups::Direct([1; 3])), "no stage 7"),
        (direct(0, Groups::Direct([1, 1 << 20, 1])), "workgroups"),
        (direct(0, indirect(ARGUMENTS, 0)), "not declared so"),
        (direct(1, indirect(ARGUMENTS, 8)), "byte 8"),
        (direct(1, indirect(ARGUMENTS, 2)), "byte 2"),
        (
            Command::Dispatch { stage: StageId(0), groups: Groups::Direct([1; 3]), push: long },
            "128 bytes of push",
        ),
        (Command::Fill { attribute: AttributeId(99), value: 0 }, "no attribute 99"),
        (Command::Copy { from: SOURCE, to: TARGET, bytes: 404 }, "404 bytes"),
        (Command::Copy { from: SOURCE, to: TARGET, bytes: 3 }, "3 bytes"),
        (Command::Copy { from: SOURCE, to: SOURCE, bytes: 4 }, "two attributes"),
    ] {
        let recording = Recording { commands: vec![direct(0, Groups::Direct([1; 3])), command] };
        let error = executor.run(&store_, &recording, RunOptions::default()).unwrap_err().to_string();
        assert!(error.contains(expected) && error.contains("command 1"), "{error}");
    }
    let other = Device::open(None).unwrap();
    let foreign = store(&other, 100, StoreOptions::default());
    assert!(executor.run(&foreign, &Recording::new(), RunOptions::default()).is_err());
    assert_eq!(device.validation_messages(), [""; 0]);
}

fn mapped_access_is_for_host_visible_attributes() {
    let device = device();
    let mut store = store(&device, 4, StoreOptions { addresses: true, ..StoreOptions::default() });
    store.write_mapped(ARGUMENTS, 1, &[5u32, 6]).unwrap();
    assert_eq!(store.read_mapped::<u32>(ARGUMENTS, 2).unwrap(), 5);
    assert_eq!(store.download::<u32>(ARGUMENTS, 4).unwrap()[2..], [5, 6]);
    assert!(store.read_mapped::<u32>(ARGUMENTS, 4).is_err());
    assert!(store.write_mapped(ARGUMENTS, 2, &[0u32, 0]).is_err());
    let error = store.read_mapped::<u32>(TARGET, 0).unwrap_err().to_string();
    assert!(error.contains("\"target\""), "{error}");
}

fn validation_messages_fail_the_call() {
    let device = device();
    // The layer may be missing where it is not required.
    if Device::open_with(None, DeviceOptions { validation: true, ..DeviceOptions::default() }).is_err() {
        return;
    }
    let store = store(&device, 4, StoreOptions::default());
    let (stage, mut special) = with_shaders(STEP);
    special.constants = vec![(0, 1 << 20)];
    match Executor::new(&device, &store, vec![(stage, special)], options()) {
        Err(GpuError::Validation { messages }) => assert!(!messages.is_empty()),
        other => panic!("{:?}", other.err()),
    }
    assert!(!device.validation_messages().is_empty());
}

fn a_device_that_hangs_is_given_up() {
    // No driver does this much in a nanosecond. A GPU would be done with what keeps a software driver busy before the host looks.
    let timeout = Some(std::time::Duration::from_nanos(1));
    let options = DeviceOptions { markers: true, timeout, ..DeviceOptions::default() };
    let device = Device::open_with(None, options).unwrap();
    let store = store(&device, 1 << 20, StoreOptions::default());
    let mut executor = executor(&device, &store, &[STEP]);
    let mut recording = Recording::new();
    let dispatches = if device.info().kind == DeviceKind::Cpu { 20 } else { 20_000 };
    for _ in 0..dispatches {
        recording.dispatch(StageId(0), Groups::linear(1 << 20, 64), push(1 << 20));
    }
    let error = executor.run(&store, &recording, RunOptions::default()).unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, GpuError::Hung { .. }), "{text}");
    for words in ["within 0.000000001 s", "is known to have begun", "TUFF_DEVICE_TIMEOUT"] {
        assert!(text.contains(words), "{words:?} in {text}");
    }
    // No work may follow, and resources that the device may still be using are not freed.
    let again = executor.run(&store, &recording, RunOptions::default()).unwrap_err().to_string();
    assert!(again.contains("earlier work is still unfinished"), "{again}");
    drop((executor, store, device));
    std::thread::sleep(std::time::Duration::from_millis(500));
}
