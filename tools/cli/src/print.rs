//! Results on stdout, and numbers formatted for people.

use std::io::{self, IsTerminal, Write};

use crate::exit::{NOT_WRITTEN, Stop};

/// Writes a result to stdout. A closed pipe is not an error: the reader has seen enough.
pub fn out(text: &str) -> Result<(), Stop> {
    let mut stdout = io::stdout().lock();
    let text = visible(text, stdout.is_terminal());
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Stop::new(NOT_WRITTEN, format!("cannot write the result: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes a message to stderr. If nobody listens any more, the message is dropped: a run must not end for lack of a reader.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{}", visible(text, io::stderr().is_terminal()));
}

/// Returns the text with each character that controls a terminal or reverses the direction of a line replaced by its code, since file
/// names may contain such characters. If `styled`, colors stay.
fn visible(text: &str, styled: bool) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let color = if styled { color(rest) } else { 0 };
        if color > 0 {
            shown.push_str(&rest[..color]);
            rest = &rest[color..];
            continue;
        }
        let plain = matches!(character, '\n' | '\t') || !(character.is_control() || turns(character));
        if plain {
            shown.push(character);
        } else {
            // In the escapes of JSON, because JSON passes through here, too.
            shown += &format!("\\u{:04x}", u32::from(character));
        }
        rest = &rest[character.len_utf8()..];
    }
    shown
}

/// True if a character breaks a line or changes its direction.
fn turns(character: char) -> bool {
    matches!(character, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns the length of the color sequence at the beginning of `text` [bytes]; 0 if there is none.
fn color(text: &str) -> usize {
    let Some(numbers) = text.strip_prefix("\x1b[") else { return 0 };
    match numbers.find(|c: char| !(c.is_ascii_digit() || c == ';')) {
        Some(end) if numbers[end..].starts_with('m') => end + 3,
        _ => 0,
    }
}

/// Formats a size in bytes with three digits.
pub fn bytes(count: u64) -> String {
    let mut value = count as f64;
    let mut units = ["B", "kB", "MB", "GB", "TB"].into_iter();
    let mut unit = units.next().unwrap_or_default();
    for next in units {
        if value < 999.5 {
            break;
        }
        (value, unit) = (value / 1000.0, next);
    }
    if unit == "B" { format!("{value} {unit}") } else { format!("{value:.*} {unit}", digits(value)) }
}

/// Formats a large number with three digits and a prefix, to be followed by its unit: `25.3 M `.
pub fn quantity(value: f64) -> String {
    let prefixes = [(1e12, " T "), (1e9, " G "), (1e6, " M "), (1e3, " k ")];
    let (scale, prefix) = prefixes.into_iter().find(|p| value >= 0.9995 * p.0).unwrap_or((1.0, " "));
    let value = value / scale;
    format!("{value:.*}{prefix}", digits(value))
}

/// Formats a count with spaces between groups of three digits.
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// Formats a duration as briefly as possible.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if !s.is_finite() => "?".to_owned(),
        s if s < 10.0 => format!("{s:.1} s"),
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min {:02.0} s", (s / 60.0).floor(), s % 60.0),
        s => format!("{:.0} h {:02.0} min", (s / 3600.0).floor(), (s % 3600.0) / 60.0),
    }
}

fn digits(value: f64) -> usize {
    match value {
        v if v < 9.995 => 2,
        v if v < 99.95 => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_shown() {
        let name = "e\x1b[31mv\u{202e}il\x1b]0;x\x07\r\u{9b}1\0 \u{2028}";
        let plain = "e\\u001b[31mv\\u202eil\\u001b]0;x\\u0007\\u000d\\u009b1\\u0000 \\u2028";
        assert_eq!(visible(name, false), plain);
        assert_eq!(visible(name, true), plain.replacen("\\u001b[31m", "\x1b[31m", 1));
        let good = "caf\u{e9}\t1\n\u{96ea}";
        assert_eq!(visible(good, false), good);
        assert_eq!(visible("\x1b[1;31", true), "\\u001b[1;31");
    }

    #[test]
    fn numbers_are_short_and_readable() {
        assert_eq!(bytes(17), "17 B");
        assert_eq!(bytes(1_234), "1.23 kB");
        assert_eq!(bytes(65_000_000), "65.0 MB");
        assert_eq!(bytes(999_900), "1.00 MB");
        assert_eq!(quantity(25_340_000.0), "25.3 M ");
        assert_eq!(quantity(999_900.0), "1.00 M ");
        assert_eq!(quantity(12.0), "12.0 ");
        assert_eq!(count(54_000), "54 000");
        assert_eq!(count(1_234_567), "1 234 567");
        assert_eq!(count(12), "12");
        assert_eq!(duration(3.21), "3.2 s");
        assert_eq!(duration(754.0), "12 min 34 s");
        assert_eq!(duration(9000.0), "2 h 30 min");
    }
}
