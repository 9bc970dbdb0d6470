//! Draws what matter meets besides analytic colliders: rigid bodies, cloth, ropes, surfaces of triangles, emitters.

use std::f64::consts::{PI, TAU};
use std::fmt::Write as _;

use crate::draw::{Draws, number};

/// Rings and sectors of the triangle surfaces.
const RINGS: usize = 6;
const SECTORS: usize = 16;

/// Maximum number of cells along an edge of a cloth.
const CELLS: f64 = 20.0;

/// Place and size of the matter: heights of its lowest and highest points, its width and its spacing [m].
#[derive(Debug, Clone, Copy)]
pub struct Place {
    pub bottom: f64,
    pub top: f64,
    pub size: f64,
    pub spacing: f64,
}

/// Adds the tables of one or two things to a scene; returns the mesh files that they name, with their content.
pub fn add(draws: &mut Draws, text: &mut String, place: &Place) -> Vec<(String, String)> {
    let count = if draws.chance(0.3) { 2 } else { 1 };
    let mut files = Vec::new();
    for index in 0..count {
        match draws.below(5) {
            0 => rigid(draws, text, place, index),
            1 => cloth(draws, text, place, index),
            2 => rope(draws, text, place, index),
            3 => files.push(surface(draws, text, place, index)),
            _ => emitter(draws, text, place, index),
        }
    }
    files
}

/// A body that lies on the matter, falls on it or is stuck in it; sometimes a second one lies on the first.
fn rigid(draws: &mut Draws, text: &mut String, place: &Place, index: usize) {
    let mut bottom = place.top + place.spacing * draws.between(-1.5, 3.0);
    let stacked = if draws.chance(0.3) { 2 } else { 1 };
    for body in 0..stacked {
        let [x, z] = [0; 2].map(|_| 0.3 * place.size * draws.between(-1.0, 1.0));
        let half = place.size * draws.between(0.08, 0.25);
        let middle = bottom + half;
        let [left, low, back] = [x - half, bottom, z - half].map(number);
        let [right, high, front] = [x + half, middle + half, z + half].map(number);
        let [x, y, z, half_text] = [x, middle, z, half].map(number);
        let shape = match draws.below(3) {
            0 => format!("{{ sphere = {{ center = [{x}, {y}, {z}], radius = {half_text} }} }}"),
            1 => {
                format!("{{ box = {{ min = [{left}, {low}, {back}], max = [{right}, {high}, {front}] }} }}")
            }
            _ => format!(
                "{{ cylinder = {{ from = [{x}, {low}, {z}], to = [{x}, {high}, {z}], radius = {half_text} }} }}"
            ),
        };
        let _ = writeln!(
            text,
            "[[rigid]]\nname = \"rigid{index}{body}\"\nshape = {shape}\ndensity = {}",
            number(draws.spread(200.0, 8000.0))
        );
        if draws.chance(0.4) {
            let velocity = [1.0, 2.0, 1.0].map(|most: f64| number(draws.between(-most, 0.5 * most)));
            let _ = writeln!(text, "velocity = [{}]", velocity.join(", "));
        }
        if draws.chance(0.2) {
            *text += "restitution = 0.5\n";
        }
        bottom = middle + half + place.spacing * draws.between(-0.2, 2.0);
    }
}

/// A sheet over the matter that falls on it, or one that carries it; free, or held by two or four corners.
fn cloth(draws: &mut Draws, text: &mut String, place: &Place, index: usize) {
    let width = place.size * draws.between(0.6, 1.6);
    let edge = place.spacing * draws.between(0.7, 2.0);
    let cells = (width / edge).round().clamp(2.0, CELLS) as usize;
    let under = place.bottom > 3.0 * place.spacing && draws.chance(0.5);
    let gap = place.spacing * draws.between(0.0, 3.0);
    let height = if under { place.bottom - gap } else { place.top + gap };
    let [corner, height, width] = [-0.5 * width, height, width].map(number);
    let [density, stretch, bending] =
        [(0.1, 1.0), (30.0, 3000.0), (1e-6, 1e-3)].map(|(a, b)| draws.spread(a, b));
    let _ = writeln!(
        text,
        "[[cloth]]\nname = \"cloth{index}\"\ngrid = {{ corner = [{corner}, {height}, {corner}], u = [{width}, 0.0, 0.0], \
         v = [0.0, 0.0, {width}], cells = [{cells}, {cells}] }}\nsurface_density = {}\nstretch_stiffness = {}\n\
         bending_stiffness = {bending:.2e}\nthickness = {}",
        number(density),
        number(stretch),
        number(place.spacing * draws.between(0.1, 0.5)),
    );
    let row = cells + 1;
    let corners = [0, cells, cells * row, cells * row + cells];
    let held: &[usize] = match draws.below(3) {
        0 if !under => &[],
        1 => &corners[..2],
        _ => &corners,
    };
    if !held.is_empty() {
        let _ = writeln!(text, "[[pin]]\nbody = \"cloth{index}\"\nvertices = {held:?}");
    }
}

/// A line across the matter, above it; free, or held by one or both ends.
fn rope(draws: &mut Draws, text: &mut String, place: &Place, index: usize) {
    let half = place.size * draws.between(0.3, 0.8);
    let [low, high, z] = [0; 3].map(|_| draws.between(-1.0, 1.0)).map(|u| u * place.spacing);
    let y = place.top + 2.0 * place.spacing;
    let [left, right, y0, y1, z] = [-half, half, y + low, y + high, z].map(number);
    let radius = 0.4 * place.spacing;
    let _ = writeln!(
        text,
        "[[rope]]\nname = \"rope{index}\"\npoints = [[{left}, {y0}, {z}], [{right}, {y1}, {z}]]\nspacing = {}\nradius = {}\n\
         linear_density = {:.3e}\nstretch_stiffness = {}",
        number(place.spacing),
        number(radius),
        draws.spread(300.0, 3000.0) * PI * radius * radius,
        number(draws.spread(10.0, 1e4)),
    );
    if draws.chance(0.3) {
        let _ = writeln!(text, "bending_stiffness = {:.2e}", draws.spread(1e-6, 1e-3));
    }
    let held = ["", "[0]", "[0, -1]"][draws.below(3)];
    if !held.is_empty() {
        let _ = writeln!(text, "[[pin]]\nbody = \"rope{index}\"\nvertices = {held}");
    }
}

/// A bowl under or through the matter (open, one triangle thick), or a closed bump below it.
fn surface(draws: &mut Draws, text: &mut String, place: &Place, index: usize) -> (String, String) {
    let closed = draws.chance(0.4);
    let apex = place.bottom + place.spacing * draws.between(-1.0, 0.5);
    let radius = place.size * draws.between(0.5, 1.2);
    let depth = 0.5 * radius * draws.between(0.0, 1.0) * if closed { -1.0 } else { 1.0 };
    let file = format!("surface{index}.obj");
    let (side, rub) = (if closed { "outside" } else { "both" }, draws.between(0.0, 1.0));
    let _ = writeln!(
        text,
        "[[collider]]\nname = \"surface{index}\"\nshape = {{ mesh = {{ file = \"{file}\" }} }}\nside = \"{side}\"\nfriction = {}",
        number(rub)
    );
    (file, disk(apex, radius, depth, closed.then_some(0.3 * radius)))
}

/// Returns an OBJ file with a disk whose rim lies `depth` above its apex [m]; with a `thickness`, closed below.
fn disk(apex: f64, radius: f64, depth: f64, thickness: Option<f64>) -> String {
    let (mut vertices, mut faces) = (format!("v 0.0 {apex:.9} 0.0\n"), String::new());
    let mut ring = |share: f64, y: f64| {
        for s in 0..SECTORS {
            let (sin, cos) = (TAU * s as f64 / SECTORS as f64).sin_cos();
            let _ = writeln!(vertices, "v {:.9} {y:.9} {:.9}", share * radius * cos, share * radius * sin);
        }
    };
    for r in 1..=RINGS {
        let share = r as f64 / RINGS as f64;
        ring(share, apex + depth * share * share);
    }
    if let Some(thickness) = thickness {
        ring(1.0, apex + depth - thickness);
    }
    // Numbers of the vertices on ring r, counted from 1 outwards; the one behind the rim is the lower edge.
    let at = |r: usize, s: usize| 2 + (r - 1) * SECTORS + s % SECTORS;
    let mut face = |a: usize, b: usize, c: usize| {
        let _ = writeln!(faces, "f {a} {b} {c}");
    };
    let outermost = RINGS + usize::from(thickness.is_some());
    for s in 0..SECTORS {
        face(1, at(1, s + 1), at(1, s));
        for r in 1..outermost {
            face(at(r, s), at(r, s + 1), at(r + 1, s + 1));
            face(at(r, s), at(r + 1, s + 1), at(r + 1, s));
        }
        if thickness.is_some() && (1..SECTORS - 1).contains(&s) {
            face(at(outermost, s), at(outermost, s + 1), at(outermost, SECTORS));
        }
    }
    vertices + &faces
}

/// A hose above the matter that points down at it.
fn emitter(draws: &mut Draws, text: &mut String, place: &Place, index: usize) {
    let radius = (place.size * draws.between(0.05, 0.2)).max(1.5 * place.spacing);
    let low = place.top + place.size * draws.between(0.1, 0.5);
    let [x, low, high] =
        [0.2 * place.size * draws.between(-1.0, 1.0), low, low + 3.0 * place.spacing].map(number);
    let _ = writeln!(
        text,
        "[[emitter]]\nname = \"hose{index}\"\nmaterial = \"m0\"\nshape = {{ cylinder = {{ from = [{x}, {low}, 0.0], \
         to = [{x}, {high}, 0.0], radius = {} }} }}\nvelocity = [{}, {}, 0.0]\nmax_particles = 2000",
        number(radius),
        number(draws.between(-0.3, 0.3)),
        number(-draws.between(0.3, 2.0)),
    );
}
