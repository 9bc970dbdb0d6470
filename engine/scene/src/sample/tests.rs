//! Tests the samplers against the guarantees of the format.

use std::path::Path;

use glam::DVec3;

use super::*;
use crate::testing::{parse_in, scene, text};

const LATTICE: &str = r#"{ kind = "lattice", spacing = 0.1 }"#;
const DISK: &str = r#"{ kind = "poisson_disk", spacing = 0.1, seed = 3 }"#;

fn particles(shape: &str, sampling: &str) -> Particles {
    sample(&scene(shape, sampling, "")).unwrap_or_else(|e| panic!("{e}")).particles
}

fn cuboid(min: [f64; 3], max: [f64; 3]) -> String {
    format!("{{ box = {{ min = {min:?}, max = {max:?} }} }}")
}

#[test]
fn a_box_that_the_spacing_divides_is_filled_exactly() {
    for (min, max, count) in [
        ([0.0, 0.0, 0.0], [1.0, 0.5, 0.3], 150),
        ([-0.35, 10.1, 0.0], [0.35, 10.4, 0.1], 21),
        ([0.0; 3], [1.04, 0.96, 1.0], 1000),
    ] {
        let particles = particles(&cuboid(min, max), LATTICE);
        assert_eq!(particles.len(), count, "{min:?} {max:?}");
        assert!(particles.rest_volume.iter().all(|&v| v == 0.1_f64.powi(3)));
    }
    let first = particles(&cuboid([0.0; 3], [1.0, 1.0, 1.0]), LATTICE).position[0];
    assert!((first - DVec3::splat(0.05)).length() < 1e-12);
    let turned = cuboid([0.0; 3], [1.0, 0.5, 0.3]).replace("} }", "}, rotate = [10, 20, 30] }");
    assert_eq!(particles(&turned, LATTICE).len(), 150);
}

#[test]
fn a_lattice_in_a_ball_is_symmetric_and_inside() {
    let p = particles("{ sphere = { center = [1, 2, 3], radius = 1.03 } }", LATTICE);
    let exact = 4.0 / 3.0 * std::f64::consts::PI * 1.03_f64.powi(3) / 1e-3;
    assert!((p.len() as f64 / exact - 1.0).abs() < 0.03, "{} of {exact}", p.len());
    let mean = p.position.iter().sum::<DVec3>() / p.len() as f64;
    assert!((mean - DVec3::new(1.0, 2.0, 3.0)).length() < 1e-12);
    assert!(p.position.iter().all(|q| q.distance(DVec3::new(1.0, 2.0, 3.0)) <= 1.03));
}

#[test]
fn jitter_moves_every_particle_within_its_cell() {
    let jittered = r#"{ kind = "lattice", spacing = 0.1, jitter = 0.1, seed = 5 }"#;
    let (plain, moved) =
        (particles(&cuboid([0.0; 3], [1.0; 3]), LATTICE), particles(&cuboid([0.0; 3], [1.0; 3]), jittered));
    assert_eq!(plain.len(), moved.len());
    let shifts: Vec<DVec3> =
        plain.position.iter().zip(&moved.position).map(|(a, b)| (*b - *a) / 0.1).collect();
    assert!(shifts.iter().all(|s| s.abs().max_element() <= 0.1 + 1e-12));
    let mean = shifts.iter().sum::<DVec3>() / shifts.len() as f64;
    assert!(mean.length() < 0.01, "{mean}");
    let mean_square = shifts.iter().map(|s| s.length_squared()).sum::<f64>() / shifts.len() as f64;
    assert!((mean_square - 0.01).abs() < 1e-3, "{mean_square}");
}

/// Returns the distance to the nearest other point and the number of points within two spacings, by brute force.
fn neighborhood(points: &[DVec3], p: DVec3, spacing: f64) -> (f64, usize) {
    let others = points.iter().filter(|q| **q != p);
    let nearest = others.clone().map(|q| q.distance(p)).fold(f64::INFINITY, f64::min);
    (nearest, others.filter(|q| q.distance(p) < 2.0 * spacing).count())
}

#[test]
fn poisson_disks_are_apart_dense_and_leave_no_room() {
    let shapes = [
        cuboid([0.0; 3], [1.2, 1.0, 1.0]),
        "{ sphere = { center = [0, 0, 0], radius = 0.6 } }".to_owned(),
        "{ cylinder = { from = [0, 0, 0], to = [1, 1, 0], radius = 0.5 } }".to_owned(),
        "{ box = { min = [0, 0, 0], max = [1, 1, 1] }, rotate = [30, 0, 45], subtract = [{ sphere = { center = [0, 0, 0], radius = 0.7 } }] }".to_owned(),
        "{ revolve = { from = [0, 0, 0], to = [0, 1, 0], profile = [[0, 0], [0.6, 0], [0.1, 0.5], [0.6, 1], [0, 1]] } }".to_owned(),
    ];
    for text in shapes {
        let scene = scene(&text, DISK, "");
        let shape = &scene.bodies[0].shape;
        let p = sample(&scene).unwrap().particles;
        let total: f64 = p.rest_volume.iter().sum();
        assert!((total / shape.volume() - 1.0).abs() < 1e-9, "{text}");
        let (mut interior, mut neighbors) = (0, 0);
        for &q in &p.position {
            assert!(shape.contains(q), "{text}: {q}");
            let (nearest, count) = neighborhood(&p.position, q, 0.1);
            assert!(nearest >= 0.1 * (1.0 - 1e-12), "{text}: {nearest}");
            if shape.signed_distance(q) < -0.2 {
                interior += 1;
                neighbors += count;
            }
        }
        if interior > 20 {
            let mean = f64::from(neighbors as u32) / f64::from(interior);
            assert!((20.0..26.0).contains(&mean), "{text}: {mean} neighbors");
        }
        let bounds = shape.bounds();
        for i in 0..4000_u32 {
            let unit = DVec3::new(f64::from(i % 16), f64::from(i / 16 % 16), f64::from(i / 256)) / 15.7;
            let probe = bounds.min + bounds.size() * unit;
            if shape.contains(probe) {
                let (nearest, _) = neighborhood(&p.position, probe, 0.1);
                assert!(nearest < 0.1, "{text}: room at {probe}");
            }
        }
    }
}

#[test]
fn sampling_is_a_function_of_scene_and_seed() {
    let shape = cuboid([0.0; 3], [0.5; 3]);
    assert_eq!(particles(&shape, DISK), particles(&shape, DISK));
    let other = particles(&shape, &DISK.replace("seed = 3", "seed = 4"));
    assert_ne!(other.position, particles(&shape, DISK).position);
}

#[test]
fn a_spinning_body_has_no_net_momentum_of_its_spin() {
    let rest = "velocity = [1, 2, 3]\nangular_velocity = [0, 0, 5]";
    let p = sample(&scene(&cuboid([0.0; 3], [1.0, 0.5, 0.5]), DISK, rest)).unwrap().particles;
    let mean = p.velocity.iter().sum::<DVec3>() / p.len() as f64;
    assert!((mean - DVec3::new(1.0, 2.0, 3.0)).length() < 1e-12, "{mean}");
    let centroid = p.position.iter().sum::<DVec3>() / p.len() as f64;
    let expected = DVec3::new(1.0, 2.0, 3.0) + DVec3::new(0.0, 0.0, 5.0).cross(p.position[7] - centroid);
    assert!((p.velocity[7] - expected).length() < 1e-12);
}

#[test]
fn bodies_come_in_order_and_pins_take_their_region() {
    let rest = r#"
[[body]]
name = "second"
material = "sand"
shape = { box = { min = [3, 0, 0], max = [4, 1, 1] } }
sampling = { kind = "lattice", spacing = 0.1 }
[[pin]]
body = "second"
region = { plane = { point = [3.2, 0, 0], normal = [1, 0, 0] } }
[[pin]]
body = "second"
region = { plane = { point = [3.3, 0, 0], normal = [1, 0, 0] } }
"#;
    let sampled = sample(&scene(&cuboid([0.0; 3], [1.0; 3]), LATTICE, rest)).unwrap();
    let p = sampled.particles;
    assert_eq!((p.len(), p.body[999], p.body[1000]), (2000, 0, 1));
    let pinned = |pin: u32| p.pin.iter().filter(|&&q| q == pin).count();
    assert_eq!((pinned(0), pinned(1), pinned(u32::MAX)), (200, 100, 1700));
    assert_eq!(sampled.warnings.len(), 1);
    assert!(sampled.warnings[0].message().contains("200 of its 300 particles"), "{}", sampled.warnings[0]);
}

#[test]
fn bodies_and_pins_without_particles_are_errors_with_their_line() {
    let thin = scene(&cuboid([0.0; 3], [1.0, 0.04, 1.0]), LATTICE, "");
    let error = sample(&thin).unwrap_err();
    assert!(error.to_string().contains("body `first` has no particles"), "{error}");
    assert_eq!(error.lines().next(), Some(Some(13)));
    let cut = "{ box = { min = [0, 0, 0], max = [1, 1, 1] }, subtract = [{ sphere = { center = [0, 0, 0], radius = 2 } }] }";
    assert!(sample(&scene(cut, DISK, "")).unwrap_err().to_string().contains("check `subtract`"));
    let pin = "[[pin]]\nbody = \"first\"\nregion = { sphere = { center = [9, 9, 9], radius = 1 } }";
    let error = sample(&scene(&cuboid([0.0; 3], [1.0; 3]), LATTICE, pin)).unwrap_err();
    assert!(error.to_string().contains("pin 0: its region holds no particle of body `first`"), "{error}");
    assert_eq!(error.lines().next(), Some(Some(18)));
}

#[test]
fn overlapping_bodies_are_counted() {
    let second = |x: f64| {
        format!(
            "[[body]]\nname = \"second\"\nmaterial = \"sand\"\nshape = {}\nsampling = {LATTICE}\n{PUSH_OUT}",
            cuboid([x, 0.0, 0.0], [x + 1.0, 1.0, 1.0])
        )
    };
    let warnings =
        |x: f64| sample(&scene(&cuboid([0.0; 3], [1.0; 3]), LATTICE, &second(x))).unwrap().warnings;
    assert!(warnings(1.0).is_empty());
    let overlap = warnings(0.8);
    assert_eq!(overlap.len(), 1);
    // Two layers of 100 particles of each body lie inside the other.
    assert!(overlap[0].message().contains("`first` and `second` overlap: 400 particles"), "{}", overlap[0]);
}

fn cloud(points: &[[f64; 3]]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut ply = format!(
        "ply\nformat ascii 1.0\nelement vertex {}\nproperty float x\nproperty double y\nproperty float z\nproperty uint id\nend_header\n",
        points.len()
    );
    for (i, p) in points.iter().enumerate() {
        ply += &format!("{} {} {} {i}\n", p[0], p[1], p[2]);
    }
    std::fs::write(folder.path().join("points.ply"), ply).unwrap();
    folder
}

#[test]
fn points_are_taken_as_they_are() {
    let points = [[0.0, 0.0, 0.0], [0.25, 0.0, 0.0], [0.0, 1.5, -2.0]];
    let folder = cloud(&points);
    let load = |shape: &str, sampling: &str| parse_in(folder.path(), &text(shape, sampling, ""), &[]);
    let plain = r#"{ points = { file = "points.ply" } }"#;
    let p = sample(&load(plain, LATTICE).unwrap().scene).unwrap().particles;
    assert_eq!(p.position, points.map(DVec3::from));
    assert_eq!(p.rest_volume, [0.1_f64.powi(3); 3]);
    assert_eq!(sample(&load(plain, "{}").unwrap().scene).unwrap().particles.len(), 3);
    let disk = load(plain, DISK).unwrap_err().to_string();
    assert!(disk.contains("points are taken as they are"), "{disk}");
    let folder = cloud(&[[0.0, 0.0, 0.0], [0.05, 0.0, 0.0], [1.0, 1.0, 1.0]]);
    let loaded = parse_in(folder.path(), &text(plain, LATTICE, ""), &[]).unwrap();
    let error = sample(&loaded.scene).unwrap_err().to_string();
    assert!(error.contains("2 points have a neighbor closer"), "{error}");
    let folder = cloud(&[[0.0, f64::MAX, 0.0]]);
    let file = folder.path().join("points.ply");
    let huge = std::fs::read_to_string(&file).unwrap().replace(&f64::MAX.to_string(), "1e999");
    std::fs::write(&file, huge).unwrap();
    let error = parse_in(folder.path(), &text(plain, LATTICE, ""), &[]).unwrap_err().to_string();
    assert!(error.contains("vertex 0 is not finite"), "{error}");
    let error = parse_in(Path::new("elsewhere"), &text(plain, LATTICE, ""), &[]).unwrap_err().to_string();
    assert!(error.contains("there is no file"), "{error}");
}

#[test]
fn rescaling_reaches_the_count_and_keeps_the_proportions() {
    for (sampling, wanted) in [(LATTICE, 5488), (DISK, 4000), (DISK, 300)] {
        let scene = scene(&cuboid([0.0; 3], [1.0, 2.0, 1.0]), sampling, "");
        let scaled = scene.rescaled(wanted).unwrap();
        let count = sample(&scaled).unwrap().particles.len() as f64;
        assert!((count / wanted as f64 - 1.0).abs() <= 0.05, "{count} instead of {wanted}");
        let ratio = scaled.bodies[0].sampling.spacing() / scaled.solver.kernel_radius;
        assert!((ratio - 1.0).abs() < 1e-12, "{ratio}");
    }
    assert!(scene(&cuboid([0.0; 3], [1.0; 3]), LATTICE, "").rescaled(0).is_err());
    let folder = cloud(&[[0.0; 3]]);
    let points = text(r#"{ points = { file = "points.ply" } }"#, LATTICE, "");
    let error = parse_in(folder.path(), &points, &[]).unwrap().scene.rescaled(10).unwrap_err();
    assert!(error.to_string().contains("takes its particles from a file"));
}

fn floor(y: f64) -> String {
    format!(
        "[[collider]]\nname = \"floor\"\nshape = {{ plane = {{ point = [0.0, {y:?}, 0.0], normal = [0.0, 1.0, 0.0] }} }}"
    )
}

/// Samples the unit cube on a lattice of 0.1 with other tables.
fn cube(rest: &str) -> Result<Sampled, SceneError> {
    sample(&scene(&cuboid([0.0; 3], [1.0; 3]), LATTICE, rest))
}

const PUSH_OUT: &str = "overlap = \"push_out\"\n";

#[test]
fn particles_in_a_collider_are_counted_and_too_many_deep_ones_refused() {
    assert!(cube(&floor(0.0)).unwrap().overlaps.is_empty());
    // The lowest centers are at 0.05.
    let sampled = cube(&floor(0.02)).unwrap();
    let [overlap] = &sampled.overlaps[..] else { panic!("{:?}", sampled.overlaps) };
    assert_eq!((overlap.particles, overlap.deep, overlap.of, overlap.moved), (100, 0, 1000, DVec3::ZERO));
    assert!((overlap.depth - 0.02).abs() < 1e-12 && sampled.warnings.is_empty());
    // One layer is beyond the surface by less than half a spacing; then by more.
    assert!(cube(&floor(0.09)).is_ok());
    let error = cube(&floor(0.11)).unwrap_err();
    assert!(error.to_string().contains("100 of 1000 particles (10 %)"), "{error}");
    assert_eq!(error.lines().next(), Some(Some(13)));
    assert!(cube(&(PUSH_OUT.to_owned() + &floor(0.11))).is_ok());
}

#[test]
fn pins_in_a_wall_that_pushes_out_what_they_hold_are_warned_of() {
    let wall = "[[collider]]\nname = \"wall\"\nshape = { plane = { point = [0.5, 0.0, 0.0], normal = [-1.0, 0.0, 0.0] } }";
    // Pins everything from x on; centers of particles are at 0.05, 0.15, ...
    let from = |x: f64| {
        let pin = format!("[[pin]]\nbody = \"first\"\nregion = {}\n", cuboid([x, -1.0, -1.0], [2.0; 3]));
        let sampled = cube(&(PUSH_OUT.to_owned() + &pin + wall)).unwrap();
        assert_eq!(sampled.overlaps.iter().any(Overlap::stretches), !sampled.warnings.is_empty());
        sampled.warnings.first().map(|warning| warning.message().to_owned())
    };
    // Clamped in a wall: what is deep is held.
    assert_eq!(from(0.5), None);
    let warning = from(0.8).unwrap();
    assert!(warning.contains("hold 200 particles of `first`") && warning.contains("300 others"), "{warning}");
}

#[test]
fn bodies_are_moved_to_the_surface_whole() {
    let start = cube("").unwrap().particles.position;
    let container = |min: [f64; 3], max: [f64; 3]| {
        format!("[[collider]]\nname = \"walls\"\ninside = true\nshape = {}", cuboid(min, max))
    };
    let ball =
        "[[collider]]\nname = \"ball\"\nshape = { sphere = { center = [0.5, -0.8, 0.5], radius = 1.0 } }";
    let capsule = "[[collider]]\nname = \"bar\"\nshape = { capsule = { from = [0.5, -0.8, -3.0], to = [0.5, -0.8, 3.0], radius = 1.0 } }";
    for (colliders, wanted) in [
        (floor(0.25), DVec3::new(0.0, 0.2, 0.0)),
        // The corner of a container that is open above, and an edge of it.
        (container([0.25, 0.15, 0.1], [2.0, 3.0, 2.0]), DVec3::new(0.2, 0.1, 0.05)),
        (container([0.25, -1.0, -1.0], [2.0, 3.0, 2.0]), DVec3::new(0.2, 0.0, 0.0)),
        // Its lowest layer has no particle above the ball's center: four at 0.05 from it along both axes.
        (ball.to_owned(), DVec3::new(0.0, (1.0_f64 - 0.005).sqrt() - 0.85, 0.0)),
        (capsule.to_owned(), DVec3::new(0.0, (1.0_f64 - 0.0025).sqrt() - 0.85, 0.0)),
    ] {
        let sampled = cube(&(PUSH_OUT.to_owned() + &colliders)).unwrap();
        let moved = sampled.overlaps[0].moved;
        assert!((moved - wanted).length() < 1e-6, "{colliders}: {moved}");
        let whole = |(a, b): (&DVec3, &DVec3)| (*b - *a - moved).length() < 1e-12;
        assert!(std::iter::zip(&start, &sampled.particles.position).all(whole));
    }
    // Too narrow by 0.05 and 0.15, and sunk: centered, and lifted to the floor or, along the edges, slightly more.
    let narrow = cube(&(PUSH_OUT.to_owned() + &container([0.1, 0.2, -1.0], [0.8, 3.0, 2.0]))).unwrap();
    assert!((narrow.overlaps[0].moved - DVec3::new(-0.05, 0.15, 0.0)).length() < 0.02);
}

#[test]
fn bodies_that_touch_move_together_and_pinned_ones_stay() {
    let second = |y: f64| {
        format!(
            "{PUSH_OUT}{}\n[[body]]\nname = \"second\"\nmaterial = \"sand\"\nshape = {}\nsampling = {LATTICE}\n",
            floor(0.2),
            cuboid([0.0, y, 0.0], [1.0, y + 1.0, 1.0])
        )
    };
    let height = |sampled: &Sampled, i: usize| sampled.particles.position[i].y;
    for (y, moves) in [(1.0, 0.15), (1.5, 0.0)] {
        let sampled = cube(&second(y)).unwrap();
        assert!((height(&sampled, 0) - 0.2).abs() < 1e-9);
        assert!((height(&sampled, 1000) - (y + 0.05 + moves)).abs() < 1e-9, "second at {y}");
    }
    let pin =
        "[[pin]]\nbody = \"second\"\nregion = { sphere = { center = [0.5, 1.5, 0.5], radius = 0.2 } }\n";
    let held = cube(&(second(1.0) + pin)).unwrap();
    assert_eq!(held.overlaps[0].moved, DVec3::ZERO);
    assert!((height(&held, 0) - 0.05).abs() < 1e-12);
}

#[test]
fn bodies_deep_in_each_other_are_refused() {
    let second = |x: f64, key: &str| {
        format!(
            "[[body]]\nname = \"second\"\nmaterial = \"sand\"\nshape = {}\nsampling = {LATTICE}\n{key}",
            cuboid([x, 0.0, 0.0], [x + 1.0, 1.0, 1.0])
        )
    };
    // Layers of 100 at 0.02 and 0.05, then at 0.15, too.
    let sampled = cube(&second(0.93, "")).unwrap();
    assert_eq!(sampled.overlaps.iter().map(|o| (o.particles, o.deep)).collect::<Vec<_>>(), [(100, 0); 2]);
    let error = cube(&second(0.8, "")).unwrap_err();
    assert!(error.to_string().contains("start more than half a spacing inside body `second`"), "{error}");
    assert!(cube(&second(0.8, PUSH_OUT)).is_ok());
}

/// Other matter is left to contacts within half a spacing.
#[test]
fn fluids_keep_off_surfaces() {
    let fluid = |rest: &str| {
        let scene = scene(&cuboid([0.0; 3], [1.0; 3]), LATTICE, rest);
        sample_arranged(&scene, |_, points| points, |body| body.name != "second").unwrap()
    };
    // The lowest centers are at 0.05, the contact radius, of which they keep 0.95.
    for (height, moves) in [(0.0, 0.0), (0.02, 0.0175), (0.04, 0.0375)] {
        let sampled = fluid(&floor(height));
        assert!((sampled.particles.position[0].y - (0.05 + moves)).abs() < 1e-6, "{height}");
        assert!((sampled.moved[0] - DVec3::Y * moves).length() < 1e-6, "{height}: {}", sampled.moved[0]);
        assert_eq!(cube(&floor(height)).unwrap().moved[0], DVec3::ZERO);
    }
    // What gives way to a fluid keeps off it, too: its lowest centers start 0.1 below the surface.
    let second = cuboid([0.2, 0.85, 0.2], [0.8, 1.45, 0.8]);
    let second = format!(
        "[[body]]\nname = \"second\"\nmaterial = \"sand\"\nshape = {second}\nsampling = {LATTICE}\n{PUSH_OUT}"
    );
    assert!((fluid(&second).moved[1] - DVec3::Y * (0.1 + 0.0475)).length() < 1e-6);
    assert!((cube(&second).unwrap().moved[1] - DVec3::Y * 0.1).length() < 1e-6);
}

#[test]
fn bodies_that_give_way_are_moved_out_of_others_whole() {
    let two = |low: &str, y: f64, high: &str, rest: &str| {
        cube(&format!(
            "{low}[[body]]\nname = \"second\"\nmaterial = \"sand\"\nshape = {}\nsampling = {LATTICE}\n{high}{rest}",
            cuboid([0.2, y, 0.2], [0.8, y + 0.6, 0.8])
        ))
        .unwrap()
    };
    // The lowest centers come to lie on the other's surface.
    for (y, moves) in [(0.85, 0.1), (0.96, 0.0)] {
        let sampled = two("", y, PUSH_OUT, "");
        assert!((sampled.particles.position[1000].y - (y + 0.05 + moves)).abs() < 1e-6, "second at {y}");
        assert!((sampled.particles.position[0].y - 0.05).abs() < 1e-12);
        for overlap in &sampled.overlaps {
            let own = if overlap.body == 1 { moves } else { 0.0 };
            assert!((overlap.moved - DVec3::Y * own).length() < 1e-6, "{overlap:?}");
        }
        let told = |w: &crate::Warning| w.to_string().contains("body `second` was moved out of others");
        assert_eq!(sampled.warnings.iter().any(told), moves > 0.0);
    }
    // The first gives way to the second; if both give way, the second does; under a ceiling too low by 0.05 it comes half way.
    let first = two(PUSH_OUT, 0.85, "", "");
    assert!((first.particles.position[0].y + 0.05).abs() < 1e-6, "{}", first.particles.position[0]);
    let both = two(PUSH_OUT, 0.85, PUSH_OUT, "");
    assert!((both.particles.position[1000].y - 1.0).abs() < 1e-6);
    let ceiling = "[[collider]]\nname = \"ceiling\"\nshape = { plane = { point = [0.0, 1.45, 0.0], normal = [0.0, -1.0, 0.0] } }";
    let under = two("", 0.85, PUSH_OUT, ceiling);
    assert!((under.particles.position[1000].y - 0.975).abs() < 1e-3, "{}", under.particles.position[1000]);
}
