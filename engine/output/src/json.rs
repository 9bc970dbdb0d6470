//! Readable JSON: one key or element per line, except that lists of plain values take one line.

use serde_json::Value;

/// Formats `value` as text that ends with a line break.
pub(crate) fn pretty(value: &Value) -> String {
    let mut text = String::new();
    append(value, 0, &mut text);
    text.push('\n');
    text
}

fn append(value: &Value, depth: usize, text: &mut String) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            let entries = map.iter().map(|(key, value)| (Some(key.as_str()), value));
            block(entries, ['{', '}'], depth, text);
        }
        Value::Array(list) if list.iter().any(is_nested) => {
            block(list.iter().map(|value| (None, value)), ['[', ']'], depth, text);
        }
        Value::Array(list) => {
            let words: Vec<String> = list.iter().map(Value::to_string).collect();
            *text += &format!("[{}]", words.join(", "));
        }
        plain => *text += &plain.to_string(),
    }
}

fn block<'a>(
    entries: impl Iterator<Item = (Option<&'a str>, &'a Value)>,
    [open, close]: [char; 2],
    depth: usize,
    text: &mut String,
) {
    text.push(open);
    for (i, (key, value)) in entries.enumerate() {
        *text += if i == 0 { "\n" } else { ",\n" };
        *text += &"  ".repeat(depth + 1);
        if let Some(key) = key {
            *text += &format!("{}: ", Value::from(key));
        }
        append(value, depth + 1, text);
    }
    text.push('\n');
    *text += &"  ".repeat(depth);
    text.push(close);
}

fn is_nested(value: &Value) -> bool {
    match value {
        Value::Object(map) => !map.is_empty(),
        Value::Array(list) => !list.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_text_is_the_value_and_lists_of_numbers_are_one_line() {
        let value = json!({
            "a \"quoted\" key": [1.5, -2, null, "x, y"],
            "empty": [{}, [], ""],
            "nested": [[1, 2], { "b": [[3], []] }],
        });
        let text = pretty(&value);
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        assert!(text.contains("key\": [1.5, -2, null, \"x, y\"],\n"), "{text}");
        assert!(text.contains("\n    [1, 2],\n"), "{text}");
    }
}
