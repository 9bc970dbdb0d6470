//! Records the running function of a library before each call, so that a call that never returns can be named.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use tuff_material_sdk::{Moduli, Projection, TensorPoint, TensorResponse, TensorUpdate};
use tuff_plugin::{Model, PrepareError};

use super::findings::Part;

/// Length of a record \[bytes\]; longer ones are truncated.
const LENGTH: usize = 1024;

/// Record of the running call.
#[derive(Debug)]
pub struct Journal {
    file: File,
    text: String,
    calls: u64,
}

/// The running call, as the watching process reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Number of calls so far; if it stops growing, a call hangs.
    pub calls: u64,
    /// Part that the call belongs to; work on a device takes longer.
    pub part: Part,
    /// The function and its arguments.
    pub call: String,
}

impl Journal {
    /// Creates a journal in a new file.
    ///
    /// # Errors
    /// The file cannot be created.
    pub fn create(path: &Path) -> std::io::Result<Self> {
        Ok(Self { file: File::create(path)?, text: String::new(), calls: 0 })
    }

    /// Records a call; `describe` writes the function and its arguments. On a full disk only the name is lost.
    fn note(&mut self, part: Part, describe: impl FnOnce(&mut String)) {
        self.calls += 1;
        self.text.clear();
        let _ = write!(self.text, "{} {} ", self.calls, part.name());
        describe(&mut self.text);
        let mut end = self.text.len().min(LENGTH);
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        self.text.truncate(end);
        self.text.extend(std::iter::repeat_n(' ', LENGTH - end));
        let _ = self.file.seek(SeekFrom::Start(0)).and_then(|_| self.file.write_all(self.text.as_bytes()));
    }
}

impl Record {
    /// Reads the record of a journal; none before the first call.
    pub fn read(path: &Path) -> Option<Self> {
        let text = String::from_utf8_lossy(&std::fs::read(path).ok()?).into_owned();
        let mut parts = text.trim_end().splitn(3, ' ');
        let (calls, part, call) = (parts.next()?, parts.next()?, parts.next()?);
        Some(Self { calls: calls.parse().ok()?, part: Part::named(part)?, call: call.to_owned() })
    }
}

/// A model whose calls are recorded.
#[derive(Debug)]
pub struct Watched<'a> {
    /// The model itself.
    pub model: &'a Model,
    journal: &'a RefCell<Journal>,
}

/// Records work that is not a call of a model's function.
pub fn note(journal: &RefCell<Journal>, part: Part, what: &str) {
    journal.borrow_mut().note(part, |text| text.push_str(what));
}

impl<'a> Watched<'a> {
    /// Records the calls of `model`.
    pub fn new(model: &'a Model, journal: &'a RefCell<Journal>) -> Self {
        Self { model, journal }
    }

    /// Records work with the model that is not a single call.
    pub fn note(&self, part: Part, what: &str) {
        note(self.journal, part, what);
    }

    /// As [`Model::prepare`].
    pub fn prepare(&self, values: &[f64]) -> Result<Vec<f64>, PrepareError> {
        self.journal.borrow_mut().note(Part::Library, |text| {
            let _ = write!(text, "prepare (and the functions at rest) with {values:?}");
        });
        self.model.prepare(values)
    }

    /// As [`Model::project`].
    pub fn project(&self, constants: &[f64], state: &[f64; 4], dt: f64, hencky: [f64; 3]) -> Projection {
        self.call("project", constants, state, dt, hencky);
        self.model.project(constants, state, dt, hencky)
    }

    /// As [`Model::energy`].
    pub fn energy(&self, constants: &[f64], state: &[f64; 4], hencky: [f64; 3]) -> f64 {
        self.call("energy", constants, state, 0.0, hencky);
        self.model.energy(constants, state, hencky)
    }

    /// As [`Model::kirchhoff`].
    pub fn kirchhoff(&self, constants: &[f64], state: &[f64; 4], hencky: [f64; 3]) -> [f64; 3] {
        self.call("kirchhoff", constants, state, 0.0, hencky);
        self.model.kirchhoff(constants, state, hencky)
    }

    /// As [`Model::stress`].
    pub fn stress<const N: usize>(
        &self,
        constants: &[f64],
        states: &[[f64; 4]],
        dt: f64,
        hencky: &[[f64; N]; 3],
    ) -> [[f64; N]; 3] {
        if let Some(state) = states.last() {
            let last = [0, 1, 2].map(|axis: usize| hencky[axis][states.len() - 1]);
            self.call("stress of a batch that ends", constants, state, dt, last);
        }
        let mut stress = [[0.0; N]; 3];
        self.model.stress(constants, states, dt, 0, hencky, &mut stress);
        stress
    }

    /// As [`Model::moduli`].
    pub fn moduli(&self, constants: &[f64], state: &[f64; 4]) -> Moduli {
        self.call("moduli", constants, state, 0.0, [0.0; 3]);
        self.model.moduli(constants, state)
    }

    /// As [`Model::stable_step`].
    pub fn stable_step(&self, constants: &[f64], density: f64, spacing: f64) -> f64 {
        self.call("stable_step", constants, &[0.0; 4], 0.0, [0.0; 3]);
        self.model.stable_step(constants, density, spacing)
    }

    /// As [`Model::respond`].
    pub fn respond(&self, point: &TensorPoint<'_>) -> TensorResponse {
        self.tensor_call("respond", point);
        self.model.respond(point)
    }

    /// As [`Model::advance`].
    pub fn advance(&self, point: &TensorPoint<'_>) -> TensorUpdate {
        self.tensor_call("advance", point);
        self.model.advance(point)
    }

    /// As [`Model::stored_energy`].
    pub fn stored_energy(&self, point: &TensorPoint<'_>) -> f64 {
        self.tensor_call("energy", point);
        self.model.stored_energy(point)
    }

    /// If the record is too short, its end is lost: the most variable arguments come first.
    fn tensor_call(&self, function: &str, point: &TensorPoint<'_>) {
        let TensorPoint { constants, state, strain, branch, deformation, dt } = point;
        self.journal.borrow_mut().note(Part::Double, |text| {
            let _ = write!(
                text,
                "{function} at hencky = {:?}, dt = {dt:?}, state = {state:?}, branch hencky = {:?}, \
                 F = {deformation:?}, axes = {:?}, branch axes = {:?}, prepared constants {constants:?}",
                strain.hencky, branch.hencky, strain.axes, branch.axes
            );
        });
    }

    fn call(&self, function: &str, constants: &[f64], state: &[f64; 4], dt: f64, hencky: [f64; 3]) {
        self.journal.borrow_mut().note(Part::Double, |text| {
            let _ = write!(
                text,
                "{function} at hencky = {hencky:?}, state = {state:?}, dt = {dt:?}, prepared constants {constants:?}"
            );
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_call_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        assert_eq!(Record::read(&path), None);
        let journal = RefCell::new(Journal::create(&path).unwrap());
        assert_eq!(Record::read(&path), None);
        note(&journal, Part::Glsl, &"é".repeat(LENGTH));
        note(&journal, Part::Double, "energy at rest");
        let expected = Record { calls: 2, part: Part::Double, call: "energy at rest".to_owned() };
        assert_eq!(Record::read(&path), Some(expected));
    }
}
