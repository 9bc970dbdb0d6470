//! Names with escape sequences and with characters that reverse text were sent to the terminal unchanged.

use std::fs;

use tuff_tests::program::{Place, SCENE};

/// ESC with a color and a title, carriage return, a C1 control, a line separator and a direction override.
const NAME: &str = "e\u{1b}[31mv\u{1b}]0;x\u{7}i\r\u{9b}2Jl\u{2028}\u{202e}";

fn steers(text: &str) -> bool {
    text.chars().any(|c| {
        c.is_control() && c != '\n'
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    })
}

#[test]
fn are_written_out() {
    assert!(steers(NAME));
    let place = Place::with(SCENE);
    fs::copy(place.path("scene.toml"), place.path(&format!("{NAME}.toml"))).unwrap();
    let named = format!("{NAME}.toml");
    let missing = format!("{NAME}/scene.toml");
    let set = format!("material.sand.{NAME}=1");
    let out = format!("out/{NAME}");
    for (arguments, code) in [
        (vec!["check", named.as_str()], 0),
        (vec!["check", missing.as_str()], 2),
        (vec!["check", "scene.toml", "--set", set.as_str()], 2),
        (vec!["check", "scene.toml", "--material-path", NAME], 2),
        (vec!["run", "scene.toml", "--device", "reference", "--out", out.as_str()], 0),
        (vec!["run", "scene.toml", "--device", NAME, "--out", "other"], 3),
        (vec!["preview", NAME], 2),
        (vec![NAME], 2),
    ] {
        let outcome = place.tuff(&arguments);
        assert_eq!(outcome.code, code, "{arguments:?}: {outcome:?}");
        assert!(!steers(&outcome.stdout) && !steers(&outcome.stderr), "{arguments:?}: {outcome:?}");
    }
    let scene = SCENE.replace("\"sand\"", "\"s\\u001b[31m\\u202e\"");
    fs::write(place.path("material.toml"), scene).unwrap();
    let check = place.tuff(&["check", "material.toml"]);
    assert_eq!(check.code, 0, "{check:?}");
    assert!(check.stdout.contains("s\\u001b[31m\\u202e"), "{check:?}");
    assert!(!steers(&check.stdout) && !steers(&check.stderr), "{check:?}");
}
