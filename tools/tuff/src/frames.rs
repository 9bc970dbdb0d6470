//! Frame ranges: `1-48`, `0001-0048`, `12`.

use std::str::FromStr;

/// An inclusive range of frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameRange {
    /// First frame.
    pub first: u32,
    /// Last frame.
    pub last: u32,
}

impl FromStr for FrameRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |part: &str| {
            let digits = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
            match part.parse::<u32>() {
                Ok(number) if digits => Ok(number),
                _ => Err(format!(
                    "`{text}` is not a frame range; write FIRST-LAST, for example 1-48 or 0001-0048"
                )),
            }
        };
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let (first, last) = (number(first)?, number(last)?);
        if first > last {
            return Err(format!("the frame range {text} is reversed; write {last}-{first}"));
        }
        Ok(Self { first, last })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_inclusive_and_may_be_padded() {
        for (text, first, last) in [("1-48", 1, 48), ("0001-0048", 1, 48), ("7", 7, 7), ("0-0", 0, 0)] {
            assert_eq!(text.parse(), Ok(FrameRange { first, last }), "{text}");
        }
    }

    #[test]
    fn a_wrong_range_says_how_to_write_it() {
        let reversed = "48-1".parse::<FrameRange>().unwrap_err();
        assert!(reversed.contains("reversed") && reversed.contains("1-48"), "{reversed}");
        for text in ["", "-", "1-", "-5", "a-b", "1-2-3", "+1-2", "1..3", "99999999999-1"] {
            let error = text.parse::<FrameRange>().unwrap_err();
            assert!(error.contains("FIRST-LAST"), "{text}: {error}");
        }
    }
}
