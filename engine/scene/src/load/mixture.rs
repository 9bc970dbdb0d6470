//! The tables `mixture`.

use super::{keys, material};
use crate::decode::{Field, Limits, Table};
use crate::mixture::Mixture;
use crate::scene::{Matter, SolverSettings};

/// Diameters beyond which a bed of grains is no porous medium, or its drag is no number.
const DIAMETER: (f64, f64) = (1e-7, 1.0);

/// Reads the mixtures; `None` after a fault.
pub(super) fn mixtures(
    root: &Table<'_>,
    materials: &[material::Read],
    solver: Option<&SolverSettings>,
) -> Option<Vec<Mixture>> {
    let mut found: Vec<Option<Mixture>> = Vec::new();
    for table in root.tables("mixture", keys::MIXTURE) {
        if solver.is_some_and(|settings| settings.matter != Matter::Continuum) {
            let message = "`solver.matter` = \"grains\" does not support mixtures".to_owned();
            table.context.fault(table.at, message, "mixtures need a continuum, the default", None);
        }
        let read = mixture(&table, materials);
        let same = |other: &Mixture| {
            read.as_ref().is_some_and(|m| (m.fluid, m.grains) == (other.fluid, other.grains))
        };
        if found.iter().flatten().any(same) {
            let message = format!("`{}`: these two materials have a mixture already", table.path);
            table.context.fault(table.at, message, "one `[[mixture]]` for each pair", None);
        }
        let other =
            |m: &Mixture| read.as_ref().is_some_and(|r| r.grains == m.grains && r.porosity != m.porosity);
        if let (Some(field), Some(m)) = (table.get("porosity"), found.iter().flatten().find(|m| other(m))) {
            let message = format!("`{}` differs from that of another mixture of the same grains", field.path);
            field.fault(message, format!("{}, as there", m.porosity), None);
        }
        found.push(read);
    }
    found.into_iter().collect()
}

fn mixture(table: &Table<'_>, materials: &[material::Read]) -> Option<Mixture> {
    let material = |key: &str, meaning: &str| {
        let field = table.require(key, meaning)?;
        let name = field.string()?;
        let index = materials.iter().position(|read| read.name == name);
        if index.is_none() {
            field.unknown_word(name, materials.iter().map(|read| read.name.as_str()));
        }
        index
    };
    let fluid = material("fluid", "name of the fluid's material");
    let grains = material("grains", "name of the grains' material");
    let diameter = Limits::between(DIAMETER.0, DIAMETER.1, "m");
    let number =
        |key: &str, meaning: &str, limits| table.require(key, meaning).and_then(|f| f.number(limits));
    let grain_diameter =
        number("grain_diameter", "diameter of the grains, which sets the drag [m]", diameter);
    let fraction = Limits::between(0.01, 0.99, "");
    let porosity = number("porosity", "fraction of the grains' volume that is pores, e.g. 0.4", fraction);
    let cohesion = match table.get("cohesion") {
        Some(field) => curve(&field)?,
        None => Vec::new(),
    };
    Some(Mixture {
        fluid: fluid?,
        grains: grains?,
        grain_diameter: grain_diameter?,
        porosity: porosity?,
        cohesion,
    })
}

/// Reads points [saturation, cohesion].
fn curve(field: &Field<'_>) -> Option<Vec<[f64; 2]>> {
    let mut points: Vec<[f64; 2]> = Vec::new();
    for point in field.array()? {
        let pair = point.array()?;
        let [saturation, cohesion] = &pair[..] else {
            let message = format!("`{}` has {} numbers, not 2", point.path, pair.len());
            point.fault(message, "expected [saturation, cohesion in Pa]", None);
            return None;
        };
        let saturation = saturation.number(Limits::between(0.0, 1.0, ""))?;
        let cohesion = cohesion.number(Limits::between(0.0, 1e9, "Pa"))?;
        if points.last().is_some_and(|last| last[0] >= saturation) {
            let message =
                format!("`{}`: saturation {saturation} does not exceed that of the point before", point.path);
            point.fault(message, "saturations ascend from 0 to 1", None);
            return None;
        }
        points.push([saturation, cohesion]);
    }
    if points.is_empty() {
        field.fault(
            format!("`{}` is empty", field.path),
            "[[saturation, cohesion in Pa], ...], or leave it out",
            None,
        );
        return None;
    }
    Some(points)
}
