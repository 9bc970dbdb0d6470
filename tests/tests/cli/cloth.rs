//! Scenes with cloth: what they may leave out, what frames hold, and every way to get them wrong.

use std::fs;

use crate::{Place, names};

const CLOTH: &str = r#"format = 1
[scene]
name = "sheet"
[time]
frames = [1, 2]
[[cloth]]
name = "sheet"
grid = { corner = [0.0, 1.0, 0.0], u = [0.4, 0.0, 0.0], v = [0.0, 0.0, 0.3], cells = [4, 3] }
surface_density = 0.2
stretch_stiffness = 100.0
bending_stiffness = 1e-5
thickness = 0.002
[[pin]]
body = "sheet"
vertices = [0, -1]
[output]
preview = false
"#;

const GRID: &str =
    "grid = { corner = [0.0, 1.0, 0.0], u = [0.4, 0.0, 0.0], v = [0.0, 0.0, 0.3], cells = [4, 3] }";

#[test]
fn a_cloth_alone_needs_neither_bodies_nor_materials_nor_a_solver() {
    let place = Place::with(CLOTH);
    place.tuff(&["check", "scene.toml"]).stdout_says("particles              20\n");
    place.tuff(&["run", "scene.toml", "--device", "reference", "--out", "out"]).expect(0, &[]);
    assert_eq!(names(&place.path("out/particles")).len(), 2);
    assert_eq!(names(&place.path("out/cloth")), ["sheet.0001.ply", "sheet.0002.ply"]);
    let run = fs::read_to_string(place.path("out/run.json")).unwrap();
    for part in ["\"stretch_stiffness\": 100.0", "cloth/sheet.0002.ply", "\"auto\""] {
        assert!(run.contains(part), "{part} is missing in run.json");
    }
    let mesh = fs::read(place.path("out/cloth/sheet.0002.ply")).unwrap();
    let end = mesh.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
    let header = String::from_utf8_lossy(&mesh[..end]);
    assert!(header.contains("element vertex 20\n") && header.contains("element face 24\n"), "{header}");
    assert_eq!(mesh.len(), end + 20 * 24 + 24 * 13);
}

#[test]
fn what_is_wrong_with_a_cloth_is_said() {
    for (from, to, words) in [
        (GRID, "", ["grid", "mesh"]),
        (
            GRID,
            "grid = { corner = [0, 1, 0], u = [1, 0, 0], v = [2, 0, 0], cells = [4, 3] }",
            ["degenerate", "parallel"],
        ),
        ("cells = [4, 3]", "cells = [4, 0]", ["cells", "whole numbers from 1"]),
        ("cells = [4, 3]", "cells = [4.5, 3]", ["cells", "whole numbers from 1"]),
        ("surface_density = 0.2", "surface_density = 0.0", ["surface_density", "greater than 0"]),
        ("surface_density = 0.2", "density = 0.2", ["density", "surface_density"]),
        ("stretch_stiffness = 100.0", "", ["stretch_stiffness", "[N/m]"]),
        ("bending_stiffness = 1e-5", "bending_stiffness = -1e-5", ["bending_stiffness", "-1e-5"]),
        ("bending_stiffness = 1e-5", "poisson_ratio = 1.0", ["poisson_ratio", "0.9"]),
        ("bending_stiffness = 1e-5", "damping = -1.0", ["damping", "-1"]),
        ("bending_stiffness = 1e-5", "tear_strain = -0.1", ["tear_strain", "0"]),
        ("thickness = 0.002", "thickness = 0.0", ["thickness", "greater than 0"]),
        ("thickness = 0.002", "thickness = 0.002\nmesh = { file = \"a.obj\" }", ["grid", "exclude"]),
        ("vertices = [0, -1]", "vertices = [20]", ["vertices", "at most 19"]),
        (
            "vertices = [0, -1]",
            "region = { sphere = { center = [9, 9, 9], radius = 0.1 } }",
            ["holds no particle", "sheet"],
        ),
        ("body = \"sheet\"", "body = \"sheer\"", ["sheer", "sheet"]),
        ("name = \"sheet\"\ngrid", "name = \"a/b\"\ngrid", ["file names avoid", "`/`"]),
        ("[[cloth]]", "[solver]\nkernel_radius = 0.05\nmatter = \"grains\"\n[[cloth]]", ["grains", "cloth"]),
        (
            "[[pin]]",
            "[[rope]]\nname = \"line\"\npoints = [[0, 0, 0], [1, 0, 0]]\nspacing = 0.1\nradius = 0.1\nlinear_density = 1\nstretch_stiffness = 1\n\
             [[cloth]]\nname = \"line\"\ngrid = { corner = [0, 0, 0], u = [1, 0, 0], v = [0, 1, 0], cells = [1, 1] }\n\
             surface_density = 1\nstretch_stiffness = 1\nthickness = 0.1\n[[pin]]",
            ["\"line\" is taken", "differ"],
        ),
    ] {
        assert!(CLOTH.contains(from), "{from}");
        Place::with(&CLOTH.replacen(from, to, 1)).tuff(&["check", "scene.toml"]).expect(2, &words);
    }
    Place::with(CLOTH)
        .tuff(&["run", "scene.toml", "--device", "mpm", "--set", "time.max_substep=1e-3"])
        .expect(2, &["mpm", "cloth"]);
}

#[test]
fn what_is_wrong_with_a_mesh_names_file_element_and_place() {
    let mesh = "mesh = { file = \"sheet.obj\", translate = [0.0, 1.0, 0.0] }";
    let scene = CLOTH.replace(GRID, mesh).replace("[[cloth]]", "[solver]\nkernel_radius = 0.5\n[[cloth]]");
    let place = Place::with(&scene);
    place.tuff(&["check", "scene.toml"]).expect(2, &["sheet.obj", "no file"]);
    let square = "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\n";
    for (text, words) in [
        (
            format!("{square}f 1 2 2\n"),
            ["sheet.obj", "triangle 0 is degenerate", "1 at (1.000000, 1.000000, 0.000000)"],
        ),
        (
            format!("{square}v 1 0 0\nf 1 2 3\nf 1 3 4\nf 5 3 4\n"),
            ["vertex 4 at (1.000000, 1.000000, 0.000000)", "twice", "number 1"],
        ),
        (
            format!("{square}v 0 1 0\nf 1 2 3\nf 1 3 4\nf 1 3 5\n"),
            ["edge between vertices 0 at", "3 triangles", "at most two"],
        ),
        (
            format!("{square}f 1 2 3\n"),
            ["vertex 3 at (0.000000, 1.000000, 1.000000)", "no triangle", "remove"],
        ),
        (
            format!("{square}v 5 0 0\nv 6 0 0\nv 5 0 1\nf 1 2 3\nf 1 3 4\nf 5 6 7\n"),
            ["in pieces", "triangle 2", "one connected piece"],
        ),
        (format!("{square}f 1 2 9\n"), ["sheet.obj", "cannot be used", "no vertex 9"]),
        ("v 0 0 0\n".to_owned(), ["sheet.obj", "cannot be used", "no triangles"]),
    ] {
        fs::write(place.path("sheet.obj"), text).unwrap();
        place.tuff(&["check", "scene.toml"]).expect(2, &words);
    }
    fs::write(place.path("sheet.obj"), format!("{square}f 1 2 3\nf 1 3 4\n")).unwrap();
    place.tuff(&["check", "scene.toml"]).stdout_says("particles              4\n");
}

#[test]
fn a_friction_without_effect_and_a_plate_thicker_than_it_is_are_doubted() {
    let rough = CLOTH.replace("thickness = 0.002", "thickness = 0.002\nfriction = 0.4\ncontact = false");
    Place::with(&rough).tuff(&["check", "scene.toml"]).expect(0, &["friction", "`contact` = false"]);
    let stiff = CLOTH.replace("bending_stiffness = 1e-5", "bending_stiffness = 1.0");
    Place::with(&stiff).tuff(&["check", "scene.toml"]).expect(0, &["bending_stiffness", "3.663e-5"]);
}

#[test]
fn contact_can_be_left_out() {
    let body = "[[material]]\nname = \"sand\"\npreset = \"dry_sand\"\n[[body]]\nname = \"heap\"\nmaterial = \"sand\"\n\
                shape = { box = { min = [0.0, 1.1, 0.0], max = [0.2, 1.2, 0.2] } }\n[solver]\nkernel_radius = 0.05\n[output]";
    let passing =
        CLOTH.replace("thickness = 0.002", "thickness = 0.002\ncontact = false").replace("[output]", body);
    Place::with(&passing)
        .tuff(&["check", "scene.toml"])
        .expect(0, &["cloth `sheet` does not touch other bodies", "leave out `contact`"]);
    let wrong = CLOTH.replace("thickness = 0.002", "thickness = 0.002\ncontact = \"yes\"");
    Place::with(&wrong).tuff(&["check", "scene.toml"]).expect(2, &["scene.toml:13", "contact", "true"]);
}

#[test]
fn matter_that_starts_in_a_sheet_is_told() {
    let body = "[[material]]\nname = \"sand\"\npreset = \"dry_sand\"\n[[body]]\nname = \"heap\"\nmaterial = \"sand\"\n\
                shape = { box = { min = [0.1, 1.0, 0.1], max = [0.2, 1.1, 0.2] } }\n\
                sampling = { kind = \"lattice\", spacing = 0.02 }\n[solver]\nkernel_radius = 0.02\n[output]";
    let place = Place::with(&CLOTH.replace("[output]", body));
    // Points 1 cm above the sheet touch it at 1 cm and half the thickness.
    place.tuff(&["check", "scene.toml"]).stdout_says(
        "25 of 125 particles of body `heap` start up to 1.000e-3 m deep in cloth `sheet` and leave it",
    );
}

#[test]
fn what_passes_through_cloth_is_doubted() {
    let rope = |x: f64| {
        format!(
            "[[rope]]\nname = \"cord\"\npoints = [[{x}, 0.95, 0.05], [{x}, 1.03, 0.05]]\nspacing = 0.02\nradius = 0.001\n\
             linear_density = 0.01\nstretch_stiffness = 50.0\n[output]"
        )
    };
    let flag = "[[cloth]]\nname = \"flag\"\nsurface_density = 0.2\nstretch_stiffness = 100.0\nthickness = 0.002\n\
                grid = { corner = [0.15, 0.95, 0.05], u = [0.0, 0.1, 0.0], v = [0.0, 0.0, 0.2], cells = [1, 2] }\n[output]";
    let check = |more: &str| Place::with(&CLOTH.replace("[output]", more)).tuff(&["check", "scene.toml"]);
    check(&rope(0.13)).expect(0, &["rope `cord` passes through cloth `sheet`", "ends of 1 of its segments"]);
    check(flag).expect(0, &["cloth `flag` passes through cloth `sheet`", "ends of 5 of its edges"]);
    for (beside, what) in [(rope(-0.01), "beside"), (rope(0.13).replace("1.03", "0.99"), "below")] {
        let outcome = check(&beside);
        assert!(!outcome.stderr.contains("passes through"), "{what}: {outcome:?}");
    }
    let untouched = CLOTH.replace("thickness = 0.002", "thickness = 0.002\ncontact = false");
    let outcome = Place::with(&untouched.replace("[output]", &rope(0.13))).tuff(&["check", "scene.toml"]);
    assert!(!outcome.stderr.contains("passes through"), "{outcome:?}");
}

#[test]
fn a_torn_cloth_stays_torn_when_resumed() {
    let scene = CLOTH
        .replace("frames = [1, 2]", "frames = [1, 7]")
        .replace("thickness = 0.002", "thickness = 0.002\ntear_strain = 0.05\npoisson_ratio = 0.0")
        .replace("vertices = [0, -1]", "vertices = [0, 1, 2, 3, 4]")
        .replace(
            "[output]",
            "[[pin]]\nbody = \"sheet\"\nvertices = [15, 16, 17, 18, 19]\n[pin.motion]\n\
             keyframes = [{ time = 0.0 }, { time = 0.25, translate = [0.0, 0.0, 0.05] }]\n[output]",
        );
    for device in ["reference", "0"] {
        let (whole, part) = (Place::with(&scene), Place::with(&scene));
        let run = |place: &Place, more: &[&str]| {
            let arguments = ["run", "scene.toml", "--device", device, "--checkpoint", "1", "--out", "out"];
            place.tuff(&[&arguments[..], more].concat()).expect(0, &[]);
        };
        run(&whole, &[]);
        run(&part, &["--frames", "1-5"]);
        run(&part, &["--resume"]);
        let meshes = |place: &Place, frame: u32| {
            fs::read(place.path(&format!("out/cloth/sheet.000{frame}.ply"))).unwrap()
        };
        let faces = |bytes: &[u8]| -> usize {
            let text = String::from_utf8_lossy(bytes);
            let line = text.lines().find(|line| line.starts_with("element face")).unwrap();
            line.split(' ').nth(2).unwrap().parse().unwrap()
        };
        let torn = faces(&meshes(&whole, 5));
        assert!(faces(&meshes(&whole, 1)) == 24 && torn < 24, "{torn} triangles are left");
        for frame in 1..=7 {
            assert!(meshes(&whole, frame) == meshes(&part, frame), "frame {frame} differs");
        }
    }
}
