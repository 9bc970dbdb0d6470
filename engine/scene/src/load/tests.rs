//! The format as SCENE files use it, and every way to get it wrong.

use std::path::Path;

use glam::DVec3;

use crate::scene::*;
use crate::shape::Geometry;
use crate::testing::{model, parse_in, text};
use crate::{FrameAttribute, Hold, Loaded, SceneError, Weight, load};

const BOX: &str = "{ box = { min = [0, 0, 0], max = [1, 2, 1] } }";
const LATTICE: &str = r#"{ kind = "lattice", spacing = 0.1 }"#;

fn with(overrides: &[&str]) -> Result<Loaded, SceneError> {
    parse_in(Path::new(""), &text(BOX, LATTICE, ""), overrides)
}

/// Returns the error of a scene in which `from` is replaced by `to`.
fn broken(from: &str, to: &str) -> String {
    let valid = text(BOX, LATTICE, "");
    assert!(valid.contains(from), "{from}");
    let error = parse_in(Path::new(""), &valid.replacen(from, to, 1), &[]);
    error.map(|_| ()).expect_err(&format!("{to} was accepted")).to_string()
}

#[track_caller]
fn says(error: &str, parts: &[&str]) {
    for part in parts {
        assert!(error.contains(part), "`{part}` is missing in:\n{error}");
    }
}

#[test]
fn everything_optional_has_its_default() {
    let scene = with(&[]).unwrap().scene;
    assert_eq!((scene.up, scene.gravity), (Up::Y, DVec3::new(0.0, -9.81, 0.0)));
    let frame = 1.0 / 24.0;
    let time = Time {
        frame_rate: 24.0,
        first_frame: 1,
        last_frame: 2,
        max_substep: frame,
        substep_bounds: Some([1e-5, frame]),
    };
    assert_eq!(scene.time, time);
    let solver = SolverSettings {
        kernel_radius: 0.1,
        matter: Matter::Continuum,
        iterations: 100,
        scheme: Scheme::Auto,
        plasticity: Plasticity::Implicit,
        gradient: Gradient::Kirchhoff,
        multiplier: Multiplier::Scalar,
        kernel_correction: true,
        residual_tolerance: 1e-2,
        smoothing: Smoothing::Xsph(0.01),
        stabilization: 2.0,
        position_correction: PositionCorrection::Distance { gap: 0.25 },
        given: Given::default(),
    };
    assert_eq!(scene.solver, solver);
    let material = &scene.materials[0];
    assert_eq!(material.parameters[0], 1e5);
    assert!(material.parameters[1].is_nan());
    assert_eq!(material.parameters[2..], [1.0, 0.0]);
    assert_eq!(material.given, [("youngs_modulus".to_owned(), toml::Value::Float(1e5))]);
    assert_eq!(scene.output.particles, [FrameFormat::Ply]);
    assert_eq!(
        scene.output.attributes,
        [FrameAttribute::Velocity, FrameAttribute::Id, FrameAttribute::Material]
    );
    assert_eq!(scene.output.preview, Some(Preview { width: 960, height: 540, camera: None, color_by: None }));
    assert_eq!(with(&["scene.up=z"]).unwrap().scene.gravity, DVec3::new(0.0, 0.0, -9.81));
    let sampled = parse_in(Path::new(""), &text(BOX, "{}", ""), &[]).unwrap().scene.bodies[0].sampling;
    assert_eq!(sampled, Sampling::PoissonDisk { spacing: 0.1, seed: 7 });
}

#[test]
fn every_key_of_the_format_is_read() {
    let rest = r#"
velocity = [1, 0, 0]
angular_velocity = [0, 2, 0]
[[collider]]
name = "floor"
shape = { plane = { point = [0, -1, 0], normal = [0, 2, 0] } }
sticky = true
[[collider]]
name = "bowl"
inside = true
friction = 0
shape = { revolve = { from = [0, 0, 0], to = [0, 2, 0], profile = [[0, 0], [1, 0], [1, 2], [0, 2]] }, rotate = [0, 0, 90] }
motion = { pivot = [0, 0, 0], keyframes = [ { time = 0 }, { time = 1, translate = [0, 1, 0], rotate = [0, 90, 0] } ] }
[[pin]]
body = "first"
region = { capsule = { from = [0, 0, 0], to = [1, 0, 0], radius = 0.3 } }
[output]
particles = []
attributes = ["J", "density", "hardening_state", "J"]
preview = { width = 64, height = 48, color_by = "velocity", camera = { eye = [1, 1, 1], target = [0, 0, 0], fov = 35 } }
"#;
    let set = [
        "solver.scheme=jacobi",
        "solver.plasticity=semi_implicit",
        "solver.gradient=literal",
        "solver.multiplier=tensor",
        "solver.kernel_correction=false",
        "solver.residual_tolerance=1e-3",
        "solver.viscosity=1e-6",
        "solver.position_correction.kind=none",
        "material.sand.energy=neo_hookean",
        "material.sand.hardening=false",
        "material.sand.cohesion=12",
    ];
    let scene =
        parse_in(Path::new(""), &text(BOX, LATTICE, rest), &set).unwrap_or_else(|e| panic!("{e}")).scene;
    assert_eq!(scene.solver.scheme, Scheme::Jacobi);
    assert_eq!(scene.solver.plasticity, Plasticity::SemiImplicit);
    assert_eq!(scene.solver.gradient, Gradient::Literal);
    assert_eq!(scene.solver.multiplier, Multiplier::Tensor);
    assert!(!scene.solver.kernel_correction);
    assert_eq!(scene.solver.smoothing, Smoothing::Viscosity(1e-6));
    assert_eq!(scene.solver.position_correction, PositionCorrection::None);
    let newton = with(&["solver.scheme=newton_cg"]).unwrap().scene.solver;
    assert_eq!((newton.iterations, newton.residual_tolerance), (100, 1e-2));
    let mut auto = with(&["solver.scheme=auto", "solver.iterations=7"]).unwrap().scene.solver;
    assert_eq!((auto.scheme, auto.iterations, auto.residual_tolerance), (Scheme::Auto, 7, 1e-2));
    auto.choose(Scheme::GaussSeidel);
    assert_eq!((auto.scheme, auto.iterations, auto.residual_tolerance), (Scheme::GaussSeidel, 7, 0.0));
    let grains =
        with(&["solver.matter=grains", "solver.grain_friction=0.3", "solver.scheme=jacobi"]).unwrap();
    assert_eq!(grains.scene.solver.matter, Matter::Grains { friction: 0.3 });
    says(grains.warnings[0].message(), &["ignored: models and parameters of materials", "`solver.scheme`"]);
    let density =
        with(&["solver.position_correction={kind=\"density\",threshold=0.1}"]).unwrap().scene.solver;
    assert_eq!(density.position_correction, PositionCorrection::Density { threshold: 0.1 });
    assert_eq!(scene.materials[0].parameters, [1e5, 12.0, 0.0, 1.0]);
    assert_eq!(scene.bodies[0].angular_velocity, DVec3::new(0.0, 2.0, 0.0));
    let [floor, bowl] = scene.colliders.as_slice() else { panic!() };
    assert_eq!((floor.friction, floor.inside), (Friction::Sticky, false));
    assert_eq!(floor.shape.signed_distance(DVec3::ZERO), 1.0);
    assert_eq!((bowl.friction, bowl.inside), (Friction::Coulomb(0.0), true));
    // Rotated about its center (0, 1, 0): the axis now runs along x.
    assert!((bowl.shape.signed_distance(DVec3::new(0.9, 1.0, 0.0)) + 0.1).abs() < 1e-12);
    assert!((bowl.motion.pose(1.0).apply(DVec3::X) - DVec3::new(0.0, 1.0, -1.0)).length() < 1e-12);
    assert!(scene.pins[0].motion.is_static());
    assert!(
        matches!(&scene.pins[0].selection, Selection::Region(r) if matches!(r.geometry, Geometry::Capsule { .. }))
    );
    assert!(scene.output.particles.is_empty());
    assert_eq!(scene.output.attributes.len(), 3);
    assert_eq!(scene.output.attributes[2], FrameAttribute::State("hardening_state".into()));
    let preview = scene.output.preview.unwrap();
    assert_eq!((preview.width, preview.color_by), (64, Some(FrameAttribute::Velocity)));
    assert_eq!(preview.camera.unwrap().fov, 35.0);
    assert_eq!(with(&["output.preview=false"]).unwrap().scene.output.preview, None);
}

#[test]
fn substeps_divide_a_frame_evenly() {
    let steps =
        |dt: &str| with(&[&format!("time.max_substep={dt}")]).unwrap().scene.time.substeps_per_frame();
    assert_eq!(steps("1e-4"), 417);
    assert_eq!(steps("1"), 1);
    assert_eq!(
        with(&["time.frame_rate=100", "time.max_substep=1e-3"]).unwrap().scene.time.substeps_per_frame(),
        10
    );
}

#[test]
fn steps_are_looked_for_unless_sweeps_or_grains_are_named() {
    let time = |set: &[&str]| with(set).unwrap().scene.time;
    for open in
        [&["solver.scheme=newton_cg"][..], &["solver.iterations=60"], &["time.substep_bounds=[1e-4,1e-3]"]]
    {
        assert!(time(open).substep_bounds.is_some(), "{open:?}");
    }
    assert_eq!(time(&["time.substep_bounds=[1e-4,1e-3]"]).substep_bounds, Some([1e-4, 1e-3]));
    for fixed in [
        &["solver.scheme=gauss_seidel"][..],
        &["solver.scheme=jacobi"],
        &["solver.iterations=59"],
        &["solver.scheme=newton_cg", "solver.iterations=59"],
        &["solver.residual_tolerance=0"],
        &["solver.residual_tolerance=0.0"],
        &["solver.multiplier=tensor"],
        &["solver.xsph=0.01"],
        &["solver.matter=grains"],
    ] {
        let time = time(fixed);
        assert_eq!((time.max_substep, time.substep_bounds), (1e-4, None), "{fixed:?}");
    }
}

#[test]
fn unknown_keys_are_errors_with_suggestions() {
    let error = broken("kernel_radius", "kernel_raduis");
    says(&error, &["scene.toml:7:1", "kernel_raduis = 0.1", "unknown key `solver.kernel_raduis`"]);
    says(&error, &["did you mean `kernel_radius`?", "`solver` has no `kernel_radius`, which is required"]);
    says(
        &broken("[time]", "[tiem]"),
        &["unknown key `tiem`", "did you mean `time`?", "the scene has no `time`"],
    );
    says(&broken("box = {", "bx = {"), &["unknown key `body.first.shape.bx`", "did you mean `box`?"]);
    says(
        &broken("max = [1", "maks = [1"),
        &["unknown key `body.first.shape.box.maks`", "did you mean `max`?"],
    );
    says(&broken("youngs_modulus", "young_modulus"), &["model `test_sand` has no parameter `young_modulus`"]);
    says(
        &broken("youngs_modulus", "young_modulus"),
        &["did you mean `youngs_modulus`?", "which model `test_sand` requires"],
    );
    says(&broken("youngs_modulus", "youngs_modulus_alias"), &["did you mean `youngs_modulus`?"]);
}

#[test]
fn names_that_refer_to_nothing_are_errors_with_suggestions() {
    says(
        &broken("material = \"sand\"", "material = \"snad\""),
        &["scene.toml:15", "\"snad\" is not known", "did you mean `sand`?"],
    );
    says(
        &broken("\"test_sand\"", "\"test_snad\""),
        &["unknown model \"test_snad\"", "did you mean `test_sand`?"],
    );
    says(
        &broken("\"lattice\"", "\"latice\""),
        &["must be `poisson_disk` or `lattice`", "did you mean `lattice`?"],
    );
    let error = with(&["solver.scheme=gaus_seidel"]).unwrap_err().to_string();
    says(&error, &["--set:1:15", "did you mean `gauss_seidel`?"]);
    let error = with(&["material.sand.energy=henky"]).unwrap_err().to_string();
    says(&error, &["must be `hencky` or `neo_hookean`", "did you mean `hencky`?"]);
    let error = with(&["output.attributes=[\"velocty\"]"]).unwrap_err().to_string();
    says(&error, &["did you mean `velocity`?", "`hardening_state`"]);
    let pin = "[[pin]]\nbody = \"frist\"\nregion = { sphere = { center = [0, 0, 0], radius = 1 } }";
    let error = parse_in(Path::new(""), &text(BOX, LATTICE, pin), &[]).unwrap_err().to_string();
    says(&error, &["`pin.0.body` = \"frist\" is not known", "did you mean `first`?"]);
    let none = crate::parse(&text(BOX, LATTICE, ""), Path::new("s.toml"), &[], &[]).unwrap_err().to_string();
    says(&none, &["no material library was found"]);
}

#[test]
fn types_and_ranges_are_checked() {
    says(&broken("= 0.1\n", "= \"wide\"\n"), &["`solver.kernel_radius` must be a number in m, not a string"]);
    says(
        &broken("= 0.1\n", "= -0.1\n"),
        &["`solver.kernel_radius` = -0.1 is out of range", "greater than 0 [m]"],
    );
    for bad in ["nan", "inf", "-inf", "1e999"] {
        says(
            &broken("= 0.1\n", &format!("= {bad}\n")),
            &["`solver.kernel_radius`", "is not a finite number"],
        );
    }
    says(&broken("[0, 0, 0]", "[0, nan, 0]"), &["`body.first.shape.box.min.1`", "is not a finite number"]);
    says(&broken("[0, 0, 0]", "[0, 0]"), &["has 2 numbers, not 3"]);
    says(&broken("[0, 0, 0]", "[0, 3, 0]"), &["is empty along y: min 3 is not below max 2"]);
    says(&broken("[1, 2]", "[48, 1]"), &["runs backward", "frames = [1, 48]"]);
    says(&broken("[1, 2]", "[1, 2.5]"), &["`time.frames.1` must be an integer, not a number"]);
    says(&broken("[1, 2]", "[-1, 2]"), &["`time.frames.0` = -1 is out of range"]);
    says(&broken("[1, 2]", "[1]"), &["has 1 elements, not 2"]);
    says(&broken("format = 1", "format = 2"), &["scene format 2 is not known"]);
    says(&broken("1600", "0"), &["`material.sand.density` = 0 is out of range"]);
    says(
        &broken("1e5", "-1e5"),
        &["material.sand.youngs_modulus", "greater than 0 and at most 1000000000000 [Pa]"],
    );
    says(&broken("1e5", "true"), &["must be a number in Pa, not a boolean"]);
    says(&broken("\"test\"", "\"My Scene\""), &["has a character that file names avoid: `M`"]);
    for (set, part) in [
        ("solver.iterations=0", "at least 1"),
        ("solver.iterations=2.5", "must be an integer"),
        ("solver.xsph=2", "at most 1"),
        ("time.max_substep=0", "greater than 0"),
        ("time.max_substep=1e-12", "far too small"),
        ("solver.position_correction={kind=\"density\",gap=0.1}", "belongs to kind = \"distance\""),
        ("solver.position_correction.threshold=0.1", "belongs to kind = \"density\""),
        ("solver.position_correction={kind=\"density\",threshold=2}", "at most 1"),
        ("solver.position_correction.gap=1", "less than 1"),
        ("solver.matter=sand", "must be `continuum` or `grains`"),
        ("solver.grain_friction=0.1", "belongs to `solver.matter` = \"grains\""),
        ("body.first.sampling.spacing=0", "greater than 0"),
        ("body.first.sampling.spacing=-1", "greater than 0"),
        ("body.first.sampling.jitter=0.6", "at most 0.5"),
        ("material.sand.hardening=1", "must be `true` or `false`"),
        ("output.preview.width=1", "at least 16"),
        ("output.particles=[\"bgeo\"]", "must be `ply`"),
        ("body=[]", "`body` is empty"),
        ("scene=1", "`scene` must be a table"),
    ] {
        says(&with(&[set]).unwrap_err().to_string(), &[part, "--set:1"]);
    }
    let error = with(&["solver.xsph=0.1", "solver.viscosity=0.1"]).unwrap_err().to_string();
    says(&error, &["exclude each other"]);
}

#[test]
fn shapes_are_checked() {
    let shape = |shape: &str| {
        parse_in(Path::new(""), &text(shape, LATTICE, ""), &[]).map(|_| ()).unwrap_err().to_string()
    };
    says(&shape("{}"), &["has no geometry", "expected exactly one of"]);
    says(&shape("{ rotate = [0, 0, 0] }"), &["has no geometry"]);
    let two =
        "{ sphere = { center = [0, 0, 0], radius = 1 }, plane = { point = [0, 0, 0], normal = [0, 1, 0] } }";
    says(&shape(two), &["has 2 geometries: plane, sphere"]);
    says(
        &shape("{ plane = { point = [0, 0, 0], normal = [0, 1, 0] } }"),
        &["a body cannot be of kind `plane`"],
    );
    says(&shape("{ sphere = { radius = 1 } }"), &["has no `center`"]);
    says(&shape("{ sphere = { center = [0, 0, 0], radius = 0 } }"), &["greater than 0"]);
    says(&shape("{ cylinder = { from = [1, 0, 0], to = [1, 0, 0], radius = 1 } }"), &["has no length"]);
    let profile =
        |p: &str| shape(&format!("{{ revolve = {{ from = [0, 0, 0], to = [0, 1, 0], profile = {p} }} }}"));
    says(&profile("[[0, 0], [1, 0]]"), &["at least 3 corners"]);
    says(&profile("[[0, 0], [1, 1], [1, 0], [0.1, 1]]"), &["cross"]);
    says(&profile("[[0, 0], [-1, 0], [0, 1]]"), &["corner 1 has a negative radius"]);
    says(
        &shape("{ mesh = { file = \"none.obj\" } }"),
        &["there is no file `none.obj`", "scene file's folder"],
    );
    let cut = "{ box = { min = [0, 0, 0], max = [1, 1, 1] }, subtract = [{ sphere = { center = [0, 0], radius = 1 } }] }";
    says(&shape(cut), &["`body.first.shape.subtract.0.sphere.center` has 2 numbers"]);
}

#[test]
fn meshes_have_the_sides_that_they_can_have() {
    let folder = tempfile::tempdir().unwrap();
    let corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
    let write = |name: &str, faces: &str| {
        std::fs::write(folder.path().join(name), format!("{corners}{faces}")).unwrap();
    };
    write("closed.obj", "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
    write("open.obj", "f 1 3 2\nf 1 2 4\n");
    write("flat.obj", "f 1 3 2\n");
    write("double.obj", "f 1 3 2\nf 1 2 3\n");
    let parsed = |shape: &str, keys: &str| {
        let collider = format!("[[collider]]\nname = \"m\"\nshape = {shape}\n{keys}");
        parse_in(folder.path(), &text(BOX, LATTICE, &collider), &[])
    };
    let mesh = |file: &str| format!("{{ mesh = {{ file = \"{file}.obj\" }} }}");
    for (file, keys, inside, sheet) in [
        ("closed", "", false, false),
        ("closed", "side = \"outside\"", false, false),
        ("closed", "side = \"inside\"", true, false),
        ("closed", "inside = true", true, false),
        ("closed", "side = \"both\"", false, true),
        ("open", "", false, true),
        ("open", "side = \"both\"", false, true),
        ("double", "", false, true),
        ("flat", "side = \"both\"", false, true),
    ] {
        let loaded = parsed(&mesh(file), keys).unwrap();
        let collider = &loaded.scene.colliders[0];
        assert_eq!((collider.inside, collider.sheet), (inside, sheet), "{file} {keys}");
        let warned = loaded.warnings.iter().any(|w| w.to_string().contains("not closed (4 edges"));
        assert_eq!(warned, (file, keys) == ("open", ""), "{file} {keys}: {:?}", loaded.warnings);
    }
    let fault = |shape: &str, keys: &str| parsed(shape, keys).map(|_| ()).unwrap_err().to_string();
    says(&fault(&mesh("open"), "side = \"inside\""), &["not closed (4 edges without a partner)", "\"both\""]);
    says(&fault(&mesh("open"), "inside = true"), &["`collider.m.inside`", "not closed"]);
    says(&fault(&mesh("closed"), "side = \"inside\"\ninside = true"), &["exclude each other"]);
    says(&fault(&mesh("closed"), "side = \"in\""), &["outside", "inside", "both"]);
    let ball = "{ sphere = { center = [0, 9, 0], radius = 1 } }";
    says(&fault(ball, "side = \"both\""), &["only the surface of a mesh has matter on both sides"]);
    let body = text(&mesh("flat"), LATTICE, "");
    says(&parse_in(folder.path(), &body, &[]).map(|_| ()).unwrap_err().to_string(), &["the mesh is flat"]);
}

#[test]
fn colliders_motions_and_pins_are_checked() {
    let rest = |rest: &str| {
        parse_in(Path::new(""), &text(BOX, LATTICE, rest), &[]).map(|_| ()).unwrap_err().to_string()
    };
    let floor =
        "[[collider]]\nname = \"floor\"\nshape = { plane = { point = [0, 0, 0], normal = [0, 1, 0] } }\n";
    says(&rest(&format!("{floor}sticky = true\nfriction = 0.1")), &["exclude each other"]);
    says(&rest(&format!("{floor}{floor}")), &["two colliders are named \"floor\""]);
    says(
        &rest(&format!("{floor}motion = {{ keyframes = [] }}")),
        &["`collider.floor.motion.keyframes` is empty"],
    );
    let backward = "motion = { keyframes = [{ time = 1 }, { time = 1 }] }";
    says(
        &rest(&format!("{floor}{backward}")),
        &["keyframes.1.time` = 1 is not later than the previous", "greater than 1 [s]"],
    );
    says(&rest(&floor.replace("[0, 1, 0]", "[0, 0, 0]")), &["normal` is zero"]);
    says(
        &rest(&floor.replace("shape = { ", "shape = { subtract = [], ")),
        &["`collider.floor.shape.subtract`: a plane has no parts"],
    );
    let points = "[[collider]]\nname = \"m\"\nshape = { points = { file = \"a.ply\" } }";
    says(&rest(points), &["a collider cannot be of kind `points`", "mesh"]);
    says(&rest("[[pin]]\nbody = \"first\""), &["`pin.0` has no `region`"]);
    says(
        &rest("[[body]]\nname = \"first\""),
        &["two bodies are named \"first\"", "has no `material`", "has no `shape`"],
    );
    let spin = "motion = { keyframes = [{ time = 0 }, { time = 1, rotate = [0, 360, 0] }] }";
    let loaded = parse_in(Path::new(""), &text(BOX, LATTICE, &format!("{floor}{spin}")), &[]).unwrap();
    says(loaded.warnings[0].message(), &["half a turn or more"]);
}

#[test]
fn spacing_and_kernel_must_fit() {
    let error = with(&["body.first.sampling.spacing=0.07"]).unwrap_err().to_string();
    says(&error, &["as close as 7.0000e-2 m", "at least (1 - gap) r = 7.5000e-2 [m]"]);
    assert!(with(&["body.first.sampling.spacing=0.075"]).is_ok());
    let near = with(&["body.first.sampling.spacing=0.095", "solver.matter=grains"]).unwrap_err().to_string();
    says(&near, &["as close as 9.5000e-2 m", "the diameter of grains, r = 1.0000e-1 [m]"]);
    assert!(with(&["body.first.sampling.spacing=0.07", "solver.position_correction.kind=none"]).is_ok());
    says(
        &with(&["body.first.sampling.jitter=0.2"]).unwrap_err().to_string(),
        &["with its jitter", "6.0000e-2"],
    );
    says(&with(&["body.first.sampling.spacing=0.2"]).unwrap_err().to_string(), &["no neighbors within 2 r"]);
    let loaded = with(&["body.first.sampling.spacing=0.14"]).unwrap();
    says(loaded.warnings[0].message(), &["few neighbors"]);
    let tiny = ["body.first.sampling.spacing=1e-6", "solver.kernel_radius=1e-6"];
    says(&with(&tiny).unwrap_err().to_string(), &["would have about 2.0e18 particles"]);
    let needle = "{ box = { min = [0, 0, 0], max = [1e11, 1e-3, 1e-3] } }";
    let error = parse_in(Path::new(""), &text(needle, "{}", ""), &[]).unwrap_err().to_string();
    says(&error, &["the box around its shape is 1.0e12 spacings large"]);
    let jitter = text(BOX, r#"{ kind = "poisson_disk", jitter = 0.1 }"#, "");
    says(&parse_in(Path::new(""), &jitter, &[]).unwrap_err().to_string(), &["belongs to the lattice"]);
}

#[test]
fn malformed_and_missing_files_say_where() {
    says(&broken("frames = [1, 2]", "frames = [1, 2"), &["malformed TOML", "scene.toml:"]);
    says(
        &broken("name = \"test\"", "name = \"a\"\nname = \"b\""),
        &["malformed TOML: duplicate key", "scene.toml:4"],
    );
    let error = load(Path::new("no/such/scene.toml"), &[], &[&model()]).unwrap_err().to_string();
    says(&error, &["cannot read the scene `no/such/scene.toml`"]);
    let error = crate::parse("", Path::new("empty.toml"), &[], &[&model()]).unwrap_err();
    assert_eq!(error.messages().count(), 6, "{error}");
}

#[test]
fn all_faults_are_reported_at_once_in_file_order() {
    let bad = text(BOX, LATTICE, "[output]\npreviw = false")
        .replace("[1, 2]", "[2, 1]")
        .replace("kernel_radius = 0.1", "kernel_radius = 0.1\nitterations = 3");
    let error = parse_in(Path::new(""), &bad, &[]).unwrap_err();
    assert_eq!(error.lines().collect::<Vec<_>>(), [Some(5), Some(8), Some(20)], "{error}");
}

const BALL: &str = "{ sphere = { center = [0, 5, 0], radius = 0.5 } }";

fn rigid(shape: &str, keys: &str) -> String {
    text(BOX, LATTICE, &format!("[[rigid]]\nname = \"ball\"\nshape = {shape}\n{keys}"))
}

#[test]
fn rigid_bodies_are_read() {
    let read = |shape: &str, keys: &str, set: &[&str]| {
        parse_in(Path::new(""), &rigid(shape, keys), set).unwrap_or_else(|e| panic!("{e}")).scene
    };
    let scene = read(BALL, "density = 2500", &[]);
    let body = &scene.rigid[0];
    assert_eq!((body.name.as_str(), body.weight, body.hold), ("ball", Weight::Density(2500.0), None));
    assert_eq!((body.velocity, body.angular_velocity), (DVec3::ZERO, DVec3::ZERO));
    assert_eq!((body.friction, body.restitution, body.adhesion), (Friction::Coulomb(0.5), 0.0, 0.0));
    let scaled = scene.rescaled(5000).unwrap();
    assert_eq!(scaled.rigid[0].shape.volume(), body.shape.volume());
    let keys = "mass = 0.08\nvelocity = [1, 0, 0]\nangular_velocity = [0, 2, 0]\nsticky = true\nrestitution = 0.5\n\
                adhesion = 10\nhold = { hinge = { point = [0, 1, 0], axis = [0, 0, 2] } }";
    let parts = "{ box = { min = [0, 4, 0], max = [1, 5, 1] }, union = [{ sphere = { center = [1, 5, 1], radius = 0.5 } }], \
                 subtract = [{ sphere = { center = [0, 4, 0], radius = 0.5 } }] }";
    let body = &read(parts, keys, &["rigid.ball.restitution=0.25"]).rigid[0];
    assert_eq!((body.weight, body.friction), (Weight::Mass(0.08), Friction::Sticky));
    assert_eq!((body.velocity, body.angular_velocity), (DVec3::X, 2.0 * DVec3::Y));
    assert_eq!((body.restitution, body.adhesion), (0.25, 10.0));
    assert_eq!(body.hold, Some(Hold::Hinge { point: DVec3::Y, axis: DVec3::Z }));
    assert_eq!((body.shape.union.len(), body.shape.subtract.len()), (1, 1));
    let body = &read(BALL, "mass = 1\nhold = { ball = [0, 6, 0] }", &[]).rigid[0];
    assert_eq!(body.hold, Some(Hold::Ball(6.0 * DVec3::Y)));
}

#[test]
fn rigid_bodies_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let open = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\n";
    std::fs::write(folder.path().join("open.obj"), open).unwrap();
    let fault = |shape: &str, keys: &str| {
        parse_in(folder.path(), &rigid(shape, keys), &[]).map(|_| ()).unwrap_err().to_string()
    };
    let heavy = "density = 2500";
    let open = "{ mesh = { file = \"open.obj\" } }";
    says(&fault(open, heavy), &["open.obj` is not closed (4 edges without a partner)", "closed mesh"]);
    let part = BALL.replace(" } }", &format!(" }}, union = [{open}] }}"));
    says(&fault(&part, heavy), &["is not closed"]);
    for kind in ["plane = { point = [0, 0, 0], normal = [0, 1, 0] }", "points = { file = \"a.ply\" }"] {
        says(&fault(&format!("{{ {kind} }}"), heavy), &["a rigid body cannot be of kind", "`mesh`"]);
    }
    let gone = "{ sphere = { center = [0, 0, 0], radius = 1 }, subtract = [{ sphere = { center = [0, 0, 0], radius = 2 } }] }";
    says(&fault(gone, heavy), &["`rigid.ball.shape` has no volume"]);
    says(&fault(BALL, ""), &["`rigid.ball` has no `density`", "or `mass`"]);
    says(&fault(BALL, "density = 1\nmass = 1"), &["`rigid.ball`: `density` and `mass` exclude each other"]);
    for (keys, parts) in [
        ("mass = 0", ["`rigid.ball.mass` = 0 is out of range", "at least 1e-18 and at most 1e18 [kg]"]),
        ("density = -1", ["`rigid.ball.density` = -1 is out of range", "greater than 0"]),
        ("mass = 1\nfriction = -0.1", ["`rigid.ball.friction`", "at least 0"]),
        ("mass = 1\nfriction = 0.1\nsticky = true", ["`rigid.ball`", "exclude each other"]),
        ("mass = 1\nrestitution = 1.1", ["`rigid.ball.restitution`", "at least 0 and at most 1"]),
        ("mass = 1\nadhesion = -1", ["`rigid.ball.adhesion`", "at least 0"]),
        ("mass = 1\nhold = {}", ["`rigid.ball.hold` names no joint", "ball = [x, y, z]"]),
        ("mass = 1\nhold = { bal = [0, 0, 0] }", ["unknown key `rigid.ball.hold.bal`", "`ball`"]),
        (
            "mass = 1\nhold = { ball = [0, 0, 0], hinge = { point = [0, 0, 0], axis = [0, 0, 1] } }",
            ["`rigid.ball.hold`", "exclude each other"],
        ),
        (
            "mass = 1\nhold = { hinge = { point = [0, 0, 0], axis = [0, 0, 0] } }",
            ["`rigid.ball.hold.hinge.axis` is zero", "must have a direction"],
        ),
        ("mass = 1\nhold = { hinge = { axis = [0, 0, 1] } }", ["has no `point`", "a point of the axis"]),
        ("mass = 1\nfrictoin = 1", ["unknown key `rigid.ball.frictoin`", "did you mean `friction`?"]),
    ] {
        says(&fault(BALL, keys), &parts);
    }
    let floor =
        "[[collider]]\nname = \"floor\"\nshape = { plane = { point = [0, 0, 0], normal = [0, 1, 0] } }";
    let named = |name: &str| {
        let text = rigid(BALL, &format!("mass = 1\n{floor}")).replace("\"ball\"", &format!("\"{name}\""));
        parse_in(folder.path(), &text, &[]).map(|_| ())
    };
    assert!(named("ball").is_ok());
    for taken in ["first", "floor"] {
        says(&named(taken).unwrap_err().to_string(), &[&format!("\"{taken}\" is taken"), "must differ"]);
    }
    let twice = rigid(BALL, &format!("mass = 1\n[[rigid]]\nname = \"ball\"\nmass = 1\nshape = {BALL}"));
    says(&parse_in(folder.path(), &twice, &[]).map(|_| ()).unwrap_err().to_string(), &["\"ball\" is taken"]);
}
