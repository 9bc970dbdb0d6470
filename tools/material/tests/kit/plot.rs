//! `tuff material plot`: what it writes, and what it refuses.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{Outcome, run};
use resvg::usvg::roxmltree::Document;
use tempfile::TempDir;

/// Ids of the shipped models, and the number of pictures of each.
const MODELS: [(&str, usize); 8] = [
    ("elastic", 3),
    ("von_mises", 5),
    ("drucker_prager", 5),
    ("nacc", 5),
    ("herschel_bulkley", 6),
    ("snow", 5),
    ("viscoelastic", 5),
    ("orthotropic", 3),
];

/// Plots into a folder.
fn plot(out: &Path, arguments: &[&str]) -> Outcome {
    run(&[&["plot"], arguments, &["--out", out.to_str().unwrap()]].concat())
}

/// Returns the files that were named on stdout.
fn files(outcome: &Outcome) -> Vec<PathBuf> {
    outcome.stdout.lines().map(PathBuf::from).collect()
}

/// Returns every text of an SVG.
fn texts(file: &Path) -> Vec<String> {
    let svg = fs::read_to_string(file).unwrap();
    let document = Document::parse(&svg).unwrap();
    let texts = document.descendants().filter(|node| node.has_tag_name("text"));
    texts.filter_map(|node| node.text()).map(str::to_owned).collect()
}

/// Every model has pictures without options: SVG that parses, PNG of twice its size, with letters in it.
#[test]
fn every_model_that_ships_has_pictures() {
    let folder = TempDir::new().unwrap();
    for (id, count) in MODELS {
        let outcome = plot(folder.path(), &[id]);
        outcome.expect(0, &[&format!("{id}_overview.png")]);
        let files = files(&outcome);
        assert_eq!(files.len(), 2 * (count + 1), "{id}");
        for pair in files.chunks(2) {
            let svg = fs::read_to_string(&pair[0]).unwrap();
            let document = Document::parse(&svg).unwrap();
            let size = ["width", "height"].map(|name| document.root_element().attribute(name).unwrap());
            let [width, height] = size.map(|text| text.parse::<f64>().unwrap());
            let picture = image::open(&pair[1]).unwrap().to_luma8();
            assert!((f64::from(picture.width()) - 2.0 * width).abs() <= 2.0, "{}", pair[1].display());
            assert!((f64::from(picture.height()) - 2.0 * height).abs() <= 2.0, "{}", pair[1].display());
            // The title: nothing but letters reaches this high.
            let dark = picture.enumerate_pixels().filter(|(_, y, pixel)| *y < 76 && pixel.0[0] < 128).count();
            assert!(dark > 200, "{}: {dark} dark pixels in the title", pair[1].display());
            let texts = texts(&pair[0]);
            assert!(texts.iter().any(|text| text.starts_with(id)), "{texts:?}");
            assert!(texts.iter().any(|text| text.contains("preset ")), "{texts:?}");
            let quantity = if pair[0].to_string_lossy().ends_with("creep.svg") { "[%]" } else { "Pa]" };
            assert!(texts.iter().any(|text| text.ends_with(quantity)), "{texts:?}");
        }
    }
}

#[test]
fn two_sets_share_a_picture() {
    let folder = TempDir::new().unwrap();
    let arguments =
        ["drucker_prager", "--preset", "dry_sand", "--compare", "phi_deg=20", "--curves", "yield,shear"];
    let outcome = plot(folder.path(), &arguments);
    let files = files(outcome.expect(0, &[]));
    assert_eq!(files.len(), 6);
    let texts = texts(&files[0]);
    for text in [
        "both: preset dry_sand: youngs_modulus = 3.537e5 Pa, poisson_ratio = 0.3, ",
        "A: friction_angle = 35 degrees",
        "B: friction_angle = 20 degrees",
        "A",
        "B",
    ] {
        assert!(texts.iter().any(|found| found.starts_with(text)), "{text:?} is missing from {texts:?}");
    }
    let svg = fs::read_to_string(&files[0]).unwrap();
    assert!(svg.contains("stroke-dasharray") && svg.contains("#0072b2") && svg.contains("#d55e00"));
    let other =
        plot(folder.path(), &["nacc", "--preset", "powder_snow", "--compare-preset", "table2_hitman"]);
    other.expect(0, &["nacc_triaxial.svg"]);

    // The same arguments give the same bytes.
    let before: Vec<_> = files.iter().map(|file| fs::read(file).unwrap()).collect();
    plot(folder.path(), &arguments).expect(0, &[]);
    assert!(files.iter().zip(before).all(|(file, before)| fs::read(file).unwrap() == before));
}

#[test]
fn parameters_come_from_files_and_words() {
    let folder = TempDir::new().unwrap();
    let preset = folder.path().join("mine.toml");
    fs::write(&preset, "model = \"nacc\"\ndensity = 100\nyoungs_modulus = 1e5\npoisson_ratio = 0.3\nM = 1.2\nvariant = \"published\"\n")
        .unwrap();
    let words = [
        "--params",
        "M=none",
        "friction_angle=30",
        "alpha0=-2e-3",
        "--strain",
        "0.01",
        "--curves",
        "triaxial",
    ];
    let arguments = [&["nacc", "--preset", preset.to_str().unwrap()], words.as_slice()].concat();
    let outcome = plot(folder.path(), &arguments);
    let head = texts(&files(outcome.expect(0, &[]))[0]).concat();
    for word in ["variant = published", "friction_angle = 30 degrees", "alpha0 = \u{2212}0.002"] {
        assert!(head.contains(word), "{head}");
    }
    assert!(!head.contains("M = "), "{head}");
    let outcome = plot(folder.path(), &["herschel_bulkley", "--rates", "0.5,50", "--curves", "shear"]);
    let texts = texts(&files(outcome.expect(0, &[]))[0]);
    assert!(texts.contains(&"0.5/s".to_owned()) && texts.contains(&"50/s".to_owned()), "{texts:?}");
}

/// Directions that behave alike share a curve. For rate-dependent models, the time axis shows the relaxation, and the load is the one
/// that comes to rest at the strain.
#[test]
fn models_of_whole_tensors_have_directions_and_time() {
    let folder = TempDir::new().unwrap();
    let outcome = plot(folder.path(), &["orthotropic", "--preset", "muscle", "--curves", "uniaxial,shear"]);
    let written = files(outcome.expect(0, &[]));
    let (pulled, sheared) = (texts(&written[0]), texts(&written[2]));
    for (texts, name) in
        [(&pulled, "along x"), (&pulled, "along y and along z"), (&sheared, "x over y and y over z")]
    {
        assert!(texts.iter().any(|text| text == name), "{name:?} is missing from {texts:?}");
    }
    let compared =
        ["viscoelastic", "--preset", "memory_foam", "--compare-preset", "flesh", "--rates", "2,20"];
    let more = ["--strain", "0.2", "--curves", "cyclic,relaxation,creep"];
    let outcome = plot(folder.path(), &[compared.as_slice(), &more].concat());
    let written = files(outcome.expect(0, &[]));
    let [cyclic, relaxation, creep] = [0, 2, 4].map(|file| texts(&written[file]));
    assert!(cyclic.iter().any(|text| text == "A, 2/s") && cyclic.iter().any(|text| text == "B, 20/s"));
    assert!(relaxation.iter().any(|text| text == "time held [s]"), "{relaxation:?}");
    // E ln(s) / s of the solid, 6 kPa in both.
    let load = "Creep under a load of 982.5 Pa, free sides";
    assert!(creep.iter().any(|text| text == load), "{creep:?}");
}

/// A fluid has no border to draw; everything else is drawn. Sand without pressure has no curve either, and a message says so instead.
#[test]
fn what_is_not_there_is_left_out_or_said() {
    let folder = TempDir::new().unwrap();
    let oil = ["shear_modulus=1e3", "bulk_modulus=5e4", "yield_stress=0", "power=1", "consistency=2"];
    let outcome = plot(folder.path(), &[&["herschel_bulkley", "--params"], oil.as_slice()].concat());
    let names = outcome.expect(0, &["_flow.png", "_shear.png"]).stdout.clone();
    assert!(!names.contains("_yield") && !names.contains("_triaxial"), "{names}");
    let asked = [&["herschel_bulkley", "--curves", "yield", "--params"], oil.as_slice()].concat();
    plot(folder.path(), &asked).expect(2, &["flows under any stress"]);
    let outcome = plot(folder.path(), &["drucker_prager", "--preset", "dry_sand", "--curves", "uniaxial"]);
    let texts = texts(&files(outcome.expect(0, &[]))[0]);
    assert!(texts.iter().any(|text| text.starts_with("no stress")), "{texts:?}");
    let foam =
        ["E=1e4", "nu=0.3", "branch_shear_modulus=1e4", "shear_viscosity=0", "--curves", "relaxation,creep"];
    let outcome = plot(folder.path(), &[&["viscoelastic", "--params"], foam.as_slice()].concat());
    for file in files(outcome.expect(0, &[])).iter().step_by(2) {
        let texts = self::texts(file);
        assert!(texts.iter().any(|text| text.starts_with("nothing changes")), "{texts:?}");
    }
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let folder = TempDir::new().unwrap();
    let refuse = |arguments: &[&str], words: &[&str]| {
        plot(&folder.path().join("out"), arguments).expect(2, words);
    };
    refuse(&["von_moses"], &["von_moses", "von_mises"]);
    refuse(
        &["von_mises", "--params", "yeld_stress=3"],
        &["yeld_stress=3", "it has youngs_modulus", "mean yield_stress?"],
    );
    refuse(&["von_mises", "--compare", "E=-3"], &["--compare E=-3", "0 < youngs_modulus"]);
    refuse(&["von_mises", "--params", "E"], &["NAME=VALUE"]);
    refuse(&["nacc", "--params", "variant=publishd"], &["variant=publishd", "\"exact\", \"published\""]);
    refuse(&["nacc", "--params", "E=1e5", "nu=0.3"], &["exactly one of M, friction_angle", "powder_snow"]);
    refuse(&["nacc", "--preset", "powder_snw"], &["powder_snw", "mean powder_snow?"]);
    refuse(&["nacc", "--preset", "dry_sand"], &["drucker_prager", "not nacc"]);
    refuse(&["nacc", "--preset", "none.toml"], &["none.toml", "cannot read"]);
    refuse(&["von_mises", "--preset", "plasticine", "--compare", "hardening=0"], &["nothing to compare"]);
    refuse(&["von_mises", "--compare", "yield_stress_shear=1"], &["exactly one of", "NAME=none"]);
    refuse(&["elastic", "--curves", "yield"], &["never yields"]);
    refuse(&["von_mises", "--curves", "flow"], &["rate independent"]);
    for kind in ["yield", "triaxial", "flow"] {
        refuse(
            &["viscoelastic", "--curves", kind],
            &[kind, "viscoelastic", "only for models of principal strains"],
        );
    }
    refuse(&["orthotropic", "--curves", "relaxation"], &["rate independent", "nothing changes"]);
    refuse(&["nacc", "--curves", "creep"], &["only for whole-tensor models"]);
    refuse(&["elastic", "--curves", "bend"], &["yield", "uniaxial", "shear"]);
    refuse(&["herschel_bulkley", "--rates", "1,0"], &["positive"]);
    assert!(!folder.path().join("out").exists());
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    plot(&file.join("out"), &["elastic"]).expect(5, &["cannot write", "out"]);
}
