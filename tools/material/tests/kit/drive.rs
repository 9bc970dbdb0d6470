//! `tuff material drive`: closed forms under mixed control, reference values for `eval`, and paths that cannot be followed.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use crate::common::run;
use crate::drivers::{close, slope};

/// Columns of the result, by name, and the outcome of the command.
struct Driven {
    columns: Vec<(String, Vec<f64>)>,
    folder: TempDir,
}

impl Driven {
    /// Drives a model along a path with more arguments, to this exit code.
    fn new(model: &str, path: &str, more: &[&str], code: i32, words: &[&str]) -> Self {
        let folder = TempDir::new().unwrap();
        let [file, out] = ["path.csv", "out.csv"].map(|name| folder.path().join(name));
        fs::write(&file, path).unwrap();
        let base = ["drive", model, file.to_str().unwrap(), "--out", out.to_str().unwrap()];
        run(&[&base, more].concat()).expect(code, words);
        let text = fs::read_to_string(out).unwrap_or_default();
        let mut lines = text.lines();
        let names = lines.next().unwrap_or_default().split(',').map(str::to_owned);
        let rows: Vec<Vec<f64>> =
            lines.map(|line| line.split(',').map(|x| x.parse().unwrap()).collect()).collect();
        let columns =
            names.enumerate().map(|(i, name)| (name, rows.iter().map(|row| row[i]).collect())).collect();
        Self { columns, folder }
    }

    fn column(&self, name: &str) -> &[f64] {
        &self.columns.iter().find(|(known, _)| known == name).unwrap_or_else(|| panic!("no column {name}")).1
    }

    fn last(&self, name: &str) -> f64 {
        *self.column(name).last().unwrap()
    }
}

const ELASTIC: [&str; 4] = ["--params", "E=1e5", "nu=0.3", "energy=hencky"];

/// Hencky elasticity: J sigma = E eps along a pulled bar, -nu eps across; J sigma_xy = 2 mu eps_xy.
#[test]
fn elastic_matter_follows_stress_and_strain_in_turns() {
    let path = "time,strain_x,stress_x,stress_y,stress_z\n1,,2e4,0,0\n3,-0.1,,0,0\n";
    let driven = Driven::new("elastic", path, &ELASTIC, 0, &[]);
    assert_eq!(driven.column("time").len(), 201);
    close(driven.column("stress_xx")[100], 2e4, 1e-9);
    close(driven.last("time"), 3.0, 1e-12);
    close(driven.last("strain_xx"), -0.1, 1e-12);
    for (i, volume) in driven.column("volume").iter().enumerate() {
        let [x, y, stress] = ["strain_xx", "strain_yy", "stress_xx"].map(|name| driven.column(name)[i]);
        assert!(
            (stress * volume - 1e5 * x).abs() < 1e-4 && (y + 0.3 * x).abs() < 1e-9,
            "{i}: {x} {y} {stress}"
        );
        close(*volume, (0.4 * x).exp(), 1e-9);
    }
    let path = "strain_xx,strain_yy,strain_zz,strain_xy\n0,0,0,0.2\n";
    let driven = Driven::new("elastic", path, &[&ELASTIC[..], &["--steps", "7"]].concat(), 0, &[]);
    close(driven.last("stress_xy"), 2.0 * 1e5 / 2.6 * 0.2, 1e-9);
    close(driven.last("q"), 3.0_f64.sqrt() * driven.last("stress_xy"), 1e-9);
}

/// Small stresses of stiff matter are reached too, and matter without stress does not move by itself.
#[test]
fn small_stresses_count() {
    let steel = ["--params", "E=2e11", "nu=0.495", "energy=hencky"];
    let driven = Driven::new("elastic", "stress_x,stress_y,stress_z\n1e3,0,0\n", &steel, 0, &[]);
    close(driven.last("strain_xx"), 1e3 / 2e11, 1e-5);
    let path = "strain_x,stress_y,stress_z\n0.02,0,0\n-0.02,0,0\n0.01,0,0\n";
    let driven = Driven::new("drucker_prager", path, &["--preset", "dry_sand"], 0, &["with dry_sand: "]);
    assert!(driven.last("q") < 1e-6 && driven.last("strain_yy").abs() < 0.05, "{}", driven.last("strain_yy"));
}

/// A bar of metal flows at its yield stress, and bears no more. What came before is written.
#[test]
fn what_cannot_be_borne_ends_the_test() {
    let metal = ["--params", "E=1e6", "nu=0.3", "yield_stress=1e4"];
    let path = "strain_x,stress_y,stress_z\n0.05,0,0\n";
    let driven = Driven::new("von_mises", path, &metal, 0, &[]);
    close(driven.last("q") * driven.last("volume"), 1e4, 1e-9);
    let path = "stress_x,stress_y,stress_z\n2e4,0,0\n";
    let driven = Driven::new(
        "von_mises",
        path,
        &metal,
        1,
        &["path.csv:2: the test ends at increment 5", "cannot bear"],
    );
    let most = driven.last("stress_xx");
    assert!((0.95e4..1e4).contains(&most), "{most}");
}

/// Sand that is compressed from all sides and then shortened fails at q / p = 6 sin / (3 - sin); it starts from its own strain.
#[test]
fn a_triaxial_test_ends_at_the_friction_angle() {
    let sand = ["--params", "E=1e7", "nu=0.2", "friction_angle=35"];
    let path = "time,dstrain_x,stress_x,stress_y,stress_z\n1,,-1e4,-1e4,-1e4\n11,-0.1,,-1e4,-1e4\n";
    let driven = Driven::new("drucker_prager", path, &sand, 0, &[]);
    close(driven.column("p")[100], 1e4, 1e-9);
    close(driven.last("stress_yy"), -1e4, 1e-9);
    close(driven.last("q") / driven.last("p"), slope(35.0), 1e-6);
    close(driven.last("strain_xx") - driven.column("strain_xx")[100], -0.1, 1e-9);
}

/// Each increment is a reference value: the same model passes, one with other parameters would not.
#[test]
fn a_path_becomes_reference_values() {
    let folder = TempDir::new().unwrap();
    let vectors = folder.path().join("kept.json");
    let more = ["--preset", "packed_snow", "--vectors", vectors.to_str().unwrap()];
    let path = "time,strain_x,strain_y,strain_z,steps\n1,-0.05,0,0,20\n2,0.02,0,0,10\n";
    Driven::new("snow", path, &more, 0, &[]);
    let eval = ["eval", "snow", "--device", "none", "--vectors", vectors.to_str().unwrap()];
    run(&eval).expect(0, &["within all tolerances"]);
    let text = fs::read_to_string(&vectors).unwrap();
    let item = &serde_json::from_str::<serde_json::Value>(&text).unwrap()["vectors"][29];
    let stress = item["tau"][0].as_f64().unwrap();
    fs::write(&vectors, text.replacen(&stress.to_string(), &(1.000_001 * stress).to_string(), 1)).unwrap();
    run(&eval).expect(1, &["tau", "above"]);
}

/// Whole-tensor models: a relaxing solid under a weight creeps towards the stiffness of its spring.
#[test]
fn whole_tensor_models_are_driven_too() {
    let foam = ["--params", "E=6e3", "nu=0.1", "branch_shear_modulus=1.5e4", "branch_bulk_modulus=1e4"];
    let foam =
        [&foam[..], &["shear_relaxation_time=0.4", "bulk_relaxation_time=0.4", "--steps", "200"]].concat();
    let path = "time,stress_x,stress_y,stress_z\n1e-4,60,0,0\n20,60,0,0\n";
    let driven = Driven::new("viscoelastic", path, &foam, 0, &[]);
    // At once both springs bear, in the end the first alone: E = 6 kPa, a hundredth of strain.
    let (first, last) = (driven.column("strain_xx")[200], driven.last("strain_xx"));
    assert!(first < 0.3 * last, "{first} {last}");
    assert!((last - 0.01).abs() < 1e-3, "{last}");
    // Few long increments reach the same.
    let coarse = Driven::new("viscoelastic", path, &[&foam[..foam.len() - 1], &["4"]].concat(), 0, &[]);
    assert!((coarse.last("strain_xx") - last).abs() < 1e-4, "{}", coarse.last("strain_xx"));
    let refused = [&foam[..], &["--vectors", "x.json"]].concat();
    Driven::new("viscoelastic", path, &refused, 2, &["--vectors", "whole tensors"]);
}

#[test]
fn parameters_come_from_a_scene() {
    let scene = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../configs/scenes/two_sand_blocks.toml");
    let scene = ["--scene", scene.to_str().unwrap()];
    let path = "strain_x,strain_y,strain_z\n-0.01,0,0\n";
    let driven = |more: &[&str], code, words: &[&str]| {
        Driven::new("drucker_prager", path, &[&scene, more].concat(), code, words)
    };
    driven(&["--material", "no"], 2, &["it has no material `no`", "it has "]);
    driven(&[], 2, &["choose with --material: light_sand, red_sand"]);
    let driven = driven(&["--material", "red_sand", "--params", "E=1e6", "nu=0.25"], 0, &[]);
    close(driven.last("p") * driven.last("volume"), 0.01 * 1e6 / 1.5, 1e-6);
    Driven::new("snow", path, &scene, 2, &["no material of the model snow"]);
}

#[test]
fn paths_with_errors_are_refused_by_line() {
    for (path, words) in [
        ("strain_x,strain_y\n0,0\n", &["path.csv:2: nothing is given for zz", "stress_zz"][..]),
        ("strain_x,strain_y,strain_q\n0,0,0\n", &["path.csv: column \"strain_q\"", "yz, xz or xy"]),
        ("strain_x,strain_xx,strain_y\n0,0,0\n", &["path.csv: column 2 (strain_xx): there are two of it"]),
        ("strain_x,stress_x,strain_y,strain_z\n0,1,0,0\n", &["path.csv:2: both strain_x and stress_x"]),
        (
            "strain_x,strain_y,strain_z\n0,0,0\n0,b,0\n",
            &["path.csv:3: strain_y = \"b\" is not a finite number"],
        ),
        (
            "time,strain_x,strain_y,strain_z\n1,0,0,0\n1,0,0,0\n",
            &["path.csv:3: time = 1 must be later than 1 s"],
        ),
        ("steps,strain_x,strain_y,strain_z\n0,0,0,0\n", &["path.csv:2: steps = 0", "1 to 1000000"]),
        ("strain_x,strain_y,strain_z\n", &["the path has no rows"]),
        ("# a\nstrain_x;strain_y\n0;0\n", &["path.csv: column", "separated by commas"]),
        ("time,strain_x,strain_y,strain_z\n0,0,0,0\n", &["path.csv:2: time = 0", "without a row for it"]),
        ("strain_x,strain_y,strain_z\n0,0\n", &["path.csv:2: 2 cells, but the header has 3"]),
        ("", &["path.csv", "the path has no rows"]),
    ] {
        Driven::new("elastic", path, &ELASTIC, 2, words);
    }
    run(&["drive", "elastic", "missing.csv"]).expect(2, &["missing.csv"]);
    let driven = Driven::new(
        "elastic",
        "strain_x,strain_y,strain_z\n9,0,0\n",
        &ELASTIC,
        1,
        &["path.csv:2", "0.01 to 100"],
    );
    let [path, out] =
        ["path.csv", "out.csv"].map(|name| driven.folder.path().join(name).display().to_string());
    run(&["drive", "elastic", &path, "--out", &path]).expect(2, &["different files"]);
    run(&["drive", "elastic", &path, "--out", &out, "--vectors", &out]).expect(2, &["different files"]);
    assert!(driven.folder.path().join("out.csv").exists());
}
