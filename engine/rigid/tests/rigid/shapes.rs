//! Every kind of body on every kind of collider.

use glam::{DVec2, DVec3};
use tuff_rigid::{RigidError, World};
use tuff_scene::{Collider, Diagnosed, Geometry, Rigid, Shape};

use crate::support::{GRAVITY, Run, body, collider, cube, floor, mesh, obj, prism, upright};

fn revolve(profile: &[[f64; 2]]) -> Geometry {
    Geometry::revolve(profile.iter().copied().map(DVec2::from).collect())
}

/// A cube of this edge with its lowest corner at the origin, as an OBJ file.
fn box_file(edge: f64) -> String {
    let polygon = [[0.0, 0.0], [edge, 0.0], [edge, edge], [0.0, edge]];
    prism(&polygon, &[[0, 1, 2], [0, 2, 3]], edge)
}

/// An L of this size, as an OBJ file.
fn angle_file(size: f64) -> String {
    let polygon = [[0.0, 0.0], [1.0, 0.0], [1.0, 0.4], [0.4, 0.4], [0.4, 1.0], [0.0, 1.0]];
    let polygon = polygon.map(|[x, y]| [size * x, size * y]);
    prism(&polygon, &[[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]], size)
}

/// Bodies whose lowest points touch y = 0.
pub fn bodies() -> Vec<(&'static str, Shape)> {
    let mut joined = cube(0.05 * DVec3::Y, 0.1);
    joined.union = vec![cube(DVec3::new(0.1, 0.05, 0.0), 0.1)];
    let raised = |shape: Shape| {
        let low = shape.bounds().min.y;
        Shape { center: shape.center - low * DVec3::Y, ..shape }
    };
    vec![
        ("box", cube(0.05 * DVec3::Y, 0.1)),
        ("ball", Shape::sphere(0.05 * DVec3::Y, 0.05)),
        ("cylinder", upright(Geometry::Cylinder { half_height: 0.04, radius: 0.05 }, 0.04 * DVec3::Y)),
        (
            "lying capsule",
            Shape::along(
                Geometry::Capsule { half_height: 0.05, radius: 0.03 },
                DVec3::new(-0.05, 0.03, 0.0),
                DVec3::new(0.05, 0.03, 0.0),
            ),
        ),
        (
            "lying cylinder",
            Shape::along(
                Geometry::Cylinder { half_height: 0.05, radius: 0.03 },
                DVec3::new(-0.05, 0.03, 0.0),
                DVec3::new(0.05, 0.03, 0.0),
            ),
        ),
        ("cone", upright(revolve(&[[0.0, 0.0], [0.05, 0.0], [0.0, 0.1]]), DVec3::ZERO)),
        (
            "revolved cylinder",
            upright(revolve(&[[0.0, 0.0], [0.05, 0.0], [0.05, 0.1], [0.0, 0.1]]), DVec3::ZERO),
        ),
        ("ring", upright(revolve(&[[0.04, 0.0], [0.06, 0.0], [0.06, 0.02], [0.04, 0.02]]), DVec3::ZERO)),
        ("mesh box", raised(mesh(&box_file(0.1)))),
        ("mesh angle", raised(mesh(&angle_file(0.1)))),
        ("two boxes", joined),
    ]
}

/// Floors at y = 0 around the origin.
fn floors() -> Vec<(&'static str, Collider)> {
    let grid = |cells: usize| {
        let row = cells + 1;
        let at = |i: usize| i as f64 / cells as f64 - 0.5;
        let vertices: Vec<[f64; 3]> =
            (0..row * row).map(|i| [at(i % row) + 0.013, 0.0, at(i / row) + 0.007]).collect();
        let quads: Vec<[usize; 4]> = (0..cells * cells)
            .map(|i| {
                let corner = i / cells * row + i % cells;
                [corner, corner + row, corner + row + 1, corner + 1]
            })
            .collect();
        obj(&vertices, &quads)
    };
    let container = |shape: Shape| Collider { inside: true, ..collider(shape) };
    let dish = [[0.0, -0.1], [0.6, -0.1], [0.6, 0.1], [0.5, 0.1], [0.5, 0.0], [0.0, 0.0]];
    let mut joined = collider(cube(DVec3::new(-0.5, -0.5, 0.0), 1.0));
    joined.shape.union = vec![cube(DVec3::new(0.5, -0.5, 0.0), 1.0)];
    let cylinder = Geometry::Cylinder { half_height: 0.5, radius: 0.5 };
    vec![
        ("plane", floor()),
        ("box", collider(cube(-0.5 * DVec3::Y, 1.0))),
        ("cylinder", collider(upright(cylinder.clone(), -0.5 * DVec3::Y))),
        ("box inside", container(cube(0.5 * DVec3::Y, 1.0))),
        ("cylinder inside", container(upright(cylinder, 0.5 * DVec3::Y))),
        ("revolve", collider(upright(revolve(&dish), DVec3::ZERO))),
        (
            "revolve inside",
            container(upright(revolve(&[[0.0, 0.0], [0.5, 0.0], [0.4, 1.0], [0.0, 1.0]]), DVec3::ZERO)),
        ),
        ("sheet", Collider { sheet: true, ..collider(mesh(&grid(8))) }),
        (
            "mesh",
            collider({
                let shape = mesh(&box_file(1.0));
                Shape { center: shape.center - DVec3::new(0.5, 1.0, 0.5), ..shape }
            }),
        ),
        (
            "mesh inside",
            container({
                let shape = mesh(&box_file(1.0));
                Shape { center: shape.center - DVec3::new(0.5, 0.0, 0.5), ..shape }
            }),
        ),
        ("two boxes", joined),
    ]
}

/// Bodies dropped from 2 cm come to rest where they stood, on every collider.
#[test]
fn every_body_rests_on_every_floor() {
    let mut worst = (0.0_f64, String::new());
    for (on, floor) in floors() {
        for (what, shape) in bodies() {
            let shift = |shape: &Shape| Shape { center: shape.center + 0.02 * DVec3::Y, ..shape.clone() };
            let mut dropped = shift(&shape);
            dropped.union = shape.union.iter().map(shift).collect();
            let mut run = Run::new(&[body(dropped)], std::slice::from_ref(&floor), GRAVITY);
            let start = run.states[0].position;
            run.run(1.0, 1.0 / 480.0, |run| {
                let state = &run.states[0];
                assert!(
                    state.position.is_finite() && state.velocity.length() < 2.0,
                    "{what} on {on} at {}: {state:?}",
                    run.time
                );
            });
            let state = &run.states[0];
            let fell = start.y - state.position.y;
            let aside = (state.position - start).with_y(0.0).length();
            let error = (fell - 0.02).abs().max(aside);
            if error > worst.0 {
                worst = (error, format!("{what} on {on}"));
            }
            assert!(error < 1e-4, "{what} on {on}: fell {fell}, {aside} aside");
            let speed = state.velocity.length();
            let rolls = ["ball", "lying capsule", "lying cylinder"].contains(&what);
            assert!(speed < if rolls { 2e-3 } else { 1e-5 }, "{what} on {on}: {speed} m/s");
        }
    }
    println!("farthest from where it should rest: {:.1e} m, {}", worst.0, worst.1);
}

/// A ball that rolls over a mesh's triangles keeps its speed: their edges do not trip it.
#[test]
fn a_ball_rolls_over_triangles() {
    for (on, floor) in floors().into_iter().filter(|(on, _)| ["sheet", "mesh"].contains(on)) {
        let mut ball = body(Shape::sphere(DVec3::new(-0.4, 0.05, 0.031), 0.05));
        (ball.velocity, ball.angular_velocity) = (DVec3::new(0.5, 0.0, 0.05), DVec3::new(1.0, 0.0, -10.0));
        let mut run = Run::new(&[ball], &[floor], GRAVITY);
        run.run(1.2, 1e-3, |_| {});
        let state = &run.states[0];
        assert!((state.velocity - DVec3::new(0.5, 0.0, 0.05)).length() < 1e-3, "{on}: {state:?}");
        assert!((state.position.y - 0.05).abs() < 1e-4, "{on}: {state:?}");
    }
}

/// A body that leans on a step, taller than it, is pushed aside by its wall and not lifted onto its top.
#[test]
fn a_body_beside_a_step_stays_beside_it() {
    let shape = mesh(&box_file(1.0));
    let step = collider(Shape { center: shape.center - DVec3::new(0.0, 0.9, 0.5), ..shape });
    let tower = |radius: f64| revolve(&[[0.0, 0.0], [radius, 0.0], [0.6 * radius, 0.3], [0.0, 0.3]]);
    let bodies = [
        upright(tower(0.05), DVec3::new(-0.05, 0.0, 0.0)),
        upright(Geometry::Cylinder { half_height: 0.15, radius: 0.05 }, DVec3::new(-0.05, 0.15, 0.0)),
    ];
    for shape in bodies {
        let mut rigid = body(shape);
        rigid.shape.center.x += 2e-4;
        let mut run = Run::new(&[rigid], &[floor(), step.clone()], GRAVITY);
        let start = run.states[0].position;
        let mut highest = 0.0_f64;
        run.run(0.5, 1.0 / 480.0, |run| highest = highest.max(run.states[0].position.y - start.y));
        let aside = start.x - run.states[0].position.x;
        assert!(highest < 1e-4 && (0.0..1e-3).contains(&aside), "{highest} {aside}");
    }
}

/// Bodies of all kinds on a box that they could push.
#[test]
fn every_body_rests_on_a_box_that_may_move() {
    for (what, shape) in bodies() {
        let shift = |shape: &Shape| Shape { center: shape.center + 0.2 * DVec3::Y, ..shape.clone() };
        let mut raised = shift(&shape);
        raised.union = shape.union.iter().map(shift).collect();
        let table = body(Shape::cuboid(DVec3::new(-0.3, 0.0, -0.3), DVec3::new(0.3, 0.2, 0.3)));
        let mut run = Run::new(&[table, body(raised)], &[floor()], GRAVITY);
        let start = run.states.clone();
        run.run(1.0, 1.0 / 480.0, |_| {});
        let moved: Vec<f64> = std::iter::zip(&run.states, &start)
            .map(|(now, then)| (now.position - then.position).length())
            .collect();
        assert!(moved[0] < 1e-4 && moved[1] < 1e-4, "{what}: {moved:?}");
    }
}

#[test]
fn what_cannot_be_touched_is_named() {
    let cut = |mut shape: Shape| {
        shape.subtract = vec![Shape::sphere(shape.center, 0.02)];
        shape
    };
    let one = [body(cube(DVec3::ZERO, 0.1))];
    let fault =
        |bodies: &[Rigid], collider: Collider| World::new(bodies, &[collider]).map(|_| ()).unwrap_err();
    let holed = collider(cut(cube(DVec3::ZERO, 1.0)));
    let error = fault(&one, holed.clone());
    assert!(matches!(error, RigidError::SubtractedCollider { index: 0, .. }), "{error}");
    assert_eq!(error.about(), Diagnosed::Collider(0));
    assert!(error.to_string().contains("`collider`, which has `subtract`"), "{error}");
    assert!(World::new(&[], &[holed]).is_ok(), "without bodies nothing touches it");
    let mut joined = Collider { inside: true, ..collider(cube(DVec3::ZERO, 1.0)) };
    joined.shape.union = vec![cube(DVec3::ONE, 1.0)];
    assert!(matches!(fault(&one, joined), RigidError::JoinedContainer { .. }));
    let error = fault(&[body(cut(cube(DVec3::ZERO, 0.1)))], floor());
    assert!(matches!(error, RigidError::SubtractedBody { .. }), "{error}");
    assert_eq!(error.about(), Diagnosed::Rigid(0));
    let plane = body(Shape::plane(DVec3::ZERO, DVec3::Y));
    assert!(matches!(fault(&[plane], floor()), RigidError::Massless { .. } | RigidError::Body { .. }));
}
