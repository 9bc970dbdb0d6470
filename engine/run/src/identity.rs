//! Identity of a run, and how two identities differ.

use serde_json::Value;
use tuff_problem::Problem;
use tuff_scene::{Geometry, Shape};
use xxhash_rust::xxh3::Xxh3;

/// A key whose value has changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Dotted path of the key; list elements appear by name.
    pub key: String,
    /// Old and new value; `None` if the key is absent.
    pub values: [Option<Value>; 2],
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [before, now] = self.values.each_ref().map(|value| match value {
            Some(value) => value.to_string(),
            None => "absent".to_owned(),
        });
        write!(f, "{}: was {before}, is now {now}", self.key)
    }
}

/// Lists the keys whose values differ between two objects, in order.
pub fn differences(before: &Value, now: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    compare(String::new(), Some(before), Some(now), &mut found);
    found
}

fn compare(key: String, before: Option<&Value>, now: Option<&Value>, found: &mut Vec<Difference>) {
    if before == now || before.zip(now).is_some_and(|(before, now)| same(before, now)) {
        return;
    }
    let members = |value: Option<&Value>| value.and_then(members);
    match (members(before), members(now)) {
        (Some(before), Some(now)) => {
            let value = |list: &[(String, Value)], name: &str| {
                list.iter().find(|member| member.0 == name).map(|member| member.1.clone())
            };
            let added = now.iter().filter(|(name, _)| value(&before, name).is_none());
            for (name, _) in before.iter().chain(added) {
                let path = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
                compare(path, value(&before, name).as_ref(), value(&now, name).as_ref(), found);
            }
        }
        _ => found.push(Difference { key, values: [before.cloned(), now.cloned()] }),
    }
}

/// Returns true if two values are equal, comparing numbers by value rather than notation.
fn same(before: &Value, now: &Value) -> bool {
    match (before, now) {
        (Value::Number(before), Value::Number(now)) => before.as_f64() == now.as_f64(),
        (Value::Array(before), Value::Array(now)) => {
            before.len() == now.len() && before.iter().zip(now).all(|(before, now)| same(before, now))
        }
        _ => before == now,
    }
}

/// Lists the members of a value: of an object by key, of a list of objects by name or index; `None` for anything else.
fn members(value: &Value) -> Option<Vec<(String, Value)>> {
    match value {
        Value::Object(map) => Some(map.iter().map(|(key, value)| (key.clone(), value.clone())).collect()),
        Value::Array(list) if !list.is_empty() && list.iter().all(Value::is_object) => {
            let name = |(index, value): (usize, &Value)| {
                let name = value.get("name").and_then(Value::as_str);
                (name.map_or_else(|| index.to_string(), str::to_owned), value.clone())
            };
            Some(list.iter().enumerate().map(name).collect())
        }
        _ => None,
    }
}

/// Returns the XXH3 of the particles at the first frame, of what emitters add, and of the meshes of colliders, rigid bodies and sinks,
/// hexadecimal: it covers the contents of all mesh and point files that the scene uses.
pub fn start_hash(problem: &Problem) -> String {
    let mut hash = Xxh3::new();
    let particles = &problem.particles;
    for vectors in [&particles.position, &particles.velocity] {
        hash.update(bytemuck::cast_slice(vectors));
    }
    for numbers in [&particles.rest_volume, &problem.mass] {
        hash.update(bytemuck::cast_slice(numbers));
    }
    for indices in [&particles.material, &particles.body, &particles.pin] {
        hash.update(bytemuck::cast_slice(indices));
    }
    for obstacle in &problem.scene.obstacles() {
        add_files(&mut hash, &obstacle.shape);
    }
    for layers in &*problem.layers {
        hash.update(bytemuck::cast_slice(&layers.position));
        hash.update(bytemuck::cast_slice(&layers.rest_volume));
    }
    for sink in &problem.scene.sinks {
        add_files(&mut hash, &sink.shape);
    }
    format!("{:016x}", hash.digest())
}

/// Adds the contents of the mesh files that a shape, its parts and its cuts come from.
fn add_files(hash: &mut Xxh3, shape: &Shape) {
    if let Geometry::Mesh(mesh) = &shape.geometry {
        hash.update(bytemuck::cast_slice(&mesh.vertices));
        hash.update(bytemuck::cast_slice(&mesh.triangles));
        if let Some(deformation) = mesh.deformation() {
            hash.update(&deformation.digest().to_le_bytes());
        }
    }
    for part in shape.union.iter().chain(&shape.subtract) {
        add_files(hash, part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn keys_that_differ_are_told_by_their_paths() {
        let before = json!({
            "solver": { "iterations": 5, "scheme": "newton_cg" },
            "material": [{ "name": "sand", "friction_angle": 35.0 }, { "name": "clay" }],
            "gravity": [0.0, -9.81, 0.0],
        });
        let now = json!({
            "solver": { "iterations": 6, "scheme": "newton_cg", "xsph": 0.1 },
            "material": [{ "name": "clay" }, { "name": "sand", "friction_angle": 25.0 }],
            "gravity": [0.0, -1.62, 0.0],
        });
        let told: Vec<String> = differences(&before, &now).iter().map(Difference::to_string).collect();
        assert_eq!(
            told,
            [
                "solver.iterations: was 5, is now 6",
                "solver.xsph: was absent, is now 0.1",
                "material.sand.friction_angle: was 35.0, is now 25.0",
                "gravity: was [0.0,-9.81,0.0], is now [0.0,-1.62,0.0]",
            ]
        );
        assert_eq!(differences(&before, &before), []);
        assert_eq!(differences(&json!({ "a": 35.0, "b": [0, 1] }), &json!({ "a": 35, "b": [0.0, 1.0] })), []);
    }
}
