//! Random changes of texts and bytes.

use proptest::prelude::*;

/// Replacements for a number or a word.
const ODD: [&str; 40] = [
    "0",
    "-1",
    "1",
    "0.0",
    "-0.0",
    "1e-300",
    "1e300",
    "1e-20",
    "1e30",
    "-1e9",
    "5e-324",
    "1e400",
    "nan",
    "inf",
    "-inf",
    "3.4e38",
    "255",
    "256",
    "65536",
    "4294967295",
    "4294967296",
    "-9223372036854775808",
    "9223372036854775807",
    "99999999999999999999",
    "true",
    "\"\"",
    "\"auto\"",
    "\"x\"",
    "[]",
    "{}",
    "[0, 0, 0]",
    "[1, 2]",
    "[nan, 0, 0]",
    "{ a = 1 }",
    "\"\\u001b[31m\"",
    "\"\\u202e\"",
    "'''",
    "=",
    "[[",
    "#",
];

/// A sequence of changes.
#[derive(Debug, Clone)]
pub struct Edits {
    /// Selects one of several inputs.
    of: u32,
    coin: bool,
    edits: Vec<(Kind, u32, u32)>,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    /// Replaces a number or word.
    Replace,
    /// Deletes the line or some bytes.
    Delete,
    /// Repeats them.
    Repeat,
    /// Swaps two lines, or changes a byte.
    Swap,
    /// Cuts off everything that follows.
    Cut,
}

pub fn any() -> impl Strategy<Value = Edits> {
    let kind = prop_oneof![
        8 => Just(Kind::Replace),
        2 => Just(Kind::Delete),
        2 => Just(Kind::Repeat),
        2 => Just(Kind::Swap),
        1 => Just(Kind::Cut),
    ];
    let edit = (kind, any_u32(), any_u32());
    (any_u32(), proptest::bool::ANY, proptest::collection::vec(edit, 1..5))
        .prop_map(|(of, coin, edits)| Edits { of, coin, edits })
}

fn any_u32() -> impl Strategy<Value = u32> {
    proptest::num::u32::ANY
}

impl Edits {
    /// Returns one of the inputs.
    pub fn pick<'a, T>(&self, of: &'a [T]) -> &'a T {
        &of[self.of as usize % of.len()]
    }

    /// Chooses one of two ways.
    pub fn coin(&self) -> bool {
        self.coin
    }

    /// Returns a text with words, numbers and lines changed; comments stay, since the program ignores them.
    pub fn words(&self, text: &str) -> String {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for &(kind, at, what) in &self.edits {
            let spoken: Vec<usize> = (0..lines.len()).filter(|&l| !is_comment(&lines[l])).collect();
            let Some(&line) = spoken.get(at as usize % spoken.len().max(1)) else { break };
            match kind {
                Kind::Replace => lines[line] = replaced(&lines[line], what),
                Kind::Delete => {
                    lines.remove(line);
                }
                Kind::Repeat => lines.insert(line, lines[line].clone()),
                Kind::Swap => lines.swap(line, spoken[what as usize % spoken.len()]),
                Kind::Cut => lines.truncate(line + 1),
            }
        }
        lines.join("\n") + "\n"
    }

    /// Returns bytes that are changed, deleted, repeated and cut off.
    pub fn bytes(&self, content: &[u8]) -> Vec<u8> {
        let mut content = content.to_vec();
        for &(kind, at, what) in &self.edits {
            if content.is_empty() {
                break;
            }
            let first = at as usize % content.len();
            let end = (first + 1 + what as usize % 64).min(content.len());
            match kind {
                Kind::Replace => content[first] = what as u8,
                Kind::Swap => content[first] ^= 1 << (what % 8),
                Kind::Delete => {
                    content.drain(first..end);
                }
                Kind::Repeat => {
                    let part = content[first..end].to_vec();
                    content.splice(first..first, part);
                }
                Kind::Cut => content.truncate(first),
            }
        }
        content
    }
}

fn is_comment(line: &str) -> bool {
    line.trim().is_empty() || line.trim_start().starts_with('#')
}

/// Returns the line with one of its words or numbers replaced.
fn replaced(line: &str, what: u32) -> String {
    let of_word = |c: char| c.is_alphanumeric() || "_.-+\"".contains(c);
    let mut words = Vec::new();
    let mut start = None;
    for (i, c) in line.char_indices().chain([(line.len(), ' ')]) {
        match (start, of_word(c)) {
            (None, true) => start = Some(i),
            (Some(first), false) => {
                words.push(first..i);
                start = None;
            }
            _ => {}
        }
    }
    let Some(word) = words.get((what >> 8) as usize % words.len().max(1)) else { return line.to_owned() };
    format!("{}{}{}", &line[..word.start], ODD[what as usize % ODD.len()], &line[word.end..])
}
