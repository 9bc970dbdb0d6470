//! JSON schema of the scene format, for editors.

mod mirror;

use serde_json::{Value, json};

use crate::load::keys;
use crate::preset;

/// Returns the JSON schema (draft 2020-12) of the scene format, with documentation and defaults.
///
/// A material accepts any further key, because its parameters are declared by its model; [`crate::load`] checks them against the
/// model's descriptor. The built-in presets are listed for completion.
pub fn schema() -> Value {
    let mut schema = schemars::schema_for!(mirror::SceneFile).to_value();
    without_null(&mut schema);
    let kinds = keys::SHAPE.iter().filter(|k| !keys::COMBINED.contains(k));
    schema["$defs"]["Shape"]["oneOf"] = kinds.map(|kind| json!({ "required": [kind] })).collect();
    let one_of = |keys: [&str; 2]| keys.map(|key| json!({ "required": [key] })).to_vec();
    schema["$defs"]["Rigid"]["oneOf"] = one_of(["density", "mass"]).into();
    schema["$defs"]["Hold"]["oneOf"] = one_of(["ball", "hinge"]).into();
    let material = &mut schema["$defs"]["Material"];
    material["anyOf"] = json!([{ "required": ["model", "density"] }, { "required": ["preset"] }]);
    let names: Vec<_> = preset::names().collect();
    material["properties"]["preset"]["anyOf"] = json!([{ "enum": names }, { "pattern": r"\.toml$" }]);
    schema
}

/// Removes null, which TOML does not have: an optional key is absent.
fn without_null(value: &mut Value) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(without_null),
        Value::Object(object) => {
            if let Some(Value::Array(types)) = object.get_mut("type") {
                types.retain(|t| t != "null");
                if let [single] = types.as_slice() {
                    object["type"] = single.clone();
                }
            }
            if let Some(Value::Array(options)) = object.get_mut("anyOf") {
                options.retain(|o| o["type"] != "null");
                if let [single] = options.as_slice() {
                    let single = single.clone();
                    object.remove("anyOf");
                    if let Value::Object(inner) = single {
                        object.extend(inner);
                    }
                }
            }
            if object.get("default") == Some(&Value::Null) {
                object.remove("default");
            }
            object.values_mut().for_each(without_null);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Schema and reader are two descriptions of the same format.
    #[test]
    fn every_table_has_the_keys_that_the_reader_accepts() {
        let schema = schema();
        let tables = [
            ("Header", keys::SCENE),
            ("Time", keys::TIME),
            ("Solver", keys::SOLVER),
            ("PositionCorrection", keys::POSITION_CORRECTION),
            ("Material", keys::MATERIAL),
            ("Body", keys::BODY),
            ("Rope", keys::ROPE),
            ("Cloth", keys::CLOTH),
            ("Grid", keys::GRID),
            ("Emitter", keys::EMITTER),
            ("Sink", keys::SINK),
            ("Mixture", keys::MIXTURE),
            ("Sampling", keys::SAMPLING),
            ("Collider", keys::COLLIDER),
            ("Rigid", keys::RIGID),
            ("Hold", keys::HOLD),
            ("Hinge", keys::HINGE),
            ("Motion", keys::MOTION),
            ("Keyframe", keys::KEYFRAME),
            ("Pin", keys::PIN),
            ("Output", keys::OUTPUT),
            ("Preview", keys::PREVIEW),
            ("Camera", keys::CAMERA),
            ("Checkpoints", keys::CHECKPOINT),
            ("Shape", keys::SHAPE),
            ("Plane", keys::PLANE),
            ("Cuboid", keys::BOX),
            ("Sphere", keys::SPHERE),
            ("Round", keys::ROUND),
            ("Revolve", keys::REVOLVE),
            ("MeshFile", keys::MESH),
            ("MeshSequence", keys::MESH_SEQUENCE),
            ("LinesFile", keys::LINES),
            ("PointsFile", keys::POINTS),
        ];
        let check = |name: &str, table: &Value, keys: &[&str]| {
            let mut found: Vec<&str> =
                table["properties"].as_object().unwrap().keys().map(String::as_str).collect();
            let mut expected = keys.to_vec();
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "{name}");
            let closed = table["additionalProperties"] == json!(false);
            assert_eq!(closed, name != "Material", "{name}");
            for (key, property) in table["properties"].as_object().unwrap() {
                assert!(property["description"].is_string(), "{name}.{key} has no description");
            }
        };
        check("root", &schema, keys::ROOT);
        for (name, keys) in tables {
            check(name, &schema["$defs"][name], keys);
        }
    }

    #[test]
    fn defaults_and_required_keys_are_stated() {
        let schema = schema();
        assert_eq!(schema["$defs"]["Time"]["properties"]["frame_rate"]["default"], json!(24.0));
        assert_eq!(schema["$defs"]["Solver"]["properties"]["multiplier"]["default"], json!("scalar"));
        assert!(schema["$defs"]["Solver"]["required"].is_null(), "ropes alone need none");
        assert_eq!(schema["$defs"]["Body"]["required"], json!(["name", "material", "shape"]));
        let material = &schema["$defs"]["Material"];
        assert_eq!(material["required"], json!(["name"]));
        assert_eq!(material["anyOf"][1]["required"], json!(["preset"]));
        let shipped = material["properties"]["preset"]["anyOf"][0]["enum"].as_array().unwrap();
        assert!(shipped.contains(&json!("dry_sand")));
        assert!(!schema.to_string().contains("null"));
    }
}
