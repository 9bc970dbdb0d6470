//! Joints, bones, and the weights with which vertices follow them. All positions [m] are those at rest: y up, facing +z, the figure's
//! left at +x.

use glam::{DVec3, dvec3};

/// Number of joints that can move one vertex.
pub const INFLUENCES: usize = 4;

/// Distance beyond the closest bone at which a bone loses its influence [m].
const REACH: f64 = 0.045;

/// Number of times that weights are averaged with those of neighboring vertices.
const SMOOTHING: usize = 8;

/// Where limbs begin and end on the left [m].
pub const SHOULDER: DVec3 = dvec3(0.182, 1.425, -0.012);
pub const ELBOW: DVec3 = dvec3(0.348, 1.184, -0.012);
pub const WRIST: DVec3 = dvec3(0.493, 0.981, 0.012);
pub const FINGERTIPS: DVec3 = dvec3(0.598, 0.829, 0.030);
pub const HIP: DVec3 = dvec3(0.096, 0.92, 0.0);
pub const KNEE: DVec3 = dvec3(0.114, 0.50, 0.008);
pub const ANKLE: DVec3 = dvec3(0.124, 0.085, -0.022);
pub const TOES: DVec3 = dvec3(0.145, 0.02, 0.165);

/// A joint and the bone that moves with it.
pub struct Joint {
    pub name: String,
    /// Index of the parent, smaller than the joint's own; the root has none.
    pub parent: Option<usize>,
    pub position: DVec3,
    /// Ends of the bone [m].
    bone: [DVec3; 2],
    /// Typical distance from the bone to the surface around it [m].
    radius: f64,
}

/// Returns all joints, parents before children.
pub fn joints() -> Vec<Joint> {
    let mut joints: Vec<Joint> = Vec::new();
    let mut add = |name: &str, parent: Option<&str>, position, bone, radius| {
        let parent = parent.and_then(|name| joints.iter().position(|joint| joint.name == name));
        joints.push(Joint { name: name.to_owned(), parent, position, bone, radius });
    };
    let middle = |y, z| dvec3(0.0, y, z);
    let across = |x: f64, y| [dvec3(-x, y, 0.0), dvec3(x, y, 0.0)];
    add("pelvis", None, middle(0.95, 0.0), across(0.06, 0.96), 0.12);
    add("spine", Some("pelvis"), middle(1.04, -0.01), [middle(1.06, 0.0), middle(1.18, 0.0)], 0.135);
    add("chest", Some("spine"), middle(1.2, -0.015), across(0.08, 1.32), 0.11);
    add("neck", Some("chest"), middle(1.49, -0.02), [middle(1.50, -0.015), middle(1.58, 0.0)], 0.058);
    add("head", Some("neck"), middle(1.59, 0.0), [middle(1.64, 0.02), middle(1.72, 0.0)], 0.08);
    for (side, sign) in [("left", 1.0), ("right", -1.0)] {
        let at = |p: DVec3| dvec3(sign * p.x, p.y, p.z);
        let collar = at(dvec3(0.03, 1.45, -0.012));
        let named = |part: &str| format!("{part}_{side}");
        let bones = [
            ("shoulder", "chest".to_owned(), collar, [collar, at(dvec3(0.14, 1.445, -0.012))], 0.06),
            ("upper_arm", named("shoulder"), at(SHOULDER), [at(SHOULDER), at(ELBOW)], 0.05),
            ("forearm", named("upper_arm"), at(ELBOW), [at(ELBOW), at(WRIST)], 0.04),
            ("hand", named("forearm"), at(WRIST), [at(WRIST), at(FINGERTIPS)], 0.03),
            ("thigh", "pelvis".to_owned(), at(HIP), [at(HIP), at(KNEE)], 0.08),
            ("shin", named("thigh"), at(KNEE), [at(KNEE), at(ANKLE)], 0.05),
            ("foot", named("shin"), at(ANKLE), [at(ANKLE), at(TOES)], 0.04),
        ];
        for (part, parent, position, bone, radius) in bones {
            add(&named(part), Some(&parent), position, bone, radius);
        }
    }
    joints
}

/// The joints that a vertex follows, by decreasing weight; weights sum to 1.
#[derive(Clone, Copy)]
pub struct Influence {
    pub joints: [u8; INFLUENCES],
    pub weights: [f32; INFLUENCES],
}

/// Weighs the bones near each vertex and smooths the weights along the surface. `neighbors` has shape [vertex_count].
pub fn influences(joints: &[Joint], vertices: &[DVec3], neighbors: &[Vec<usize>]) -> Vec<Influence> {
    let mut weights: Vec<Vec<f64>> = vertices.iter().map(|&vertex| near(joints, vertex)).collect();
    for _ in 0..SMOOTHING {
        weights = weights
            .iter()
            .zip(neighbors)
            .map(|(own, around)| {
                let mean = |joint: usize| {
                    around.iter().map(|&vertex| weights[vertex][joint]).sum::<f64>() / around.len() as f64
                };
                own.iter().enumerate().map(|(joint, weight)| 0.5 * (weight + mean(joint))).collect()
            })
            .collect();
    }
    weights.iter().map(|weights| strongest(weights)).collect()
}

/// Returns the weight of each joint at a point; they sum to 1.
fn near(joints: &[Joint], point: DVec3) -> Vec<f64> {
    let distance = |joint: &Joint| {
        let [start, end] = joint.bone;
        let axis = end - start;
        let along = ((point - start).dot(axis) / axis.length_squared()).clamp(0.0, 1.0);
        (point - start - along * axis).length() - joint.radius
    };
    let distances: Vec<f64> = joints.iter().map(distance).collect();
    let closest = distances.iter().copied().fold(f64::INFINITY, f64::min);
    let weight = |distance: f64| {
        let left = (1.0 - ((distance - closest) / REACH).powi(2)).max(0.0);
        left * left
    };
    let total: f64 = distances.iter().map(|&distance| weight(distance)).sum();
    distances.iter().map(|&distance| weight(distance) / total).collect()
}

/// Keeps the largest weights. Each of them loses the largest weight left out, so that weights change continuously along the surface.
fn strongest(weights: &[f64]) -> Influence {
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]).then(a.cmp(&b)));
    let least = weights[order[INFLUENCES]];
    order.truncate(INFLUENCES);
    let total: f64 = order.iter().map(|&joint| weights[joint] - least).sum();
    let mut influence = Influence { joints: [0; INFLUENCES], weights: [0.0; INFLUENCES] };
    for (rank, &joint) in order.iter().enumerate() {
        let weight = ((weights[joint] - least) / total) as f32;
        if weight > 0.0 {
            influence.joints[rank] = joint as u8;
            influence.weights[rank] = weight;
        }
    }
    influence
}
