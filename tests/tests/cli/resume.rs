//! `tuff run --resume`: what it continues from and what it rejects.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::profile::shipped;
use crate::{Place, SCENE, names};

const RUN: [&str; 6] = ["run", "scene.toml", "--device", "reference", "--checkpoint", "2"];

/// Seven frames, checkpoints at the third, fifth and seventh, of which two are kept.
fn scene() -> String {
    SCENE.replace("frames = [1, 3]", "frames = [1, 7]")
}

fn run(place: &Place, extra: &[&str]) -> crate::Outcome {
    place.tuff(&[&RUN[..], extra].concat())
}

fn frames(place: &Place) -> Vec<Vec<u8>> {
    let folder = place.path("out/cube/particles");
    names(&folder).iter().map(|name| fs::read(folder.join(name)).unwrap()).collect()
}

fn manifest(place: &Place) -> Value {
    serde_json::from_slice(&fs::read(place.path("out/cube/run.json")).unwrap()).unwrap()
}

fn checkpoint(place: &Place, frame: u32) -> PathBuf {
    place.path(&format!("out/cube/checkpoints/cube.{frame:04}.checkpoint"))
}

/// Starts a run and returns the frames of the whole run.
fn begun(frames_first: &str) -> (Place, Vec<Vec<u8>>) {
    let whole = Place::with(&scene());
    run(&whole, &[]).expect(0, &[]);
    let place = Place::with(&scene());
    run(&place, &["--frames", frames_first]).expect(0, &[]);
    (place, frames(&whole))
}

#[test]
fn more_frames_of_a_run_are_those_of_a_longer_one() {
    let (place, whole) = begun("1-4");
    assert_eq!(names(&place.path("out/cube/checkpoints")), ["cube.0003.checkpoint", "cube.0004.checkpoint"]);
    run(&place, &["--resume"])
        .expect(0, &["resuming after frame 0004, from checkpoints/cube.0004.checkpoint"]);
    assert!(frames(&place) == whole, "the frames differ");
    let manifest = manifest(&place);
    let listed: Vec<u64> =
        manifest["frames"].as_array().unwrap().iter().map(|f| f["frame"].as_u64().unwrap()).collect();
    assert_eq!(listed, [1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(manifest["resumed"], serde_json::json!([{ "frame": 4 }]));
    assert_eq!(names(&place.path("out/cube/checkpoints")), ["cube.0005.checkpoint", "cube.0007.checkpoint"]);
    // A finished run has nothing left to do.
    run(&place, &["--resume"]).expect(0, &[]);
    assert!(frames(&place) == whole);
    fs::remove_file(place.path("out/cube/particles/cube.0002.ply")).unwrap();
    let missing = "1 files of frames up to 7 are missing, for example particles/cube.0002.ply";
    run(&place, &["--resume"]).expect(0, &[missing]);
}

/// Adaptive steps, tensor models, the baseline: everything that a run keeps is in its checkpoint.
#[test]
fn every_solver_resumes_to_the_byte() {
    let foam = "model = \"viscoelastic\"\nbranch_shear_modulus = 1e5\nbranch_bulk_modulus = 1e5\nshear_relaxation_time = 0.01";
    let found = scene().replace("max_substep = 2.0e-3\n", "").replace("iterations = 2\n", "");
    let tensor = found.replace("model = \"drucker_prager\"", foam).replace("friction_angle = 35.0\n", "");
    for (scene, device) in
        [(&found, "reference"), (&found, "cpu"), (&tensor, "reference"), (&tensor, "cpu"), (&scene(), "mpm")]
    {
        let run = |place: &Place, extra: &[&str]| {
            let base = ["run", "scene.toml", "--checkpoint", "1", "--device", device];
            place.tuff(&[&base[..], extra].concat()).expect(0, &[]);
        };
        let (whole, parts) = (Place::with(scene), Place::with(scene));
        run(&whole, &[]);
        for last in ["1-3", "1-4", "1-7"] {
            run(&parts, &["--frames", last, "--resume"]);
        }
        assert!(frames(&whole) == frames(&parts), "{device}");
    }
}

/// Rigid bodies, emitters and sinks, cloth, fluids, pairs that break, on the processor and on a Vulkan device.
#[test]
#[ignore = "takes two minutes"]
fn shipped_scenes_resume_to_the_byte() {
    for scene in ["everything", "sand_hose", "rubber_band", "sand_castle", "ball_in_sand"] {
        let file = shipped(scene);
        for device in ["cpu", "0"] {
            let place = Place::with("");
            let run = |out: &str, extra: &[&str]| {
                let base = [
                    "run",
                    &file,
                    "--device",
                    device,
                    "--particles",
                    "600",
                    "--checkpoint",
                    "1",
                    "--out",
                    out,
                ];
                place.tuff(&[&base[..], extra].concat()).expect(0, &[]);
            };
            run("whole", &["--frames", "1-5"]);
            run("parts", &["--frames", "1-3"]);
            run("parts", &["--frames", "1-5", "--resume"]);
            let [whole, parts] = ["whole", "parts"].map(|out| place.path(&format!("{out}/particles")));
            assert!(names(&whole).len() >= 5 && names(&whole) == names(&parts), "{scene} on device {device}");
            for name in names(&whole) {
                let same = fs::read(whole.join(&name)).unwrap() == fs::read(parts.join(&name)).unwrap();
                assert!(same, "{scene} on device {device}: {name} differs");
            }
        }
    }
}

#[test]
fn what_has_changed_is_told_key_by_key() {
    let (place, whole) = begun("1-4");
    let changed =
        ["--resume", "--set", "material.sand.friction_angle=30.0", "--set", "output.attributes=[\"J\"]"];
    run(&place, &changed).expect(
        2,
        &[
            "cube.0004.checkpoint belongs to another run",
            "material.sand.friction_angle: was 35.0, is now 30.0",
            "output.attributes: was [\"velocity\",\"id\",\"material\"], is now [\"J\"]",
            "--resume-anyway",
        ],
    );
    assert_eq!(frames(&place).len(), 4, "a refusal changes nothing");
    // The interval between checkpoints does not affect the motion.
    run(&place, &["--resume", "--set", "output.checkpoint={ every = 1, keep = 9 }"]).expect(0, &[]);
    assert!(frames(&place) == whole);

    let (place, whole) = begun("1-4");
    run(&place, &["--resume-anyway", "--set", "material.sand.friction_angle=30.0"]).expect(0, &[]);
    let mixed = frames(&place);
    assert!(mixed[..4] == whole[..4] && mixed[6] != whole[6]);
    assert_eq!(
        manifest(&place)["resumed"][0]["changed"],
        serde_json::json!(["material.sand.friction_angle: was 35.0, is now 30.0"])
    );
    // The saved step is replaced by a new one.
    let step = ["--resume-anyway", "--frames", "1-8", "--set", "time.max_substep=1.0e-3"];
    run(&place, &step).expect(0, &[]);
    assert_eq!(manifest(&place)["frames"][7]["report"]["substeps"], 10);
    // A run cannot be resumed with other particles at all.
    run(&place, &["--resume-anyway", "--frames", "1-9", "--set", "body.cube.sampling.spacing=0.02"])
        .expect(2, &["the state belongs to another scene", "--overwrite"]);
}

/// Cloth and a rigid body beside the sand: their keys are part of the identity of a run, too.
#[test]
fn changes_of_cloth_and_of_rigid_bodies_are_told() {
    let more = "[[cloth]]\nname = \"sheet\"\nsurface_density = 0.2\nstretch_stiffness = 100.0\nthickness = 0.01\n\
                grid = { corner = [0.5, 0.5, 0.5], u = [0.04, 0.0, 0.0], v = [0.0, 0.0, 0.04], cells = [3, 3] }\n\
                [[rigid]]\nname = \"ball\"\ndensity = 900.0\nsticky = true\n\
                shape = { sphere = { center = [-0.5, 0.5, 0.5], radius = 0.03 } }\n";
    let place = Place::with(&(scene() + more));
    run(&place, &["--frames", "1-2"]).expect(0, &[]);
    for (set, told) in [
        ("cloth.sheet.friction=0.1", "body.sheet.cloth.friction: was "),
        ("cloth.sheet.contact=false", "body.sheet.cloth.contact: was true, is now false"),
        ("cloth.sheet.tear_strain=0.5", "body.sheet.cloth.tear_strain: was 0.0, is now 0.5"),
        (
            "rigid.ball.velocity=[0.1, 0.0, 0.0]",
            "rigid.ball.velocity: was [0.0,0.0,0.0], is now [0.1,0.0,0.0]",
        ),
        ("rigid.ball.angular_velocity=[0.0, 1.0, 0.0]", "rigid.ball.angular_velocity: was "),
        ("rigid.ball.sticky=false", "rigid.ball.sticky: was true, is now absent"),
    ] {
        run(&place, &["--resume", "--set", set]).expect(2, &[told, "--resume-anyway"]);
    }
    run(&place, &["--resume", "--frames", "1-3"]).expect(0, &[]);
}

#[test]
fn what_is_damaged_foreign_or_newer_is_refused_by_name() {
    let (place, whole) = begun("1-5");
    let damage = |frame: u32, change: &dyn Fn(&mut Vec<u8>)| {
        let path = checkpoint(&place, frame);
        let mut file = fs::read(&path).unwrap();
        change(&mut file);
        fs::write(&path, file).unwrap();
    };
    damage(5, &|file| file.truncate(file.len() - 1));
    run(&place, &["--resume"]).expect(
        0,
        &["cube.0005.checkpoint: it is damaged", "trying an older one", "resuming after frame 0003"],
    );
    assert!(frames(&place) == whole);

    damage(7, &|file| file[8] += 1);
    damage(5, &|file| file[0] = b'x');
    run(&place, &["--resume"]).expect(
        2,
        &[
            "cube.0007.checkpoint: it has format 6, and this version of Tuff reads format 5",
            "cube.0005.checkpoint: it is not a Tuff checkpoint",
            "--overwrite",
        ],
    );
    run(&place, &["--overwrite"]).expect(0, &[]);
    assert!(frames(&place) == whole);
}

#[test]
fn a_run_without_a_checkpoint_begins_again_if_it_is_the_same() {
    let (place, whole) = begun("1-2");
    fs::remove_dir_all(place.path("out/cube/checkpoints")).unwrap();
    run(&place, &["--resume", "--set", "solver.iterations=3"])
        .expect(2, &["contains frames but no checkpoint", "--overwrite"]);
    run(&place, &["--resume"]).expect(0, &["frame 0001 (1/7)"]);
    assert!(frames(&place) == whole);
    // An empty folder is not an error either: a render farm starts every task in the same way.
    let fresh = Place::with(&scene());
    run(&fresh, &["--resume"]).expect(0, &["frame 0001 (1/7)"]);
    assert!(frames(&fresh) == whole);
}

#[test]
fn wrong_uses_are_refused() {
    let (place, _) = begun("1-5");
    run(&place, &["--resume", "--overwrite"]).expect(2, &["--overwrite", "cannot be used with"]);
    run(&place, &["--resume", "--frames", "1-2"])
        .expect(2, &["the oldest checkpoint", "frame 3", "ends at frame 2"]);
    place.tuff(&["run", "scene.toml", "--checkpoint", "often"]).expect(2, &["10", "`off`"]);
    run(&place, &["--overwrite", "--set", "output.checkpoint={ keep = 0 }"]).expect(2, &["keep", "0"]);
    run(&place, &["--overwrite", "--set", "output.checkpoint={ evry = 5 }"]).expect(2, &["evry", "every"]);
    run(&place, &[]).expect(5, &["--overwrite", "--resume"]);
    fs::remove_file(place.path("out/cube/run.json")).unwrap();
    run(&place, &["--resume"]).expect(2, &["run.json cannot be read"]);
    let off = ["run", "scene.toml", "--device", "reference", "--overwrite", "--checkpoint", "off"];
    place.tuff(&off).expect(0, &[]);
    assert!(names(&place.path("out/cube/checkpoints")).is_empty(), "old ones go, new ones do not come");
}

/// The disk is full when the checkpoint is written.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_a_run_that_can_go_on() {
    let (place, whole) = begun("1-4");
    let name = "out/cube/checkpoints/.tuff-partial-cube.0005.checkpoint";
    std::os::unix::fs::symlink("/dev/full", place.path(name)).unwrap();
    // Leftovers of a previous write are removed first, so the link must be created later.
    let (fifth, link) = (place.path("out/cube/particles/cube.0005.ply"), place.path(name));
    let full = std::thread::spawn(move || {
        while !fifth.exists() {
            if !link.is_symlink() {
                std::os::unix::fs::symlink("/dev/full", &link).unwrap();
            }
        }
    });
    run(&place, &["--resume"]).expect(5, &["cube.0005.checkpoint", "free some space"]);
    full.join().unwrap();
    let _ = fs::remove_file(place.path(name));
    run(&place, &["--resume"]).expect(0, &["resuming after frame 0004"]);
    assert!(frames(&place) == whole);
}
