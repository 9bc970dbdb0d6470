//! Pieces of colliders with parts and cuts, and of solids of revolution with concave corners.
//!
//! A piece is an intersection of simple solids, whose surface is known near faces and near edges where two of them meet. Every wall of a
//! cut gives pieces of its own, so that a particle in the corner of a pocket touches all of its walls: what is outside a box is what is
//! beyond its left wall, or beyond its right wall, and so on. Cuts that overlap are expanded together, since the walls that one of them
//! opens in the other are no surface.

use glam::{DQuat, DVec2, DVec3};
use tuff_scene::{Collider, Geometry, Shape, convex_parts};

use super::{TUBE, walls_of};
use crate::MAX_FACES;

/// Relative distance below which a shape does not reach beyond a wall.
const ROUNDING: f64 = 1e-9;

/// Returns the pieces of a collider, each a plain shape in [`Shape::union`] or [`Shape::subtract`] of another.
pub(super) fn pieces(whole: &Collider) -> Vec<Collider> {
    let plain = |shape: &Shape| Shape { union: Vec::new(), subtract: Vec::new(), ..shape.clone() };
    let solid = |shape: Shape| Collider { shape, inside: false, ..whole.clone() };
    let solids = std::iter::once(plain(&whole.shape)).chain(whole.shape.union.iter().cloned());
    let solids: Vec<Shape> =
        if whole.inside { solids.collect() } else { solids.flat_map(|solid| convex(&solid)).collect() };
    let cuts = &whole.shape.subtract;
    if whole.inside {
        let around = outside(whole, None, &solids);
        return around.into_iter().chain(cuts.iter().cloned().map(solid)).collect();
    }
    let of_solid = |shape: &Shape| outside(whole, Some(&solid(shape.clone())), cuts);
    solids.iter().flat_map(of_solid).collect()
}

/// Returns the parts of a solid of revolution between its sharp concave corners, and other solids as they are.
fn convex(solid: &Shape) -> Vec<Shape> {
    let Geometry::Revolve { profile, .. } = &solid.geometry else { return vec![solid.clone()] };
    let part = |profile| Shape { geometry: Geometry::revolve(profile), ..solid.clone() };
    convex_parts(profile).into_iter().map(part).collect()
}

/// Returns the pieces of what is outside all `cuts`, and in `base` if there is one.
fn outside(whole: &Collider, base: Option<&Collider>, cuts: &[Shape]) -> Vec<Collider> {
    let touches = |a: &Shape, b: &Shape| !a.bounds().intersection(&b.bounds()).is_empty();
    let mut cut_walls: Vec<(&Shape, Vec<Collider>)> = Vec::new();
    for cut in cuts.iter().filter(|cut| base.is_none_or(|base| touches(&base.shape, cut))) {
        let container = Collider { shape: cut.clone(), inside: true, ..whole.clone() };
        let reached = |wall: &Collider| base.is_none_or(|base| reaches(&base.shape, wall));
        let walls: Vec<Collider> = walls_of(&container).into_iter().map(flat).filter(reached).collect();
        if walls.is_empty() {
            return Vec::new();
        }
        cut_walls.push((cut, walls));
    }
    // What is beyond a wall of a large cut often meets no small one.
    cut_walls.sort_by(|a, b| b.0.bounds().size().length().total_cmp(&a.0.bounds().size().length()));
    let groups = groups(&cut_walls, &touches);
    let (split, single): (Vec<_>, Vec<_>) =
        groups.into_iter().partition(|group| group.iter().any(|&cut| cut_walls[cut].1.len() > 1));
    let common: Vec<&Collider> = single.iter().flatten().map(|&cut| &cut_walls[cut].1[0]).collect();
    let start: Vec<&Collider> = base.into_iter().chain(common).collect();
    if split.is_empty() {
        return joined(&start, &[]).into_iter().collect();
    }
    let size = base.map_or(0.0, |base| base.shape.bounds().size().length());
    let mut found = Vec::new();
    for group in &split {
        let others = split.iter().filter(|other| *other != group).flatten();
        let others: Vec<Shape> =
            others.map(|&cut| opened(cut_walls[cut].0, &cut_walls[cut].1, size)).collect();
        let mut chosen = vec![start.clone()];
        for &cut in group {
            // More than can be used are refused later.
            let (shape, walls) = &cut_walls[cut];
            chosen = chosen
                .iter()
                .flat_map(|solids| with_walls(solids, shape, walls))
                .take(MAX_FACES + 1)
                .collect();
        }
        found.extend(chosen.iter().filter_map(|solids| joined(solids, &others)));
    }
    found
}

/// Returns the wall of a solid of revolution that is a disk as a plane, and others as they are.
fn flat(wall: Collider) -> Collider {
    let Geometry::Revolve { profile, edges } = &wall.shape.geometry else { return wall };
    let corner = |i: usize| profile[(edges.first + i) % profile.len()];
    let level = corner(0).y;
    let corners: Vec<DVec2> = (0..=edges.count).map(corner).collect();
    let is_disk = corners.iter().all(|c| c.y == level || c.x == 0.0)
        && corners.iter().filter(|c| c.y == level).any(|c| c.x == 0.0)
        && corners.iter().filter(|c| c.x > 0.0).count() == 1;
    if !is_disk {
        return wall;
    }
    // Inward is where the rest of the profile lies.
    let inward = profile.iter().map(|c| c.y - level).sum::<f64>().signum();
    let mut plane = wall.clone();
    plane.inside = false;
    plane.shape.geometry = Geometry::Plane;
    plane.shape.center = wall.shape.to_scene(level * DVec3::Y);
    if inward < 0.0 {
        plane.shape.rotation *= DQuat::from_rotation_x(std::f64::consts::PI);
    }
    plane
}

/// Returns a cut without the walls that nothing is beyond, which would count as surfaces seen from inside: moved away by the `size` of
/// what it is cut from [m] and its own. Farther, single precision would lose the walls on the other side.
fn opened(cut: &Shape, walls: &[Collider], size: f64) -> Shape {
    let mut open = cut.clone();
    let far = size + cut.bounds().size().length();
    let stands = |outward: DVec3| {
        let normal = -(cut.rotation * outward);
        let is_it = |wall: &Collider| {
            matches!(wall.shape.geometry, Geometry::Plane)
                && (wall.shape.rotation * DVec3::Y).dot(normal) > 1.0 - ROUNDING
        };
        walls.iter().any(is_it)
    };
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        for outward in [axis, -axis] {
            let half = match &mut open.geometry {
                Geometry::Box { half } => {
                    &mut half[usize::from(axis.y > 0.0) + 2 * usize::from(axis.z > 0.0)]
                }
                Geometry::Cylinder { half_height, .. } if axis.y > 0.0 => half_height,
                _ => continue,
            };
            if !stands(outward) {
                *half += 0.5 * far;
                open.center += 0.5 * far * (cut.rotation * outward);
            }
        }
    }
    open
}

/// Returns these solids with each of the walls of a cut that meets them, or alone if nothing of them is in the cut.
fn with_walls<'a>(solids: &[&'a Collider], cut: &Shape, walls: &'a [Collider]) -> Vec<Vec<&'a Collider>> {
    if solids.iter().any(|solid| !reaches(cut, solid)) {
        return vec![solids.to_vec()];
    }
    let meets = |wall: &&Collider| !solids.iter().any(|other| are_apart(other, wall));
    walls.iter().filter(meets).map(|wall| [solids, &[wall]].concat()).collect()
}

/// Returns the cuts, by index, in groups that overlap.
fn groups(cuts: &[(&Shape, Vec<Collider>)], touches: &dyn Fn(&Shape, &Shape) -> bool) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for cut in 0..cuts.len() {
        let near = |group: &Vec<usize>| group.iter().any(|&other| touches(cuts[other].0, cuts[cut].0));
        let (joined, apart): (Vec<_>, Vec<_>) = groups.into_iter().partition(near);
        groups = apart;
        let mut all: Vec<usize> = joined.into_iter().flatten().chain([cut]).collect();
        all.sort_unstable();
        groups.push(all);
    }
    groups
}

/// Returns the intersection of these solids, and of what is outside `others`, as one collider; `None` for no solids.
fn joined(solids: &[&Collider], others: &[Shape]) -> Option<Collider> {
    let (first, rest) = solids.split_first()?;
    let parts: Vec<Shape> =
        rest.iter().map(|solid| complement(solid)).chain(others.iter().cloned()).collect();
    let mut piece = (*first).clone();
    if piece.inside {
        piece.shape.union = parts;
    } else {
        piece.shape.subtract = parts;
    }
    Some(piece)
}

/// Returns what is outside a wall.
fn complement(wall: &Collider) -> Shape {
    let mut shape = wall.shape.clone();
    if !wall.inside {
        shape.rotation *= DQuat::from_rotation_x(std::f64::consts::PI);
    }
    shape
}

/// Returns true if part of a shape is beyond a wall; also where that cannot be told.
fn reaches(shape: &Shape, wall: &Collider) -> bool {
    let rounding = ROUNDING * shape.bounds().size().length();
    match wall.shape.geometry {
        Geometry::Plane => {
            let normal = wall.shape.rotation * DVec3::Y;
            shape.support(-normal) > -normal.dot(wall.shape.center) + rounding
        }
        Geometry::Cylinder { half_height, radius } if half_height > TUBE * radius => {
            let away = |corner: DVec3| {
                let local = wall.shape.to_local(shape.to_scene(corner));
                DVec3::new(local.x, 0.0, local.z).length()
            };
            shape.local_bounds().corners().into_iter().any(|corner| away(corner) > radius + rounding)
        }
        _ => true,
    }
}

/// Returns true if two walls are parallel planes between which there is matter only.
fn are_apart(a: &Collider, b: &Collider) -> bool {
    let (Geometry::Plane, Geometry::Plane) = (&a.shape.geometry, &b.shape.geometry) else { return false };
    let [normal, other] = [a, b].map(|wall| wall.shape.rotation * DVec3::Y);
    let gap = normal.dot(a.shape.center - b.shape.center);
    normal.dot(other) < -1.0 + ROUNDING && gap <= ROUNDING * a.shape.center.distance(b.shape.center)
}

#[cfg(test)]
mod tests {
    use tuff_scene::{Friction, Motion};

    use super::*;
    use crate::faces;

    fn collider(shape: Shape, inside: bool) -> Collider {
        Collider {
            name: "part".to_owned(),
            shape,
            inside,
            sheet: false,
            thickness: 0.0,
            friction: Friction::Coulomb(0.3),
            adhesion: 0.0,
            motion: Motion::IDENTITY,
        }
    }

    fn cuboid(min: [f64; 3], max: [f64; 3]) -> Shape {
        Shape::cuboid(DVec3::from(min), DVec3::from(max))
    }

    fn hole(x: f64, radius: f64, [from, to]: [f64; 2]) -> Shape {
        let geometry = Geometry::Cylinder { half_height: (to - from) / 2.0, radius };
        Shape::along(geometry, DVec3::new(x, from, 0.0), DVec3::new(x, to, 0.0))
    }

    fn distance(c: &Collider, x: DVec3) -> f64 {
        if c.inside { -c.shape.signed_distance(x) } else { c.shape.signed_distance(x) }
    }

    /// Checks that the nearest of the pieces is as far away from points in the matter as the nearest point in the obstacle, found among
    /// points of a lattice.
    fn check(whole: &Collider, [min, max]: [DVec3; 2], count: usize) {
        let pieces = faces(std::slice::from_ref(whole));
        assert_eq!(pieces.len(), count);
        let steps = 40_i32;
        let step = (max - min) / f64::from(steps);
        let middle = |[x, y, z]: [i32; 3]| min + step * (DVec3::new(x.into(), y.into(), z.into()) + 0.5);
        let cells = (0..steps.pow(3)).map(|i| [i % steps, i / steps % steps, i / steps / steps]);
        let lattice: Vec<DVec3> = cells.map(middle).collect();
        let holds = |x: &DVec3| whole.shape.contains(*x) != whole.inside;
        let obstacle: Vec<DVec3> = lattice.iter().copied().filter(holds).collect();
        for x in lattice.iter().copied().filter(|x| !holds(x)).step_by(97) {
            let found = pieces.iter().map(|piece| distance(&piece.surface, x)).fold(f64::INFINITY, f64::min);
            let sought = obstacle.iter().map(|y| x.distance(*y)).fold(f64::INFINITY, f64::min);
            // A lattice point is at most half a diagonal away from the surface.
            let slack = step.length();
            assert!(found > 0.0 && found <= sought && found >= sought - slack, "{x}: {found} {sought}");
        }
    }

    const ROOM: [DVec3; 2] = [DVec3::splat(-1.2), DVec3::splat(1.2)];

    fn plate() -> Shape {
        cuboid([-1.0, -0.3, -1.0], [1.0, 0.3, 1.0])
    }

    #[test]
    fn through_holes_leave_one_piece() {
        let mut shape = plate();
        shape.subtract = vec![hole(-0.5, 0.3, [-0.4, 0.4]), hole(0.5, 0.4, [-0.3, 0.3])];
        check(&collider(shape, false), ROOM, 1);
    }

    /// A pocket has four walls and a bottom, a blind hole a wall and a bottom.
    #[test]
    fn pockets_have_a_piece_per_wall() {
        let mut shape = plate();
        shape.subtract = vec![cuboid([-0.8, -0.1, -0.6], [-0.2, 0.3, 0.6]), hole(0.5, 0.3, [0.0, 0.9])];
        check(&collider(shape, false), ROOM, 5 + 2);
    }

    /// Two boxes that overlap are a pocket in the shape of an L. None of the walls that they open in each other is left.
    #[test]
    fn cuts_that_overlap_open_each_other() {
        let mut shape = plate();
        shape.subtract =
            vec![cuboid([-0.8, -0.1, -0.6], [-0.2, 0.4, 0.6]), cuboid([-0.5, -0.1, -0.6], [0.7, 0.4, -0.1])];
        check(&collider(shape, false), ROOM, 8);
    }

    /// In a bucket a particle touches its wall and its bottom.
    #[test]
    fn a_bucket_is_a_ring_and_a_disk() {
        let profile = [[0.0, -0.8], [0.9, -0.8], [0.9, 0.8], [0.7, 0.8], [0.7, -0.5], [0.0, -0.5]];
        let shape = Shape::new(Geometry::revolve(profile.map(DVec2::from).to_vec()), DVec3::ZERO);
        check(&collider(shape, false), ROOM, 2);
    }

    /// A funnel in a block has no lid.
    #[test]
    fn the_mouth_of_a_cone_is_open() {
        let mut shape = cuboid([-0.8, -0.9, -0.8], [0.8, 0.0, 0.8]);
        let cone = [[0.0, -0.3], [0.5, 0.3], [0.0, 0.3]].map(DVec2::from).to_vec();
        let (from, to) = (DVec3::new(0.0, -0.6, 0.0), DVec3::ZERO);
        shape.subtract = vec![Shape::along(Geometry::revolve(cone), from, to)];
        check(&collider(shape, false), ROOM, 1);
    }

    /// A barrel with three holes in its bottom: its bore has a wall and a bottom, and only the bottom has holes.
    #[test]
    fn a_die_has_a_piece_for_its_bore_and_one_for_its_bottom() {
        let mut shape = hole(0.0, 1.0, [-0.8, 1.0]);
        shape.subtract = vec![hole(0.0, 0.9, [-0.5, 1.2]), hole(0.0, 0.2, [-1.0, 0.0])];
        shape.subtract.extend([-0.6, 0.6].map(|x| hole(x, 0.2, [-1.0, 0.0])));
        check(&collider(shape, false), ROOM, 2);
    }

    #[test]
    fn parts_and_containers_are_joined() {
        let mut shape = cuboid([-1.0, -1.0, -1.0], [0.4, 0.0, 1.0]);
        shape.union = vec![cuboid([-0.4, -1.0, -0.5], [1.0, 0.6, 0.5])];
        check(&collider(shape.clone(), false), ROOM, 2);
        check(&collider(shape.clone(), true), ROOM, 14);
        shape.subtract = vec![hole(0.0, 0.2, [-0.5, 0.5])];
        check(&collider(shape, true), ROOM, 15);
    }
}
