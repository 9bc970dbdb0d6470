//! Checkpoint files: the complete state of a run between two frames, bit for bit.
//!
//! Layout, little-endian: `TUFFCKPT`, format version (u32), header length in bytes (u32), XXH3 of the header (u64), the header as JSON
//! (identity of the run, and a table of blocks), then the blocks, each an LZ4 frame. Arrays are stored as four byte planes,
//! lowest byte first, because the upper bytes of neighboring values resemble each other and compress well.

use std::io::{self, Read, Write};

use lz4_flex::frame::{FrameDecoder, FrameEncoder};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tuff_problem::{Column, Counters, SolverState, StepControl};
use xxhash_rust::xxh3::xxh3_64;

use crate::simulation::RunState;

const MAGIC: &[u8; 8] = b"TUFFCKPT";

/// Format version that this code writes and reads.
const FORMAT: u32 = 5;

/// A saved run: its state and what it simulates.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    /// Identity of the run as a JSON object, compared by [`differences`](crate::differences).
    pub identity: Value,
    /// The state.
    pub state: RunState,
}

/// Reasons why a checkpoint cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The file is not a checkpoint.
    #[error("it is not a Tuff checkpoint")]
    Foreign,
    /// The file has another format version.
    #[error(
        "it has format {0}, and this version of Tuff reads format {FORMAT}: resume with the version that wrote it"
    )]
    Version(u32),
    /// The file is incomplete or altered.
    #[error("it is damaged: {0}")]
    Damaged(String),
}

#[derive(Serialize, Deserialize)]
struct Header {
    identity: Value,
    blocks: Vec<Block>,
}

#[derive(Serialize, Deserialize)]
struct Block {
    name: String,
    /// Compressed size [bytes] and XXH3 of the compressed bytes.
    bytes: u64,
    hash: u64,
}

/// State of the driver; the first block.
#[derive(Serialize, Deserialize)]
struct Pace {
    frame: u32,
    max_substep: f64,
    steps: Option<StepControl>,
    last_frame: Option<Counters>,
}

const PACE: &str = "pace";

impl Checkpoint {
    /// Writes the file.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let RunState { frame, max_substep, steps, last_frame, solver } = &self.state;
        let pace =
            Pace { frame: *frame, max_substep: *max_substep, steps: steps.clone(), last_frame: *last_frame };
        let pace = postcard::to_stdvec(&pace).map_err(io::Error::other)?;
        let mut packed = vec![(PACE, pack(&pace)?)];
        for column in &solver.columns {
            packed.push((&column.name, pack(&planes(&column.words))?));
        }
        let block = |(name, content): &(&str, Vec<u8>)| Block {
            name: (*name).to_owned(),
            bytes: content.len() as u64,
            hash: xxh3_64(content),
        };
        let header = Header { identity: self.identity.clone(), blocks: packed.iter().map(block).collect() };
        let header = serde_json::to_vec(&header)?;
        let length = u32::try_from(header.len()).map_err(io::Error::other)?;
        out.write_all(MAGIC)?;
        out.write_all(&FORMAT.to_le_bytes())?;
        out.write_all(&length.to_le_bytes())?;
        out.write_all(&xxh3_64(&header).to_le_bytes())?;
        out.write_all(&header)?;
        packed.iter().try_for_each(|(_, content)| out.write_all(content))
    }

    /// Parses the contents of a checkpoint file.
    ///
    /// # Errors
    /// [`CheckpointError`].
    pub fn read(file: &[u8]) -> Result<Self, CheckpointError> {
        let (header, mut rest) = read_header(file)?;
        let mut contents = Vec::new();
        for Block { name, bytes, hash } in &header.blocks {
            let length = usize::try_from(*bytes).ok().filter(|&length| length <= rest.len());
            let length = length.ok_or_else(|| damaged(format!("it ends within `{name}`")))?;
            let (packed, after) = rest.split_at(length);
            rest = after;
            if xxh3_64(packed) != *hash {
                return Err(damaged(format!("the checksum of `{name}` does not match")));
            }
            let mut content = Vec::new();
            let unpacked = FrameDecoder::new(packed).read_to_end(&mut content);
            unpacked.map_err(|error| damaged(format!("`{name}`: {error}")))?;
            contents.push((name, content));
        }
        if !rest.is_empty() {
            return Err(damaged(format!("{} bytes follow the last block", rest.len())));
        }
        let mut contents = contents.into_iter();
        let pace = contents.next().filter(|(name, _)| *name == PACE);
        let pace = pace.and_then(|(_, content)| postcard::from_bytes(&content).ok());
        let pace: Pace = pace.ok_or_else(|| damaged("its step control cannot be read".to_owned()))?;
        let columns = contents.map(|(name, content)| match words(&content) {
            Some(words) => Ok(Column { name: name.clone(), words }),
            None => Err(damaged(format!("`{name}` ends within a word"))),
        });
        let Pace { frame, max_substep, steps, last_frame } = pace;
        let solver = SolverState { columns: columns.collect::<Result<_, _>>()? };
        Ok(Self {
            identity: header.identity,
            state: RunState { frame, max_substep, steps, last_frame, solver },
        })
    }
}

fn damaged(what: String) -> CheckpointError {
    CheckpointError::Damaged(what)
}

/// Splits a file into its header and the blocks.
fn read_header(file: &[u8]) -> Result<(Header, &[u8]), CheckpointError> {
    let rest = file.strip_prefix(MAGIC).ok_or(CheckpointError::Foreign)?;
    let ends = || damaged("it ends within its header".to_owned());
    let (format, rest) = rest.split_first_chunk().ok_or_else(ends)?;
    let format = u32::from_le_bytes(*format);
    if format != FORMAT {
        return Err(CheckpointError::Version(format));
    }
    let (length, rest) = rest.split_first_chunk().ok_or_else(ends)?;
    let (hash, rest) = rest.split_first_chunk().ok_or_else(ends)?;
    let (header, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or_else(ends)?;
    if xxh3_64(header) != u64::from_le_bytes(*hash) {
        return Err(damaged("the checksum of its header does not match".to_owned()));
    }
    let header = serde_json::from_slice(header).map_err(|error| damaged(error.to_string()))?;
    Ok((header, rest))
}

fn pack(content: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = FrameEncoder::new(Vec::new());
    encoder.write_all(content)?;
    Ok(encoder.finish()?)
}

/// Splits words into four byte planes.
fn planes(words: &[u32]) -> Vec<u8> {
    (0..4).flat_map(|byte| words.iter().map(move |word| word.to_le_bytes()[byte])).collect()
}

/// Inverse of [`planes`].
fn words(planes: &[u8]) -> Option<Vec<u32>> {
    let count = planes.len() / 4;
    let word = |i: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| planes[byte * count + i]));
    (planes.len() == 4 * count).then(|| (0..count).map(word).collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    fn checkpoint() -> Checkpoint {
        let words = (0..1000_u32).map(|i| (i as f32 * 0.1 - 7.0).to_bits()).collect();
        let columns = vec![Column::new("position", words), Column::new("empty", Vec::new())];
        let counters = Counters { isolated: 3, ..Counters::default() };
        Checkpoint {
            identity: serde_json::json!({ "device": "none", "scene": { "name": "sand" } }),
            state: RunState {
                frame: 12,
                max_substep: 1.0 / 3.0,
                steps: None,
                last_frame: Some(counters),
                solver: SolverState { columns },
            },
        }
    }

    fn written() -> Vec<u8> {
        let mut file = Vec::new();
        checkpoint().write(&mut file).unwrap();
        file
    }

    #[test]
    fn what_is_written_is_read() {
        assert_eq!(Checkpoint::read(&written()), Ok(checkpoint()));
    }

    /// Flips a bit of every byte, and cuts the file at every length.
    #[test]
    fn no_damaged_file_is_read() {
        let file = written();
        for at in 0..file.len() {
            let mut bad = file.clone();
            bad[at] ^= 1 << (at % 8);
            assert!(Checkpoint::read(&bad).is_err(), "byte {at}");
            assert!(Checkpoint::read(&file[..at]).is_err(), "{at} bytes");
        }
        let longer = [&file[..], b"x"].concat();
        assert!(matches!(Checkpoint::read(&longer), Err(CheckpointError::Damaged(_))));
    }

    #[test]
    fn what_is_none_and_what_is_newer_are_told_apart() {
        assert_eq!(Checkpoint::read(b"ply\nformat"), Err(CheckpointError::Foreign));
        assert_eq!(Checkpoint::read(b""), Err(CheckpointError::Foreign));
        let mut newer = written();
        newer[8] = 9;
        assert_eq!(Checkpoint::read(&newer), Err(CheckpointError::Version(9)));
    }

    /// Covers bit patterns that are not numbers.
    #[test]
    fn words_come_back_from_planes() {
        let all = [0, 1, 0xff00_00ff, u32::MAX, f32::NAN.to_bits(), 0x0102_0304];
        assert_eq!(words(&planes(&all)), Some(all.to_vec()));
        assert_eq!(words(&[0; 5]), None);
    }
}
