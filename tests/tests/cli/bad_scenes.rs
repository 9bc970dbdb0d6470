//! Unusable scenes: exit code 2 and a message that lets the user fix them.

use std::fs;

use crate::{Place, SCENE};

#[test]
fn a_missing_file_is_named() {
    Place::with(SCENE).tuff(&["check", "nowhere.toml"]).expect(2, &["nowhere.toml"]);
}

#[test]
fn malformed_toml_shows_the_line() {
    Place::changed("density = 1600.0", "density = = 1600.0")
        .tuff(&["check", "scene.toml"])
        .expect(2, &["scene.toml:15", "= ="]);
}

#[test]
fn an_unknown_key_gets_a_suggestion() {
    let place = Place::changed("kernel_radius", "kernel_radios");
    place.tuff(&["check", "scene.toml"]).expect(2, &["kernel_radios", "kernel_radius", "scene.toml:10"]);
}

#[test]
fn a_wrong_type_says_what_is_expected() {
    let place = Place::changed("iterations = 2", "iterations = \"two\"");
    place.tuff(&["check", "scene.toml"]).expect(2, &["iterations", "two", "scene.toml:11"]);
}

#[test]
fn numbers_out_of_range_say_the_range() {
    for (from, to, words) in [
        ("poisson_ratio = 0.3", "poisson_ratio = 0.7", ["poisson_ratio", "0.495"]),
        ("frame_rate = 100.0", "frame_rate = -24.0", ["frame_rate", "-24"]),
        ("density = 1600.0", "density = nan", ["density", "nan"]),
        ("max_substep = 2.0e-3", "max_substep = inf", ["max_substep", "inf"]),
        ("spacing = 0.025", "spacing = 0.0", ["spacing", "0"]),
        ("spacing = 0.025", "spacing = -0.01", ["spacing", "-0.01"]),
        ("frames = [1, 3]", "frames = [3, 1]", ["frames", "3"]),
    ] {
        Place::changed(from, to).tuff(&["check", "scene.toml"]).expect(2, &words);
    }
}

#[test]
fn a_body_without_particles_is_refused() {
    let place = Place::changed("max = [0.1, 0.1, 0.1]", "max = [0.001, 0.1, 0.1]");
    place.tuff(&["check", "scene.toml"]).expect(2, &["cube", "particle", "spacing"]);
}

#[test]
fn matter_too_stiff_for_the_substeps_is_warned_of() {
    let place = Place::with(SCENE);
    let check = |modulus: &str, step: &str| {
        let modulus = format!("material.sand.youngs_modulus={modulus}");
        let step = format!("time.max_substep={step}");
        let set =
            ["check", "scene.toml", "--set", "solver.iterations=100", "--set", &modulus, "--set", &step];
        place.tuff(&set)
    };
    let doubt = ["warning: `material.sand` is so stiff", "a hundredth of its moduli", "scene.toml:"];
    for (modulus, step) in [("1e10", "1e-3"), ("1e12", "auto")] {
        check(modulus, step).expect(0, &doubt);
        let fine = check("1e7", step);
        fine.expect(0, &[]);
        assert!(!fine.stderr.contains("stiff"), "{}", fine.stderr);
    }
    // Sound crosses 10 spacings.
    let sweeps = |iterations: &str| {
        let iterations = format!("solver.iterations={iterations}");
        let set = ["solver.scheme=gauss_seidel", "material.sand.youngs_modulus=9e7", "time.max_substep=1e-3"];
        let set = [iterations.as_str(), set[0], set[1], set[2]];
        place.tuff(&[&["check", "scene.toml"], &set.map(|s| ["--set", s]).concat()[..]].concat())
    };
    let doubt = ["so stiff", "60 sweeps leave it far from balance", "scheme = \"newton_cg\""];
    sweeps("60").expect(0, &doubt);
    let enough = sweeps("150");
    assert!(!enough.stderr.contains("stiff"), "{}", enough.stderr);
}

#[test]
fn overlapping_bodies_are_refused_or_a_warning_with_the_count() {
    let second = |key: &str| {
        format!(
            "[[body]]\nname = \"twin\"\nmaterial = \"sand\"\n{key}\
             shape = {{ box = {{ min = [0.05, 0.0, 0.0], max = [0.15, 0.1, 0.1] }} }}\n\
             sampling = {{ kind = \"lattice\", spacing = 0.025 }}\n[output]"
        )
    };
    let check = |key: &str| Place::changed("[output]", &second(key)).tuff(&["check", "scene.toml"]);
    check("").expect(2, &["scene.toml:", "[[body]]", "inside body `cube`", "overlap = \"push_out\""]);
    check("overlap = \"push_out\"\n").expect(0, &["warning", "overlap", "cube", "twin", " 64 "]);
    check("overlap = \"push-out\"\n")
        .expect(2, &["`body.twin.overlap` = \"push-out\"", "`error` or `push_out`"]);
}

/// The cube of the scene is 4 particles wide and stands on its floor.
#[test]
fn matter_in_a_collider_is_told_by_check_run_and_manifest() {
    let place = Place::changed("point = [0.0, 0.0, 0.0]", "point = [0.0, 0.02, 0.0]");
    let told = [
        "16 of 64 particles of body `cube` start up to 2.000e-2 m deep in collider `floor`",
        "by [0, 7.500e-3, 0] m",
    ];
    let check = place.tuff(&["check", "scene.toml"]);
    assert!(told.iter().all(|words| check.stdout.contains(words)), "{check:?}");
    let run = place.tuff(&["run", "scene.toml", "--device", "reference", "--out", "out"]);
    run.expect(0, &[]);
    assert!(told.iter().all(|words| run.stderr.contains(words)), "{run:?}");
    let manifest: serde_json::Value =
        serde_json::from_slice(&std::fs::read(place.path("out/run.json")).unwrap()).unwrap();
    let overlap = &manifest["overlaps"][0];
    assert_eq!((&overlap["body"], &overlap["collider"]), (&"cube".into(), &"floor".into()), "{overlap}");
    assert_eq!(overlap["particles"], 16);
    assert!((overlap["depth"].as_f64().unwrap() - 0.02).abs() < 1e-12, "{overlap}");
    assert!((overlap["moved"][1].as_f64().unwrap() - 0.0075).abs() < 1e-9, "{overlap}");
    let deep = Place::changed("point = [0.0, 0.0, 0.0]", "point = [0.0, 0.03, 0.0]");
    deep.tuff(&["run", "scene.toml"])
        .expect(2, &["scene.toml:", "16 of 64 particles (25 %)", "inside collider `floor`"]);
}

#[test]
fn an_unknown_model_lists_the_known_ones() {
    let place = Place::changed("\"drucker_prager\"", "\"druker_prager\"");
    place
        .tuff(&["check", "scene.toml"])
        .expect(2, &["druker_prager", "drucker_prager", "elastic", "von_mises"]);
}

#[test]
fn parameters_that_are_missing_misspelt_or_too_many_are_named() {
    for (from, to, words) in [
        ("friction_angle = 35.0\n", "", ["friction_angle", "sand"]),
        ("friction_angle", "friction_angel", ["friction_angel", "friction_angle"]),
        ("poisson_ratio = 0.3\n", "", ["poisson_ratio", "sand"]),
    ] {
        Place::changed(from, to).tuff(&["check", "scene.toml"]).expect(2, &words);
    }
}

#[test]
fn what_a_model_or_the_step_refuses_is_shown_in_the_file() {
    let place = Place::changed("poisson_ratio = 0.3\n", "");
    let words =
        ["scene.toml:12", "[[material]]", "has no `poisson_ratio`", "youngs_modulus needs poisson_ratio"];
    place.tuff(&["check", "scene.toml"]).expect(2, &words);

    let place = Place::changed("poisson_ratio = 0.3", "poisson_ratio = 0.3\nbulk_modulus = 1.0e5");
    place.tuff(&["check", "scene.toml"]).expect(2, &["scene.toml:", "`material.sand`", "shear_modulus"]);

    // 0.133 r^2 / dt is the highest viscosity that one smoothing per substep can represent.
    let place = Place::changed("iterations = 2", "viscosity = 1.0");
    place.tuff(&["check", "scene.toml"]).expect(2, &["scene.toml:11", "viscosity = 1.0", "at most 4.156"]);
    let check = ["check", "scene.toml", "--set", "solver.viscosity=2.0"];
    Place::with(SCENE).tuff(&check).expect(2, &["--set:1", "solver.viscosity=2.0", "at most 4.156"]);
}

#[test]
fn a_place_or_a_turn_in_the_wrong_table_is_sent_to_the_right_one() {
    let cube = "max = [0.1, 0.1, 0.1] } }";
    for (from, to, words) in [
        (
            cube,
            "max = [0.1, 0.1, 0.1] }, translate = [0, 1, 0] }",
            ["scene.toml:22", "`min` and `max` of a box"],
        ),
        ("[[collider]]", "rotate = [0, 45, 0]\n[[collider]]", ["scene.toml:24", "shape = { ..., rotate"]),
        (
            "min = [0.0, 0.0, 0.0],",
            "position = [0, 0, 0],",
            ["scene.toml:22", "did you mean `min` and `max`?"],
        ),
    ] {
        Place::changed(from, to).tuff(&["check", "scene.toml"]).expect(2, &words);
    }
}

#[test]
fn meshes_without_triangles_or_with_nan_are_refused_and_open_ones_work() {
    let shape = "{ box = { min = [0.0, 0.0, 0.0], max = [0.1, 0.1, 0.1] } }";
    let place = Place::changed(shape, "{ mesh = { file = \"m.obj\" } }");
    place.tuff(&["check", "scene.toml"]).expect(2, &["m.obj"]);
    fs::write(place.path("m.obj"), "v 0 0 0\nv 1 0 0\n").unwrap();
    place.tuff(&["check", "scene.toml"]).expect(2, &["m.obj", "triangle"]);

    let vertices =
        "v 0 0 0\nv 0.1 0 0\nv 0.1 0.1 0\nv 0 0.1 0\nv 0 0 0.1\nv 0.1 0 0.1\nv 0.1 0.1 0.1\nv 0 0.1 0.1\n";
    let open = "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\n";
    fs::write(place.path("m.obj"), format!("{vertices}{open}")).unwrap();
    place.tuff(&["check", "scene.toml"]).expect(0, &["warning", "m.obj", "not closed"]);

    let broken = vertices.replace("v 0.1 0.1 0.1", "v nan 0.1 0.1");
    fs::write(place.path("m.obj"), format!("{broken}{open}f 4 1 5 8\n")).unwrap();
    place.tuff(&["check", "scene.toml"]).expect(2, &["m.obj", "line 7, `v nan 0.1 0.1`", "finite"]);
    fs::write(place.path("m.obj"), format!("{vertices}{open}f 4 1 5 9\n")).unwrap();
    place.tuff(&["check", "scene.toml"]).expect(2, &["m.obj", "line 14, `f 4 1 5 9`", "no vertex 9"]);
    fs::write(place.path("m.obj"), format!("{vertices}v 1e300 0 0\n{open}f 4 1 5 9\n")).unwrap();
    place.tuff(&["check", "scene.toml"]).expect(2, &["m.obj", "vertex 8", "1.000e300 m", "`scale`"]);
}

#[test]
fn a_file_that_is_no_material_library_is_named() {
    let place = Place::with(SCENE);
    fs::write(place.path("libtuff_rock.so"), "not a library").unwrap();
    place
        .tuff(&["check", "scene.toml", "--material-path", "libtuff_rock.so"])
        .expect(2, &["libtuff_rock.so"]);
    place.tuff(&["materials", "--material-path", "nowhere"]).expect(2, &["nowhere"]);
}

#[test]
fn an_unknown_state_word_lists_the_known_ones() {
    let place = Place::changed("[output]", "[output]\nattributes = [\"volume_gane\"]");
    place.tuff(&["check", "scene.toml"]).expect(2, &["volume_gane", "volume_gain"]);
}

#[test]
fn a_fracture_needs_pairs_that_are_kept_and_a_strain_within_its_range() {
    let scene = |keys: &str| {
        format!(
            "format = 1\n[scene]\nname = \"bar\"\n[time]\nframes = [1, 2]\n[solver]\nkernel_radius = 0.02\n\
             [[material]]\nname = \"jelly\"\nmodel = \"elastic\"\ndensity = 1000.0\nyoungs_modulus = 1e5\npoisson_ratio = 0.3\n\
             [[body]]\nname = \"bar\"\nmaterial = \"jelly\"\n{keys}\n\
             shape = {{ box = {{ min = [0.0, 0.0, 0.0], max = [0.2, 0.08, 0.08] }} }}\n"
        )
    };
    for (keys, words) in [
        ("fracture_strain = 0.1", ["scene.toml:17", "body.bar.fracture_strain", "kinematics"]),
        ("kinematics = \"total\"\nfracture_strain = -0.1", ["scene.toml:18", "-0.1", "at least 0"]),
        ("kinematics = \"total\"\nfracture_strain = 2e3", ["scene.toml:18", "2000", "at most 1000"]),
        ("kinematics = \"total\"\nfracture_strain = true", ["scene.toml:18", "number", "boolean"]),
    ] {
        Place::with(&scene(keys)).tuff(&["check", "scene.toml"]).expect(2, &words);
    }
    Place::with(&scene("kinematics = \"total\"\nfracture_strain = 0.1"))
        .tuff(&["check", "scene.toml"])
        .expect(0, &[]);
}
