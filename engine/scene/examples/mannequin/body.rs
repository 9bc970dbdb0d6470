//! The figure's shape: rounded cones that blend into each other, as a function that is negative inside.

use glam::{DMat3, DVec3, dvec3};

use crate::skeleton::{ANKLE, ELBOW, FINGERTIPS, HIP, KNEE, SHOULDER, TOES, WRIST};

/// Rounding of the edge of the soles [m].
const SOLE_EDGE: f64 = 0.02;

/// Width over which limbs blend into the trunk, and the thighs into each other [m].
const TRUNK_BLEND: f64 = 0.04;
const THIGHS_BLEND: f64 = 0.02;

/// A rounded cone, flattened along some directions.
struct Part {
    start: DVec3,
    axis: DVec3,
    /// Radii at both ends before flattening [m].
    radii: [f64; 2],
    /// Linear map after which cross sections are round.
    to_round: DMat3,
    /// Width over which it blends into the parts before it [m].
    blend: f64,
}

impl Part {
    fn new(start: DVec3, end: DVec3, radii: [f64; 2], blend: f64) -> Self {
        Self { start, axis: end - start, radii, to_round: DMat3::IDENTITY, blend }
    }

    /// Scales the part by `factor` along the unit vector `along`.
    fn flat(mut self, along: DVec3, factor: f64) -> Self {
        let outer = DMat3::from_cols(along * along.x, along * along.y, along * along.z);
        self.to_round *= DMat3::IDENTITY + outer * (1.0 / factor - 1.0);
        self
    }

    /// Signed distance [m], exact to first order near the surface.
    fn distance(&self, point: DVec3) -> f64 {
        let (offset, axis) = (self.to_round * (point - self.start), self.to_round * self.axis);
        let along = match axis.length_squared() {
            0.0 => 0.0,
            square => (offset.dot(axis) / square).clamp(0.0, 1.0),
        };
        let away = offset - along * axis;
        let radius = self.radii[0] + along * (self.radii[1] - self.radii[0]);
        let length = away.length();
        let direction = if length > 1e-12 { away / length } else { DVec3::Z };
        (length - radius) / (self.to_round.transpose() * direction).length()
    }
}

/// The parts of the figure.
pub struct Body {
    middle: Vec<Part>,
    /// Parts of the left half; the right one mirrors them.
    left: Vec<Part>,
}

impl Body {
    pub fn new() -> Self {
        Self { middle: middle(), left: [torso_side(), arm(), leg()].into_iter().flatten().collect() }
    }

    /// Signed distance [m] to the figure's surface, approximate away from it.
    pub fn distance(&self, point: DVec3) -> f64 {
        let mirrored = dvec3(-point.x, point.y, point.z);
        let sides = union(blended(&self.left, point), blended(&self.left, mirrored), THIGHS_BLEND);
        let whole = union(blended(&self.middle, point), sides, TRUNK_BLEND);
        // Flat soles on the ground.
        -union(-whole, point.y, SOLE_EDGE)
    }

    /// Distance [m] and its gradient [dimensionless].
    pub fn distance_and_gradient(&self, point: DVec3) -> (f64, DVec3) {
        const STEP: f64 = 1e-6;
        let distance = self.distance(point);
        let slope = |axis: DVec3| (self.distance(point + STEP * axis) - distance) / STEP;
        (distance, dvec3(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z)))
    }
}

/// Smooth minimum of two distances: `width` is the difference beyond which it is the plain one.
fn union(a: f64, b: f64, width: f64) -> f64 {
    let overlap = (width - (a - b).abs()).max(0.0) / width;
    a.min(b) - overlap * overlap * width / 4.0
}

fn blended(parts: &[Part], point: DVec3) -> f64 {
    parts.iter().fold(f64::INFINITY, |distance, part| union(distance, part.distance(point), part.blend))
}

/// Trunk, neck and head.
fn middle() -> Vec<Part> {
    let at = |y, z| dvec3(0.0, y, z);
    let across =
        |x: f64, y, z, radius, blend| Part::new(dvec3(-x, y, z), dvec3(x, y, z), [radius, radius], blend);
    vec![
        across(0.05, 0.955, -0.005, 0.111, 0.03).flat(DVec3::Z, 0.95),
        Part::new(at(1.0, 0.0), at(1.12, 0.0), [0.137, 0.13], 0.05).flat(DVec3::Z, 0.73),
        Part::new(at(1.15, -0.003), at(1.335, -0.01), [0.13, 0.164], 0.04).flat(DVec3::Z, 0.67),
        across(0.11, 1.415, -0.015, 0.068, 0.05),
        Part::new(at(1.46, -0.025), at(1.60, -0.005), [0.062, 0.055], 0.04),
        Part::new(at(1.70, -0.005), at(1.70, -0.005), [0.1, 0.1], 0.02)
            .flat(DVec3::X, 0.77)
            .flat(DVec3::Z, 0.98),
        Part::new(at(1.665, 0.032), at(1.603, 0.052), [0.06, 0.038], 0.03),
        Part::new(at(1.685, 0.088), at(1.655, 0.1), [0.012, 0.017], 0.03).flat(DVec3::X, 0.9),
    ]
}

/// Muscles between neck and shoulder, breast and buttock.
fn torso_side() -> Vec<Part> {
    let ball = |center, radius, blend| Part::new(center, center, [radius, radius], blend);
    vec![
        Part::new(dvec3(0.02, 1.515, -0.035), dvec3(0.15, 1.45, -0.02), [0.035, 0.04], 0.03),
        ball(dvec3(0.08, 1.36, 0.056), 0.085, 0.04).flat(DVec3::Y, 0.75).flat(DVec3::Z, 0.5),
        ball(dvec3(0.078, 0.925, -0.058), 0.085, 0.03).flat(DVec3::Z, 0.9),
    ]
}

fn arm() -> Vec<Part> {
    let upper = (ELBOW - SHOULDER).normalize();
    let lower = (WRIST - ELBOW).normalize();
    let palm = (FINGERTIPS - WRIST).normalize();
    // The palm faces the thigh: its thickness is across the arm, its width along z.
    let thickness = palm.cross(DVec3::Z).normalize();
    let thumb = WRIST + 0.035 * palm + 0.02 * DVec3::Z;
    vec![
        Part::new(SHOULDER, SHOULDER, [0.06, 0.06], 0.03),
        Part::new(SHOULDER + 0.04 * upper, ELBOW, [0.05, 0.041], 0.03),
        Part::new(ELBOW, ELBOW + 0.07 * lower, [0.04, 0.044], 0.02),
        Part::new(ELBOW + 0.07 * lower, WRIST, [0.044, 0.028], 0.02),
        Part::new(WRIST + 0.03 * palm, WRIST + 0.08 * palm, [0.034, 0.044], 0.03).flat(thickness, 0.5),
        Part::new(WRIST + 0.09 * palm, FINGERTIPS - 0.035 * palm, [0.042, 0.036], 0.02).flat(thickness, 0.45),
        Part::new(thumb, thumb + 0.05 * palm + 0.04 * DVec3::Z, [0.019, 0.015], 0.015),
    ]
}

fn leg() -> Vec<Part> {
    let thigh = KNEE - HIP;
    let shin = ANKLE - KNEE;
    let calf = |along, radius| (KNEE + along * shin + dvec3(0.0, 0.0, -0.022), radius);
    let (calf_top, calf_bottom) = (calf(0.2, 0.047), calf(0.48, 0.036));
    let heel = dvec3(ANKLE.x, 0.036, ANKLE.z - 0.026);
    let ball = dvec3(0.138, 0.028, 0.115);
    vec![
        Part::new(HIP, HIP + 0.9 * thigh, [0.083, 0.056], 0.04),
        Part::new(KNEE - 0.06 * thigh, KNEE + 0.1 * shin, [0.051, 0.048], 0.04),
        Part::new(KNEE, ANKLE, [0.05, 0.034], 0.03),
        Part::new(calf_top.0, calf_bottom.0, [calf_top.1, calf_bottom.1], 0.04),
        Part::new(heel, heel, [0.042, 0.042], 0.03),
        Part::new(ANKLE + dvec3(0.0, -0.02, 0.02), ball, [0.042, 0.034], 0.03),
        Part::new(ball, TOES, [0.047, 0.038], 0.02).flat(DVec3::Y, 0.7),
    ]
}
