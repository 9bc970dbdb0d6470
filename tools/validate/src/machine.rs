//! The device of a trial: a Vulkan device or the processor.

use glam::{DMat3, DVec3};
use tuff_gpu::DeviceKind;
use tuff_problem::profile::SubstepProfile;
use tuff_problem::{Control, FrameReport, Problem, SimulationError};
use tuff_reference::tensor::from_voigt;
use tuff_run::{CpuSimulation, GpuSimulation, Simulation};
use tuff_solver::List;
use tuff_solver::attributes::{
    COMMITTED_IDENTITY, COMMITTED_MEMORY, COMMITTED_STRAIN_SHEAR, COMMITTED_VELOCITY, IDENTITY,
    NEIGHBOR_RANGE, PAIR,
};

use crate::CardError;

/// A simulation of which cards see and set more than its frames.
pub enum Machine {
    /// On a Vulkan device.
    Vulkan(Box<GpuSimulation>),
    /// On the processor.
    Cpu(Box<CpuSimulation>),
}

/// Calls a method of either simulation.
macro_rules! either {
    ($machine:expr, $simulation:ident => $call:expr) => {
        match $machine {
            Machine::Vulkan($simulation) => $call,
            Machine::Cpu($simulation) => $call,
        }
    };
}

impl Machine {
    /// Returns the simulation.
    pub fn simulation(&mut self) -> &mut dyn Simulation {
        either!(self, simulation => &mut **simulation)
    }

    /// Sets whether the last substep of a frame computes the residuals.
    pub fn set_measured(&mut self, measured: bool) {
        either!(self, simulation => simulation.set_measured(measured));
    }

    /// As `Run::advance_substeps_from`.
    pub(crate) fn advance_substeps_from(
        &mut self,
        first: u32,
        count: u32,
    ) -> Result<FrameReport, SimulationError> {
        either!(self, simulation => simulation.advance_substeps_from(first, count, &Control::default()))
    }

    /// As `Run::advance_span`.
    pub(crate) fn advance_span(
        &mut self,
        problem: &Problem,
        start: f64,
        seconds: f64,
    ) -> Result<FrameReport, SimulationError> {
        either!(self, simulation => simulation.advance_span(problem, start, seconds, &Control::default()))
    }

    /// Profiles `count` substeps.
    ///
    /// # Errors
    /// The simulation fails.
    pub fn profile(&mut self, count: u32) -> Result<Vec<SubstepProfile>, SimulationError> {
        either!(self, simulation => simulation.profile_substeps(0, count, false, &Control::default()))
    }

    /// Returns the simulation on a Vulkan device, for cards that read its buffers; these are not judged with default settings.
    fn vulkan(&self) -> Result<&GpuSimulation, CardError> {
        match self {
            Machine::Vulkan(gpu) => Ok(gpu),
            Machine::Cpu(_) => Err(CardError("the card reads buffers of a Vulkan device".to_owned())),
        }
    }

    /// Returns true on a GPU.
    pub fn is_gpu(&self) -> bool {
        match self {
            Machine::Vulkan(gpu) => gpu.solver().device().info().kind != DeviceKind::Cpu,
            Machine::Cpu(_) => false,
        }
    }

    /// Returns the displacements that the memory of the particles stores [m], in no particular order.
    ///
    /// # Errors
    /// The device fails.
    pub fn memory(&self, count: usize) -> Result<Vec<DVec3>, CardError> {
        let words: Vec<[f32; 4]> = self.vulkan()?.solver().store().download(COMMITTED_MEMORY, count)?;
        Ok(words.iter().map(vector).collect())
    }

    /// Replaces the velocities between two substeps; `velocity` maps an id and its velocity [m/s] to a new one.
    ///
    /// # Errors
    /// The device fails.
    pub fn set_velocities(
        &mut self,
        count: usize,
        velocity: impl Fn(usize, DVec3) -> DVec3,
    ) -> Result<(), CardError> {
        match self {
            Machine::Vulkan(gpu) => {
                let identity: Vec<[u32; 4]> = gpu.solver().store().download(COMMITTED_IDENTITY, count)?;
                let mut rows: Vec<[f32; 4]> = gpu.solver().store().download(COMMITTED_VELOCITY, count)?;
                for (row, id) in rows.iter_mut().zip(&identity) {
                    let v = velocity(id[0] as usize, vector(row));
                    *row = [v.x as f32, v.y as f32, v.z as f32, row[3]];
                }
                gpu.solver_mut().store_mut().upload(COMMITTED_VELOCITY, &rows)?;
            }
            Machine::Cpu(cpu) => {
                let state = cpu.solver_mut().state_mut();
                for (v, &id) in state.velocity.iter_mut().zip(&state.id) {
                    *v = velocity(id as usize, *v);
                }
            }
        }
        Ok(())
    }

    /// Sets the shear components (yz, xz, xy) of the elastic strains at the start, by id [dimensionless].
    ///
    /// # Errors
    /// The device fails.
    pub fn set_shear_strains(&mut self, shear: &[DVec3]) -> Result<(), CardError> {
        match self {
            Machine::Vulkan(gpu) => {
                let rows: Vec<[f32; 4]> = shear.iter().map(|e| e.as_vec3().extend(0.0).to_array()).collect();
                gpu.solver_mut().store_mut().upload(COMMITTED_STRAIN_SHEAR, &rows)?;
            }
            Machine::Cpu(cpu) => {
                let state = cpu.solver_mut().state_mut();
                state.strain = shear.iter().map(|e| from_voigt([0.0, 0.0, 0.0, e.x, e.y, e.z])).collect();
            }
        }
        Ok(())
    }

    /// Returns the gradients of a field by the pairs of the last substep, evaluated in f64, by id; `field` maps an id to its value.
    ///
    /// # Errors
    /// The device fails.
    pub fn gradients(&self, count: usize, field: impl Fn(usize) -> DVec3) -> Result<Vec<DMat3>, CardError> {
        let mut gradients = vec![DMat3::ZERO; count];
        let store = self.vulkan()?.solver().store();
        let identity: Vec<[u32; 4]> = store.download(IDENTITY, count)?;
        let ranges: Vec<[u32; 2]> = store.download(NEIGHBOR_RANGE, count)?;
        let lists: Vec<List> = ranges.into_iter().map(List::from).collect();
        let records: Vec<[u32; 4]> = store.download(PAIR, List::extent(&lists))?;
        let id = |row: usize| identity[row][0] as usize;
        for p in 0..count {
            for record in lists[p].records().map(|i| &records[i]) {
                let g = DVec3::from([1, 2, 3].map(|k| f64::from(f32::from_bits(record[k]))));
                let jump = field(id((record[0] & 0xff_ffff) as usize)) - field(id(p));
                gradients[id(p)] += DMat3::from_cols(jump * g.x, jump * g.y, jump * g.z);
            }
        }
        Ok(gradients)
    }

    /// Returns the name of the device.
    pub fn name(&self) -> String {
        either!(self, simulation => simulation.device_name())
    }
}

fn vector(words: &[f32; 4]) -> DVec3 {
    DVec3::new(words[0].into(), words[1].into(), words[2].into())
}
