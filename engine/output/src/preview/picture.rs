//! A finished picture and its file format.

use std::io::{self, Write};
use std::path::Path;

use png::{BitDepth, ColorType, Compression, Encoder, EncodingError};

use crate::atomic;
use crate::error::OutputError;

/// An 8-bit sRGB picture, rows from the top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Width [pixels].
    pub width: u32,
    /// Height [pixels].
    pub height: u32,
    /// Red, green and blue of every pixel, shape [height, width, 3].
    pub rgb: Vec<u8>,
}

impl Picture {
    /// Encodes the picture as a PNG file.
    ///
    /// # Errors
    /// The encoder rejects the size.
    pub fn png(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let encode = |bytes: &mut Vec<u8>| -> Result<(), EncodingError> {
            let mut encoder = Encoder::new(bytes, self.width, self.height);
            encoder.set_color(ColorType::Rgb);
            encoder.set_depth(BitDepth::Eight);
            encoder.set_compression(Compression::Balanced);
            let mut writer = encoder.write_header()?;
            writer.write_image_data(&self.rgb)?;
            writer.finish()
        };
        encode(&mut bytes).map_err(|error| match error {
            EncodingError::IoError(error) => error,
            other => io::Error::other(other),
        })?;
        Ok(bytes)
    }

    /// Writes the picture as a PNG file, which appears complete or not at all.
    ///
    /// # Errors
    /// [`OutputError::Write`].
    pub fn save(&self, path: &Path) -> Result<(), OutputError> {
        atomic::write_file(path, |out| self.write_png(out))
    }

    /// Encodes before writing anything: the encoder flushes in its destructor, where an error would be lost.
    pub(crate) fn write_png(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&self.png()?)
    }
}
