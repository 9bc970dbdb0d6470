//! Many contacts at once.

use glam::DVec3;
use tuff_scene::{Geometry, Rigid, Shape, Weight};

use crate::shapes::bodies;
use crate::support::{GRAVITY, Run, body, collider, cube, floor, upright};

fn tower(count: u32, edge: f64) -> Vec<Rigid> {
    (0..count).map(|i| body(cube((f64::from(i) + 0.5) * edge * DVec3::Y, edge))).collect()
}

#[test]
fn eight_boxes_stand() {
    for dt in [1e-3, 1.0 / 240.0] {
        let mut run = Run::new(&tower(8, 0.1), &[floor()], GRAVITY);
        let start = run.states[7].position;
        let mut iterations = 0;
        run.run(5.0, dt, |run| iterations += run.contacts.as_ref().map_or(0, |c| c.iterations()));
        let drift = (run.states[7].position - start).length() / 0.1;
        let mean = f64::from(iterations) * dt / 5.0;
        println!("stack of 8, dt {dt:.4}: top drifts {drift:.2e} edges in 5 s, {mean:.1} iterations a step");
        assert!(drift < 1e-2, "{drift}");
        let turned = run.states[7].rotation.w;
        assert!(turned > 1.0 - 1e-6, "{turned}");
    }
}

#[test]
fn a_heavy_box_stands_on_a_light_one() {
    for dt in [1e-3, 1.0 / 240.0] {
        let mut boxes = tower(2, 0.1);
        boxes[1].weight = Weight::Density(100_000.0);
        let mut run = Run::new(&boxes, &[floor()], GRAVITY);
        let start = run.states[1].position;
        let mut deepest = 0.0_f64;
        run.run(2.0, dt, |run| deepest = deepest.max(run.contacts.as_ref().map_or(0.0, |c| c.deepest())));
        let drift = (run.states[1].position - start).length() / 0.1;
        println!(
            "100 times as heavy, dt {dt:.4}: drifts {drift:.2e} edges, overlap {:.1e} edges",
            deepest / 0.1
        );
        assert!(drift < 1e-2, "{drift}");
    }
}

#[test]
fn a_thrown_box_comes_to_rest_in_a_container() {
    for dt in [1e-3, 1.0 / 240.0] {
        let mut container = collider(cube(DVec3::ZERO, 1.0));
        container.inside = true;
        let mut rigid = body(cube(DVec3::ZERO, 0.2).rotated(DVec3::new(10.0, 20.0, 30.0)));
        rigid.velocity = DVec3::new(4.0, 1.0, -3.0);
        rigid.angular_velocity = DVec3::new(10.0, -5.0, 3.0);
        let mut run = Run::new(&[rigid], &[container], GRAVITY);
        let start = run.energy();
        let mut most = f64::NEG_INFINITY;
        run.run(6.0, dt, |run| most = most.max(run.energy()));
        let state = &run.states[0];
        println!(
            "container, dt {dt:.4}: speed {:.1e} m/s, height {:.2e}, energy at most {:+.1e} J of {start:.1}",
            state.velocity.length(),
            state.position.y + 0.4,
            most - start
        );
        assert!(state.velocity.length() < 1e-6, "{state:?}");
        assert!((state.position.y + 0.4).abs() < 1e-4, "{state:?}");
        assert!(most - start < 0.02 * start.abs(), "{most} {start}");
    }
}

/// A pyramid, whose boxes rest on two each.
#[test]
fn a_pyramid_stands_and_runs_are_repeatable() {
    let boxes: Vec<Rigid> = (0..5_u32)
        .flat_map(|row| {
            (0..5 - row).map(move |i| {
                let x = 0.12 * (f64::from(i) + 0.5 * f64::from(row));
                body(cube(DVec3::new(x, 0.1 * (f64::from(row) + 0.5), 0.0), 0.1))
            })
        })
        .collect();
    let ended = || {
        let mut run = Run::new(&boxes, &[floor()], GRAVITY);
        let start = run.states[14].position;
        run.run(2.0, 1.0 / 240.0, |_| {});
        ((run.states[14].position - start).length(), run.states)
    };
    let (first, again) = (ended(), ended());
    println!("pyramid: its top drifts {:.1e} m in 2 s", first.0);
    assert!(first.0 < 1e-3, "{}", first.0);
    assert_eq!(first.1, again.1);
}

/// Caps of cylinders touch all around.
#[test]
fn five_cylinders_stand() {
    let cylinder = Geometry::Cylinder { half_height: 0.03, radius: 0.05 };
    let stack: Vec<Rigid> = (0..5_u32)
        .map(|i| {
            let turn = DVec3::new(0.0, 37.0 * f64::from(i), 0.0);
            body(upright(cylinder.clone(), (0.06 * f64::from(i) + 0.03) * DVec3::Y).rotated(turn))
        })
        .collect();
    let mut run = Run::new(&stack, &[floor()], GRAVITY);
    let start = run.states[4].position;
    run.run(3.0, 1.0 / 240.0, |_| {});
    let drift = (run.states[4].position - start).length() / 0.05;
    println!("stack of 5 cylinders: top drifts {drift:.1e} radii in 3 s");
    assert!(drift < 1e-2, "{drift}");
}

/// Bodies of every kind, poured into a container.
#[test]
fn a_heap_of_all_shapes_settles_in_its_container() {
    let mut container = collider(Shape::cuboid(DVec3::new(-0.25, 0.0, -0.25), DVec3::new(0.25, 3.0, 0.25)));
    container.inside = true;
    let mut heap = Vec::new();
    for layer in 0..4_u32 {
        for (i, (_, shape)) in bodies().into_iter().enumerate() {
            let (x, z) = ((i % 4) as f64 * 0.12 - 0.2, (i / 4) as f64 * 0.15 - 0.15);
            let by = DVec3::new(x, 0.2 + 0.25 * f64::from(layer), z) - shape.bounds().center();
            let shift = |shape: &Shape| Shape { center: shape.center + by, ..shape.clone() };
            let mut moved = shift(&shape);
            moved.union = shape.union.iter().map(shift).collect();
            heap.push(Rigid { angular_velocity: DVec3::new(3.0, f64::from(layer), -2.0), ..body(moved) });
        }
    }
    let mut run = Run::new(&heap, &[container], GRAVITY);
    let start = run.energy();
    let (mut most, mut deepest, mut points) = (start, 0.0_f64, 0);
    run.run(4.0, 1.0 / 240.0, |run| {
        most = most.max(run.energy());
        let contacts = run.contacts.as_ref();
        // Some start in each other.
        if run.time > 1.0 {
            deepest = deepest.max(contacts.map_or(0.0, |contacts| contacts.deepest()));
        }
        points = points.max(contacts.map_or(0, |contacts| contacts.count()));
    });
    let inside = |p: DVec3| p.x.abs() < 0.25 && p.z.abs() < 0.25 && (0.0..1.5).contains(&p.y);
    assert!(run.states.iter().all(|state| inside(state.position)), "{:?}", run.states);
    let mean = run.states.iter().map(|state| state.velocity.length()).sum::<f64>() / heap.len() as f64;
    println!(
        "heap of {}: mean speed {mean:.1e} m/s after 4 s, energy at most {:+.1e} of {start:.1} J, deepest overlap {deepest:.1e} m, \
         up to {points} points",
        heap.len(),
        most - start
    );
    assert!(most - start < 0.02 * start, "{most} {start}");
    assert!(mean < 1e-3 && deepest < 1e-3, "{mean} {deepest}");
}
