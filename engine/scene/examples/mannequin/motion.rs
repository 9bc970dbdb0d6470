//! The animations, as poses at key times.

use glam::{DVec3, dvec3};

use crate::pose::{Figure, Pose, turn};
use crate::skeleton::{ELBOW, SHOULDER};

/// Keys per second [1/s].
const RATE: f64 = 30.0;

/// Angle from the rest pose at which arms are level [degrees].
const ARMS_LEVEL: f64 = 55.0;

/// An animation with a pose for each time.
pub struct Animation {
    pub name: &'static str,
    /// Times [s], shape [key_count].
    pub times: Vec<f64>,
    /// Shape [key_count].
    pub poses: Vec<Pose>,
}

/// Returns all animations of a figure.
pub fn animations(figure: &Figure) -> Vec<Animation> {
    let keyed = |name, duration: f64, pose: fn(&Figure, f64) -> Pose| {
        let count = libm::round(duration * RATE) as usize;
        let times: Vec<f64> = (0..=count).map(|key| key as f64 / RATE).collect();
        let poses = times.iter().map(|&time| pose(figure, time)).collect();
        Animation { name, times, poses }
    };
    vec![
        keyed("stand", 0.0, |figure, _| figure.rest()),
        keyed("fall_back", 1.6, fall_back),
        keyed("walk", 2.0, walk),
        keyed("sink", 2.0, sink),
    ]
}

/// Rises from 0 at `start` to 1 at `end` with zero slope at both.
fn ease(time: f64, start: f64, end: f64) -> f64 {
    let part = ((time - start) / (end - start)).clamp(0.0, 1.0);
    part * part * (3.0 - 2.0 * part)
}

/// The joints of one side: `sign` is 1 on the left and -1 on the right.
struct Side<'a> {
    figure: &'a Figure,
    name: &'static str,
    sign: f64,
}

impl Side<'_> {
    fn both(figure: &Figure) -> [Side<'_>; 2] {
        [("left", 1.0), ("right", -1.0)].map(|(name, sign)| Side { figure, name, sign })
    }

    fn joint(&self, part: &str) -> usize {
        self.figure.joint(&format!("{part}_{}", self.name))
    }

    /// Lifts the arm sideways from its rest by an angle and turns it backwards by another [degrees]. The shoulder does part of it.
    fn lift_arm(&self, pose: &mut Pose, degrees: f64, back: f64) {
        let shoulder = 0.2 * degrees;
        pose.turns[self.joint("shoulder")] = turn(DVec3::Z, self.sign * shoulder);
        pose.turns[self.joint("upper_arm")] =
            turn(DVec3::Y, self.sign * back) * turn(DVec3::Z, self.sign * (degrees - shoulder));
    }

    /// Swings the upper arm forward, after what it does already, and bends the elbow [degrees].
    fn swing_arm(&self, pose: &mut Pose, forward: f64, elbow: f64) {
        let upper = self.joint("upper_arm");
        pose.turns[upper] = turn(DVec3::X, -forward) * pose.turns[upper];
        let along = (ELBOW - SHOULDER) * dvec3(self.sign, 1.0, 1.0);
        pose.turns[self.joint("forearm")] = turn(along.cross(DVec3::Z), elbow);
    }

    /// Flexes hip, knee and ankle; the last one lifts the toes [degrees].
    fn bend_leg(&self, pose: &mut Pose, hip: f64, knee: f64, ankle: f64) {
        pose.turns[self.joint("thigh")] = turn(DVec3::X, -hip);
        pose.turns[self.joint("shin")] = turn(DVec3::X, knee);
        pose.turns[self.joint("foot")] = turn(DVec3::X, -ankle);
    }
}

/// Falls backwards about the heels, arms thrown out sideways, and lies on its back with slightly bent knees.
fn fall_back(figure: &Figure, time: f64) -> Pose {
    // Slow at first, as an inverted pendulum.
    let part = (time / 1.5).min(1.0);
    let lean = ease(part * part * part, 0.0, 1.0);
    let (arms, knees) = (ease(time, 0.0, 0.8), ease(time, 0.4, 1.5));
    let chin = ease(time, 0.2, 1.0) - ease(time, 1.1, 1.6);
    let mut pose = figure.rest();
    pose.turns[figure.joint("pelvis")] = turn(DVec3::X, -90.0 * lean);
    pose.turns[figure.joint("neck")] = turn(DVec3::X, 12.0 * chin);
    pose.turns[figure.joint("head")] = turn(DVec3::X, 8.0 * chin);
    for side in Side::both(figure) {
        side.lift_arm(&mut pose, ARMS_LEVEL * arms, 6.0 * arms);
        side.swing_arm(&mut pose, 0.0, 12.0 * arms);
        side.bend_leg(&mut pose, 20.0 * knees, 42.0 * knees, -8.0 * knees);
    }
    // The heels stay where they are along z.
    let heel = dvec3(0.0, 0.0, -0.08);
    let foot = figure.transforms(&pose)[figure.joint("foot_left")];
    pose.shift.z += heel.z - foot.transform_point3(heel).z;
    figure.grounded(pose)
}

/// Flexion of hip, knee and ankle at tenths of a stride from heel strike on [degrees], as in gait at a natural cadence (Winter 1991).
const STRIDE: [[f64; 3]; 10] = [
    [23.0, 4.0, 0.0],
    [20.0, 15.0, -5.0],
    [13.0, 16.0, 3.0],
    [5.0, 10.0, 7.0],
    [-4.0, 6.0, 10.0],
    [-11.0, 12.0, 7.0],
    [-8.0, 33.0, -15.0],
    [6.0, 58.0, -10.0],
    [20.0, 50.0, 0.0],
    [25.0, 20.0, 1.0],
];

/// Interpolates the stride at a phase, one per stride, with periodic Catmull-Rom splines.
fn stride(phase: f64) -> [f64; 3] {
    let at = (phase - phase.floor()) * STRIDE.len() as f64;
    let (knot, part) = (at.floor() as usize, at - at.floor());
    [0, 1, 2].map(|angle| {
        let [a, b, c, d] = [9, 0, 1, 2].map(|offset| STRIDE[(knot + offset) % STRIDE.len()][angle]);
        let slope = c - a + part * (2.0 * a - 5.0 * b + 4.0 * c - d + part * (3.0 * (b - c) + d - a));
        b + 0.5 * part * slope
    })
}

/// Walks in place, a stride each second; the first pose is also the last one.
fn walk(figure: &Figure, time: f64) -> Pose {
    let wave = |phase: f64| libm::cos(std::f64::consts::TAU * phase);
    let mut pose = figure.rest();
    // The pelvis turns with the leg in front, the chest against it.
    let twist = -4.0 * wave(time);
    pose.turns[figure.joint("pelvis")] = turn(DVec3::Y, twist);
    pose.turns[figure.joint("spine")] = turn(DVec3::Y, -twist) * turn(DVec3::X, 2.0);
    pose.turns[figure.joint("chest")] = turn(DVec3::Y, -twist);
    pose.turns[figure.joint("head")] = turn(DVec3::Y, twist);
    for side in Side::both(figure) {
        let phase = time + if side.sign > 0.0 { 0.0 } else { 0.5 };
        let [hip, knee, ankle] = stride(phase);
        side.bend_leg(&mut pose, hip, knee, ankle);
        side.lift_arm(&mut pose, -24.0, 0.0);
        let forward = -wave(phase);
        side.swing_arm(&mut pose, 4.0 + 20.0 * forward, 18.0 + 10.0 * forward);
    }
    figure.grounded(pose)
}

/// Sinks by 0.6 m with level arms, at constant speed after 0.4 s.
fn sink(figure: &Figure, time: f64) -> Pose {
    const HEIGHT: f64 = 0.6;
    const START: f64 = 0.4;
    let speed = HEIGHT / (2.0 - 0.5 * START);
    let part = (time / START).min(1.0);
    // Integral of the speed, which eases in.
    let way = speed * (START * part * part * part * (1.0 - 0.5 * part) + (time - START).max(0.0));
    let mut pose = figure.rest();
    pose.shift.y = HEIGHT - way;
    for side in Side::both(figure) {
        side.lift_arm(&mut pose, ARMS_LEVEL, 0.0);
    }
    pose
}
