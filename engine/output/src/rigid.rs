//! Rigid bodies of a frame as JSON.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tuff_problem::{Frame, RigidState};
use tuff_scene::Scene;

use crate::error::OutputError;

/// Returns the file of the rigid bodies of frame `index`, relative to the folder of a run.
pub(crate) fn rigid_name(scene: &str, index: u32) -> String {
    format!("rigid/{scene}.{index:04}.json")
}

/// Returns the file of the rigid bodies among the files of a frame.
pub(crate) fn file_among(files: &[String]) -> Option<&str> {
    files.iter().map(String::as_str).find(|name| name.starts_with("rigid/"))
}

/// Describes the rigid bodies of a frame: position of the center of mass [m], orientation as a unit quaternion w, x, y, z from where the
/// body starts, velocities [m/s, rad/s], and the impulse received from matter over the frame [N s]. `translation` [m] follows the
/// orientation: it takes the body's file or shape, as the scene places it, to where the body is.
pub(crate) fn record(scene: &Scene, frame: &Frame) -> Value {
    let body = |(rigid, state): (&tuff_scene::Rigid, &RigidState)| {
        let [x, y, z, w] = state.rotation;
        json!({
            "name": rigid.name,
            "position": state.center,
            "quaternion": [w, x, y, z],
            "translation": state.translation,
            "velocity": state.velocity,
            "angular_velocity": state.angular_velocity,
            "impulse": state.impulse,
        })
    };
    let bodies: Vec<Value> = std::iter::zip(&scene.rigid, &frame.rigid).map(body).collect();
    json!({ "frame": frame.index, "time": frame.time, "rigid": bodies })
}

/// Reads the rigid bodies of a frame as far as pictures show them.
pub(crate) fn read(path: &Path) -> Result<Vec<RigidState>, OutputError> {
    let fault = |reason: String| OutputError::BadFrame { path: path.to_owned(), reason };
    let text = fs::read_to_string(path).map_err(|error| fault(format!("it cannot be read: {error}")))?;
    let value: Value =
        serde_json::from_str(&text).map_err(|error| fault(format!("it is damaged: {error}")))?;
    let numbers = |body: &Value, key: &str, count: usize| -> Option<Vec<f64>> {
        let list: Vec<f64> = body[key].as_array()?.iter().filter_map(Value::as_f64).collect();
        (list.len() == count).then_some(list)
    };
    let state = |body: &Value| {
        let [center, translation] = ["position", "translation"].map(|key| numbers(body, key, 3));
        let (center, translation, turn) = (center?, translation?, numbers(body, "quaternion", 4)?);
        Some(RigidState {
            center: [center[0], center[1], center[2]],
            translation: [translation[0], translation[1], translation[2]],
            rotation: [turn[1], turn[2], turn[3], turn[0]],
            ..RigidState::default()
        })
    };
    let bodies = value["rigid"].as_array().map(|bodies| bodies.iter().map(state).collect::<Option<_>>());
    bodies.flatten().ok_or_else(|| fault("it is damaged: a rigid body lacks its place".to_owned()))
}

#[cfg(test)]
mod tests {
    use glam::{DQuat, DVec3};
    use tuff_scene::Motion;

    use super::*;

    #[test]
    fn a_motion_places_a_body() {
        let state = RigidState {
            translation: [1.0, 2.0, 3.0],
            rotation: DQuat::from_rotation_z(0.5).to_array(),
            ..RigidState::default()
        };
        let place = Motion::resting(state.pose()).pose(7.0).apply(DVec3::X);
        assert!(
            (place - (DQuat::from_rotation_z(0.5) * DVec3::X + DVec3::new(1.0, 2.0, 3.0))).length() < 1e-15
        );
    }
}
