//! Rigid bodies as a user meets them: frames, pictures, reports, resumption.

use std::fs;

use serde_json::Value;
use tuff_tests::meshes::Triangles;
use tuff_tests::program::OVERSTEPPED;

use crate::{Outcome, Place, SCENE, names};

/// A ball that falls on a floor, without any matter.
const BALL: &str = r#"
format = 1
[scene]
name = "ball"
[time]
frames = [1, 8]
frame_rate = 25.0
[solver]
kernel_radius = 0.01
[[rigid]]
name = "ball"
shape = { sphere = { center = [0.0, 0.1, 0.0], radius = 0.02 } }
density = 2500.0
restitution = 0.8
[[collider]]
name = "floor"
shape = { plane = { point = [0.0, 0.0, 0.0], normal = [0.0, 1.0, 0.0] } }
[output]
particles = ["ply", "vtk", "usd"]
preview = { width = 64, height = 36 }
"#;

fn json(place: &Place, file: &str) -> Value {
    serde_json::from_slice(&fs::read(place.path(file)).unwrap()).unwrap()
}

/// Returns a vector of the first rigid body of a frame.
fn vector(place: &Place, file: &str, key: &str) -> [f64; 3] {
    let frame = json(place, file);
    [0, 1, 2].map(|axis| frame["rigid"][0][key][axis].as_f64().unwrap())
}

fn run(place: &Place, extra: &[&str]) -> Outcome {
    place.tuff(&[&["run", "scene.toml", "--device", "cpu"][..], extra].concat())
}

#[test]
fn a_ball_bounces_without_matter() {
    let place = Place::with(BALL);
    run(&place, &[]).expect(0, &[]);
    let upward = |frame: u32| vector(&place, &format!("out/ball/rigid/ball.{frame:04}.json"), "velocity")[1];
    assert!(
        upward(3) < -0.7 && (5..=8).any(|frame| upward(frame) > 0.3),
        "{:?}",
        [3, 5, 6, 7, 8].map(upward)
    );
    let kinds = ["ply", "usda", "vtp"];
    let mut expected: Vec<String> =
        (1..=8).flat_map(|frame| kinds.map(|kind| format!("ball.{frame:04}.{kind}"))).collect();
    expected.extend(["ball.pvd".to_owned(), "ball.usda".to_owned()]);
    assert_eq!(names(&place.path("out/ball/particles")), expected);
    place.tuff(&["preview", "out/ball", "--out", "again"]).stdout_says("again: 8 pictures");
    // The camera is at rest and the ball moves.
    let picture = |frame: u32| fs::read(place.path(&format!("again/ball.{frame:04}.png"))).unwrap();
    assert!(picture(1) != picture(4));
    // A run that goes on from a checkpoint writes the same frames.
    let parts = Place::with(BALL);
    run(&parts, &["--frames", "1-4"]).expect(0, &[]);
    run(&parts, &["--resume"]).expect(0, &["resuming after frame 0004"]);
    let last = "out/ball/rigid/ball.0008.json";
    assert_eq!(json(&parts, last), json(&place, last));
}

/// A scene without gravity of the sand of [`SCENE`] and these tables.
fn floating(tables: &str) -> String {
    let (before, after) = SCENE.split_once("[[collider]]").unwrap();
    let (_, output) = after.split_once("[output]").unwrap();
    let scene =
        before.replace("name = \"cube\"\n[time]", "name = \"cube\"\ngravity = [0.0, 0.0, 0.0]\n[time]");
    format!("{scene}{tables}[output]{output}")
}

/// A block, given as a file, that flies into the sand.
const FLYING: &str = "[[rigid]]\nname = \"block\"\nmass = 2.0\nvelocity = [-3.0, 0.0, 0.0]\n";

#[test]
fn an_edited_mesh_is_told_before_a_run_goes_on() {
    let block = |low: f64| Triangles::cuboid([0.12, low, 0.0], [0.2, 0.08, 0.1]).obj();
    for shape in [
        "shape = { mesh = { file = \"block.obj\" } }\n",
        "shape = { box = { min = [0.12, 0.0, 0.0], max = [0.14, 0.05, 0.1] }, union = [{ mesh = { file = \"block.obj\" } }] }\n",
    ] {
        let place = Place::with(&floating(&(FLYING.to_owned() + shape)));
        fs::write(place.path("block.obj"), block(0.02)).unwrap();
        run(&place, &["--frames", "1-2"]).expect(0, &[]);
        fs::write(place.path("block.obj"), block(0.03)).unwrap();
        run(&place, &["--resume"]).expect(2, &["belongs to another run", "particles_at_the_start"]);
        fs::write(place.path("block.obj"), block(0.02)).unwrap();
        run(&place, &["--resume"]).expect(0, &["resuming after frame 0002"]);
    }
}

/// Matter far away, whose layers divide a frame into parts.
const HOSE: &str = r#"
[[emitter]]
name = "hose"
material = "sand"
shape = { box = { min = [5.0, 1.0, 0.0], max = [5.1, 1.025, 0.1] } }
sampling = { kind = "lattice", spacing = 0.025 }
velocity = [0.0, -5.0, 0.0]
"#;

#[test]
fn the_impulse_of_a_frame_is_that_of_all_its_parts() {
    let shape = "shape = { box = { min = [0.115, 0.0, 0.0], max = [0.2, 0.1, 0.1] } }\n";
    let tables = [HOSE, FLYING, shape].concat();
    let place = Place::with(&floating(&tables));
    run(&place, &[]).expect(0, &[]);
    let file = |frame: u32| format!("out/cube/rigid/cube.{frame:04}.json");
    let mut most = 0.0_f64;
    for frame in 2..=3 {
        let [before, after] = [frame - 1, frame].map(|frame| vector(&place, &file(frame), "velocity"));
        let impulse = vector(&place, &file(frame), "impulse");
        for axis in 0..3 {
            let gained = 2.0 * (after[axis] - before[axis]);
            assert!(
                (impulse[axis] - gained).abs() < 1e-9,
                "frame {frame}: {impulse:?}, {gained} along {axis}"
            );
        }
        most = most.max(impulse[0].abs());
    }
    assert!(most > 0.1, "the block hits: {most} N s");
}

#[test]
fn emitters_leave_out_what_is_in_a_rigid_body_where_it_is() {
    // The block covers the emitter's place from 0.05 s on, and another has left it by then.
    let tables = r#"
[[emitter]]
name = "hose"
material = "sand"
shape = { box = { min = [1.0, 1.0, 0.0], max = [1.1, 1.05, 0.1] } }
sampling = { kind = "lattice", spacing = 0.025 }
velocity = [0.0, -0.5, 0.0]
time = [0.06, 1.0]
[[rigid]]
name = "lid"
density = 1000.0
velocity = [-10.0, 0.0, 0.0]
shape = { box = { min = [1.5, 0.9, -0.1], max = [1.9, 1.2, 0.2] } }
[[rigid]]
name = "gone"
density = 1000.0
velocity = [0.0, 20.0, 0.0]
shape = { box = { min = [0.95, 0.9, -0.1], max = [1.15, 1.2, 0.2] } }
"#;
    let frames = |scene: &str| {
        let place = Place::with(&scene.replace("frames = [1, 3]", "frames = [1, 8]"));
        run(&place, &[]).expect(0, &[]);
        json(&place, "out/cube/run.json")["frames"].clone()
    };
    let sum = |frames: &Value, counter: &str| -> u64 {
        let reports = frames.as_array().unwrap().iter().filter_map(|frame| frame.get("report"));
        reports.map(|report| report["counters"][counter].as_u64().unwrap()).sum()
    };
    let covered = frames(&floating(tables));
    let (emitted, withheld) = (sum(&covered, "emitted"), sum(&covered, "emission_withheld"));
    assert!(emitted == 0 && withheld > 0, "{emitted} emitted, {withheld} withheld");
    let open = frames(&floating(&tables.replace("[-10.0, 0.0, 0.0]", "[0.0, 0.0, 0.0]")));
    let (emitted, withheld) = (sum(&open, "emitted"), sum(&open, "emission_withheld"));
    assert!(emitted > 0 && withheld == 0, "{emitted} emitted, {withheld} withheld");
}

#[test]
fn pictures_need_the_files_of_rigid_bodies() {
    let place = Place::with(&BALL.replace("[1, 8]", "[1, 4]"));
    run(&place, &[]).expect(0, &[]);
    let third = place.path("out/ball/rigid/ball.0003.json");
    let text = fs::read_to_string(&third).unwrap();
    let preview = ["preview", "out/ball", "--out", "again"];
    fs::remove_file(&third).unwrap();
    place.tuff(&preview).expect(2, &["rigid/ball.0003.json", "cannot be read"]);
    fs::write(&third, &text[..text.len() / 2]).unwrap();
    place.tuff(&preview).expect(2, &["rigid/ball.0003.json", "damaged"]);
    fs::write(&third, text.replace("\"quaternion\"", "\"turn\"")).unwrap();
    place.tuff(&preview).expect(2, &["rigid/ball.0003.json", "place"]);
    fs::write(&third, &text).unwrap();
    place.tuff(&preview).expect(0, &[]);
    // Frames of a version that knew no rigid bodies list no such file.
    let manifest = place.path("out/ball/run.json");
    let mut run = json(&place, "out/ball/run.json");
    for frame in run["frames"].as_array_mut().unwrap() {
        frame["files"].as_array_mut().unwrap().retain(|name| !name.as_str().unwrap().starts_with("rigid/"));
    }
    fs::write(manifest, run.to_string()).unwrap();
    place.tuff(&preview).expect(0, &["warning", "rigid bodies", "where they start"]);
}

#[test]
fn pictures_show_rigid_bodies_far_from_matter() {
    let far = "[[rigid]]\nname = \"far\"\nmass = 1.0\nshape = { sphere = { center = [1.5, 0.0, 0.0], radius = 0.2 } }\n";
    let place = Place::with(&floating(far).replace("frames = [1, 3]", "frames = [1, 1]"));
    run(&place, &[]).expect(0, &[]);
    let gone = Place::with(&floating("").replace("frames = [1, 3]", "frames = [1, 1]"));
    run(&gone, &[]).expect(0, &[]);
    let picture = |place: &Place| fs::read(place.path("out/cube/preview/cube.0001.png")).unwrap();
    assert!(picture(&place) != picture(&gone), "the body is not in the picture");
    let again = |place: &Place| {
        place.tuff(&["preview", "out/cube", "--out", "again"]).expect(0, &[]);
        fs::read(place.path("again/cube.0001.png")).unwrap()
    };
    assert!(again(&place) != again(&gone), "the body is not in the picture drawn again");
}

#[test]
fn usd_stages_hold_rigid_bodies_at_every_frame() {
    let place = Place::with(&BALL.replace("[1, 8]", "[1, 4]"));
    run(&place, &[]).expect(0, &[]);
    let stage = || fs::read_to_string(place.path("out/ball/particles/ball.usda")).unwrap();
    let heights = |stage: &str| -> Vec<f64> {
        let prim = stage.split_once("displayName = \"ball\"").expect("the ball is in the stage").1;
        let samples = prim
            .split_once("xformOp:transform.timeSamples = {")
            .unwrap()
            .1
            .split_once("        }")
            .unwrap()
            .0;
        let rows = samples.lines().filter_map(|line| line.rsplit_once(", 1) )").map(|row| row.0));
        rows.map(|row| row.rsplit(", ").nth(1).unwrap().parse().unwrap()).collect()
    };
    let expected: Vec<f64> = (1..=4)
        .map(|frame| vector(&place, &format!("out/ball/rigid/ball.{frame:04}.json"), "position")[1])
        .collect();
    let found = heights(&stage());
    assert!(
        found.len() == 4 && std::iter::zip(&found, &expected).all(|(a, b)| (a - b).abs() < 1e-9),
        "{found:?} {expected:?}"
    );
    // A run that goes on keeps what was before.
    run(&place, &["--resume", "--frames", "1-6"]).expect(0, &[]);
    let later = heights(&stage());
    assert!(later.len() == 6 && later[..4] == found[..], "{later:?}");
}

#[test]
fn a_wish_for_particles_is_refused_where_there_are_none() {
    let place = Place::with(BALL);
    run(&place, &["--particles", "1000"]).expect(2, &["rigid bodies alone", "--particles"]);
}

#[test]
fn check_lists_rigid_bodies() {
    let place = Place::with(&BALL.replace("restitution = 0.8", "restitution = 0.8\nfriction = 0.25"));
    let check = place.tuff(&["check", "scene.toml"]);
    check.expect(0, &[]);
    // 4/3 pi 0.02^3 m^3, times 2500 kg/m^3, and 2/5 m r^2.
    for words in [
        "rigid bodies",
        "ball  ",
        "3.351e-5 m^3",
        "8.378e-2 kg",
        "1.340e-5",
        "friction 0.25",
        "restitution 0.8",
    ] {
        assert!(check.stdout.contains(words), "{words:?} is missing from:\n{}", check.stdout);
    }
    assert!(!check.stdout.contains("NaN"), "{}", check.stdout);
}

#[test]
fn profiles_measure_rigid_bodies_alone() {
    let place = Place::with(BALL);
    place.tuff(&["profile", "scene.toml", "--device", "cpu", "--substeps", "5"]).expect(0, &[]);
    place.tuff(&["check", "scene.toml", "--time", "--device", "cpu"]).expect(0, &[]);
}

#[test]
fn failure_reports_place_rigid_bodies_where_they_are() {
    let (before, _) = OVERSTEPPED.split_once("[[collider]]").unwrap();
    let scene = before
        .replace("name = \"sand\"\n[time]", "name = \"sand\"\ngravity = [0.0, 0.0, 0.0]\n[time]")
        + "[[rigid]]\nname = \"wall\"\nmass = 1000.0\nvelocity = [-8.0, 0.0, 0.0]\n\
           shape = { box = { min = [1.0, -0.1, -0.1], max = [1.2, 0.4, 0.3] } }\n";
    let place = Place::with(&scene);
    run(&place, &[]).expect(4, &["rigid body `wall`"]);
    let report = json(&place, "out/sand/failure/failure.json");
    assert_eq!(report["collider"]["kind"], "rigid body");
    assert_eq!(report["collider"]["name"], "wall");
    let gap = report["collider"]["gap"].as_f64().unwrap();
    assert!(gap.abs() < 0.2, "{gap}");
}
