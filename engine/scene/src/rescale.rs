//! The same scene at another resolution.

use crate::error::{Diagnostic, SceneError};
use crate::scene::Scene;

impl Scene {
    /// The scene with the kernel radius and all spacings scaled by one factor, so that it samples to
    /// about `particle_count` particles.
    ///
    /// # Errors
    /// Bodies whose positions come from a file, or a count that cannot be reached.
    pub fn rescaled(&self, particle_count: u64) -> Result<Scene, SceneError> {
        let _ = particle_count;
        Err(Diagnostic::new("not built").into())
    }
}
