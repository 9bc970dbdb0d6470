//! JSON schema of the scene format.

/// JSON schema (draft 2020-12) of the scene format, with documentation and defaults.
pub fn schema() -> serde_json::Value {
    serde_json::Value::Null
}
