//! Bodies of hundreds of millions of particles were sampled before their number was checked, and ended the process where memory was
//! limited; so did large pictures.

use std::process::Command;
use std::time::{Duration, Instant};

use tuff_tests::program::{Outcome, Place, tuff};

/// Runs `tuff` with this much address space [kB].
fn limited(place: &Place, kilobytes: u64, arguments: &str) -> Outcome {
    let command = format!("ulimit -v {kilobytes}; exec {} {arguments}", tuff().display());
    Outcome::of(Command::new("sh").args(["-c", &command]).current_dir(place.path("")).output().unwrap())
}

#[test]
fn bodies_are_estimated_first() {
    let body = |name: usize, edge: f64, sampling: &str| {
        format!(
            "[[body]]\nname = \"b{name}\"\nmaterial = \"sand\"\nsampling = {sampling}\nshape = {{ box = {{ min = [0.0, 0.0, {0:?}], \
             max = [{edge:?}, 0.2, {1:?}] }} }}\n",
            2.0 * name as f64,
            2.0 * name as f64 + 0.25
        )
    };
    let poisson = "{ kind = \"poisson_disk\", spacing = 0.008 }";
    let lattice = |spacing: f64| format!("{{ kind = \"lattice\", spacing = {spacing:?} }}");
    let five: String = (0..5).map(|i| body(i, 720.0, &lattice(0.01))).collect();
    for more in [body(0, 720.0, poisson), body(0, 6000.0, &lattice(0.01)), five] {
        let place = Place::changed("[output]", &format!("{more}[output]"));
        let start = Instant::now();
        let check = limited(
            &place,
            2_000_000,
            "check scene.toml --set solver.kernel_radius=0.008 --set body.cube.sampling.spacing=0.01",
        );
        check.expect(2, &["the scene would have about", "at most 16777216 are possible"]);
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    }
}

#[test]
#[ignore = "a minute"]
fn large_pictures_are_drawn_in_parts() {
    let place = Place::changed("[output]", "[output]\nattributes = []");
    place.tuff(&["run", "scene.toml", "--device", "reference", "--frames", "1-1"]).expect(0, &[]);
    let drawn = limited(&place, 900_000, "preview out/cube --size 8192x4096 --out large");
    drawn.stdout_says("large: 1 pictures");
}
