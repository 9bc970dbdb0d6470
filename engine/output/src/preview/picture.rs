//! A finished picture and its file format.

use std::io::{self, Write};
use std::path::Path;

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder, ImageError};

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
        PngEncoder::new_with_quality(&mut bytes, CompressionType::Default, FilterType::Adaptive)
            .write_image(&self.rgb, self.width, self.height, ExtendedColorType::Rgb8)
            .map_err(|error| match error {
                ImageError::IoError(error) => error,
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
