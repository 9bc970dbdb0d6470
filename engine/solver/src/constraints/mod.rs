//! The constraints, in the order in which an iteration of sweeps solves them.
//!
//! A constraint NAME has a row here and a folder `shaders/include/constraints/NAME`. Its rows in sweeps act on velocities in stages
//! of their own, which name their twins. To the force balance of `newton_cg`, or to the force residual of sweeps, a constraint adds
//! its forces and diagonal blocks by the two functions of `forces.glsl` in its folder, where a stage defines the macro of its row; the
//! switch over constraints is generated, and the twins of these functions are in `engine/reference/src/constraints`. The inelastic
//! constraint and colliders have stages of their own there, too.

pub mod links;

use std::fmt::Write as _;

use tuff_problem::Problem;
use tuff_scene::{Matter, PositionCorrection, Scheme, SolverSettings};

use crate::stages::Stage;

/// A kind of constraint.
#[derive(Debug, Clone, Copy)]
pub struct Constraint {
    /// Name, also of its folder.
    pub name: &'static str,
    /// Returns true if a problem has something that it binds.
    pub acts: fn(&Problem) -> bool,
    /// Returns its stages in an iteration of sweeps.
    pub sweep: fn(&SolverSettings) -> &'static [Stage],
    /// Macro under which shaders add its forces; None if it has none besides those of its own stages.
    pub forces_under: Option<&'static str>,
}

/// All constraints.
pub const ALL: &[Constraint] = &[
    Constraint {
        name: "inelastic",
        acts: |problem| problem.scene.solver.matter == Matter::Continuum,
        sweep: |settings| match settings.scheme {
            Scheme::Jacobi => &[Stage::SolveInelastic, Stage::SolveTotal, Stage::ApplyChanges],
            Scheme::GaussSeidel | Scheme::NewtonCg | Scheme::Auto => {
                &[Stage::SolveInelastic, Stage::SolveTotal]
            }
        },
        forces_under: None, // newton_pass, force_residual
    },
    Constraint {
        name: "distance",
        acts: |problem| {
            let settings = &problem.scene.solver;
            settings.matter == Matter::Continuum
                && matches!(settings.position_correction, PositionCorrection::Distance { .. })
        },
        sweep: position_correction,
        forces_under: Some("NEWTON_BALANCE"),
    },
    Constraint {
        name: "density",
        acts: |problem| {
            let settings = &problem.scene.solver;
            settings.matter == Matter::Continuum
                && matches!(settings.position_correction, PositionCorrection::Density { .. })
        },
        sweep: position_correction,
        forces_under: None,
    },
    Constraint {
        name: "grains",
        acts: |problem| problem.scene.solver.matter != Matter::Continuum,
        sweep: |_| &[Stage::SolveGrains],
        forces_under: None,
    },
    Constraint {
        name: "links",
        acts: |problem| !problem.links.is_empty(),
        sweep: |_| &[Stage::SolveLinks],
        forces_under: Some("FIRST_LINKED"),
    },
    Constraint {
        name: "sheets",
        acts: |problem| !problem.sheets.is_empty(),
        sweep: |_| &[Stage::SolveSheets],
        forces_under: Some("SHEET_BALANCE"), // in a Newton solve alone
    },
    Constraint {
        name: "colliders",
        acts: |problem| !problem.faces.is_empty(),
        sweep: |_| &[Stage::SolveColliders],
        forces_under: None, // newton_sum finds their impulses from the imbalance
    },
];

/// A Gauss-Seidel sweep corrects positions together with the rows of each particle.
fn position_correction(settings: &SolverSettings) -> &'static [Stage] {
    if settings.scheme == Scheme::Jacobi { &[Stage::SolveContacts] } else { &[] }
}

/// Returns the constraints that act in a problem.
pub fn acting(problem: &Problem) -> impl Iterator<Item = &'static Constraint> {
    ALL.iter().filter(|constraint| (constraint.acts)(problem))
}

/// Returns the shader header `shaders/include/generated/constraint_forces.glsl`.
pub fn header() -> String {
    let mut text = String::from(
        "// Written from engine/solver/src/constraints; do not edit.\n\
         //\n\
         // Forces of the constraints in the force balance of a particle. The including stage defines `multiplies`: true while products\n\
         // are formed and the velocities hold the vector to multiply; and `end_velocity(p)`: the velocity of the linearization.\n",
    );
    let with_forces = || ALL.iter().filter_map(|row| Some((row.name, row.forces_under?)));
    for (name, under) in with_forces() {
        let _ = write!(text, "\n#ifdef {under}\n#include \"constraints/{name}/forces.glsl\"\n#endif\n");
    }
    let functions = [
        (
            "forces",
            "inout vec4 sum",
            "sum",
            "Adds forces times dt [N s], and in w the traces of their diagonal blocks [kg]; or products.",
        ),
        ("blocks", "inout Symmetric block", "block", "Adds diagonal blocks [kg]."),
    ];
    for (function, parameter, argument, help) in functions {
        let _ = write!(
            text,
            "\n// {help}\nvoid add_constraint_{function}(uint p, uvec2 range, {parameter}) {{\n"
        );
        for (name, under) in with_forces() {
            let _ =
                write!(text, "#ifdef {under}\n    add_{name}_{function}(p, range, {argument});\n#endif\n");
        }
        text.push_str("}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_constraint_has_a_folder_of_shaders_and_every_folder_a_constraint() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shaders/include/constraints");
        let folders: BTreeSet<String> = std::fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        let names: BTreeSet<String> = ALL.iter().map(|row| row.name.to_owned()).collect();
        assert_eq!(folders, names);
        for row in ALL {
            let forces = folder.join(row.name).join("forces.glsl").is_file();
            assert_eq!(forces, row.forces_under.is_some(), "{}", row.name);
        }
    }
}
