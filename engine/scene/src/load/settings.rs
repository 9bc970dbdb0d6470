//! The tables `scene`, `time` and `solver`.

use glam::DVec3;

use super::keys;
use crate::decode::{Limits, Table};
use crate::scene::{
    Given, Gradient, Matter, Multiplier, Plasticity, PositionCorrection, Scheme, Smoothing, SolverSettings,
    Time, Up,
};

/// Most substeps in a frame; more is surely a slip of units.
const MAX_SUBSTEPS: f64 = 1e6;
/// Standard acceleration of the default gravity [m/s^2].
const GRAVITY: f64 = 9.81;

pub(super) struct Header {
    pub name: String,
    pub up: Up,
    pub gravity: DVec3,
}

pub(super) fn header(root: &Table<'_>) -> Option<Header> {
    let table = root.require("scene", "a table with `name`")?.table(keys::SCENE)?;
    let up = table.choice_or("up", &[("y", Up::Y), ("z", Up::Z)], Up::Y);
    let down = match up {
        Up::Y => DVec3::NEG_Y,
        Up::Z => DVec3::NEG_Z,
    };
    let gravity = table.vector_or("gravity", "m/s^2", down * GRAVITY);
    let field = table.require("name", "letters a-z, digits and `_`; it names the output files")?;
    let name = field.string()?;
    if let Some(bad) = name.chars().find(|c| !matches!(c, 'a'..='z' | '0'..='9' | '_')) {
        let message = format!("`scene.name` = \"{name}\" has a character that file names avoid: `{bad}`");
        field.fault(message, "must be made of a-z, 0-9 and `_`", None);
        return None;
    }
    Some(Header { name: name.to_owned(), up, gravity })
}

pub(super) fn time(root: &Table<'_>) -> Option<Time> {
    let table = root.require("time", "a table with `frames`")?.table(keys::TIME)?;
    let frame_rate = table.number_or("frame_rate", Limits { max: 1e6, ..Limits::positive("1/s") }, 24.0);
    let max_substep = table.number_or("max_substep", Limits::positive("s"), 1e-4);
    let smallest = 1.0 / frame_rate / MAX_SUBSTEPS;
    if let Some(field) = table.get("max_substep").filter(|_| max_substep < smallest) {
        let message = format!("`time.max_substep` = {} is far too small", field.node.shown());
        field.fault(message, format!("a frame has at most 1e6 substeps: at least {smallest:e} [s]"), None);
    }
    let field = table.require("frames", "first and last frame, e.g. `frames = [1, 48]`")?;
    let elements = field.array()?;
    let [first, last] = elements.as_slice() else {
        let message = format!("`time.frames` has {} elements, not 2", elements.len());
        field.fault(message, "expected the first and the last frame, e.g. `[1, 48]`", None);
        return None;
    };
    let (first, last) = (first.integer(0, 999_999), last.integer(0, 999_999));
    let (first_frame, last_frame) = (first? as u32, last? as u32);
    if first_frame > last_frame {
        let message = format!("`time.frames` = [{first_frame}, {last_frame}] runs backward");
        let help = format!("write `frames = [{last_frame}, {first_frame}]`");
        field.fault(message, "the first frame must not come after the last", Some(help));
        return None;
    }
    Some(Time { frame_rate, first_frame, last_frame, max_substep })
}

pub(super) fn solver(root: &Table<'_>) -> Option<SolverSettings> {
    let table = root.require("solver", "a table with `kernel_radius`")?.table(keys::SOLVER)?;
    let kernel_radius = table
        .require("kernel_radius", "r [m], about the spacing of the particles")
        .and_then(|f| f.number(Limits::positive("m")));
    let plasticity = [("implicit", Plasticity::Implicit), ("semi_implicit", Plasticity::SemiImplicit)];
    let gradient = [("kirchhoff", Gradient::Kirchhoff), ("literal", Gradient::Literal)];
    let multiplier = [("scalar", Multiplier::Scalar), ("tensor", Multiplier::Tensor)];
    let scheme = table.choice_or("scheme", &Scheme::ALL.map(|s| (s.name(), s)), Scheme::GaussSeidel);
    let (iterations, residual_tolerance) = scheme.defaults();
    Some(SolverSettings {
        matter: matter(&table),
        iterations: table.get("iterations").and_then(|f| f.integer(1, 100_000)).unwrap_or(iterations.into())
            as u32,
        scheme,
        plasticity: table.choice_or("plasticity", &plasticity, Plasticity::Implicit),
        gradient: table.choice_or("gradient", &gradient, Gradient::Kirchhoff),
        multiplier: table.choice_or("multiplier", &multiplier, Multiplier::Scalar),
        kernel_correction: table.boolean_or("kernel_correction", true),
        residual_tolerance: table.number_or(
            "residual_tolerance",
            Limits { max_exclusive: true, ..Limits::between(0.0, 1.0, "") },
            residual_tolerance,
        ),
        smoothing: smoothing(&table),
        stabilization: table.number_or("stabilization", Limits::between(0.0, 100.0, ""), 2.0),
        position_correction: position_correction(&table),
        given: Given {
            iterations: table.get("iterations").is_some(),
            residual_tolerance: table.get("residual_tolerance").is_some(),
        },
        kernel_radius: kernel_radius?,
    })
}

/// Settings that grains have no use for.
const OF_A_CONTINUUM: [&str; 8] = [
    "scheme",
    "plasticity",
    "gradient",
    "multiplier",
    "kernel_correction",
    "residual_tolerance",
    "stabilization",
    "position_correction",
];

fn matter(table: &Table<'_>) -> Matter {
    let friction = table.number_or("grain_friction", Limits::between(0.0, 1e6, ""), 0.5);
    let kinds = [("continuum", Matter::Continuum), ("grains", Matter::Grains { friction })];
    let matter = table.choice_or("matter", &kinds, Matter::Continuum);
    match (matter, table.get("matter"), table.get("grain_friction")) {
        (Matter::Continuum, _, Some(friction)) => {
            let message = "`solver.grain_friction` belongs to `solver.matter` = \"grains\"";
            friction.fault(message, "remove it, or set `matter = \"grains\"`", None);
        }
        (Matter::Grains { .. }, Some(field), _) => {
            let unused: Vec<String> = (OF_A_CONTINUUM.iter().filter(|key| table.get(key).is_some()))
                .map(|key| format!(", `solver.{key}`"))
                .collect();
            let message = format!(
                "`solver.matter` = \"grains\": particles are spheres with friction; not used are the models and parameters of \
                 materials except `density`{}",
                unused.concat()
            );
            table.context.warn(&field.node.at, message, "for comparison; \"continuum\" is the default");
        }
        _ => {}
    }
    matter
}

fn smoothing(table: &Table<'_>) -> Smoothing {
    match (table.get("xsph"), table.get("viscosity")) {
        (Some(_), Some(viscosity)) => {
            let message = "`solver.xsph` and `solver.viscosity` exclude each other";
            viscosity.fault(message, "give one of the two", None);
            Smoothing::Xsph(0.0)
        }
        (None, Some(viscosity)) => {
            Smoothing::Viscosity(viscosity.number(Limits::between(0.0, 1e6, "m^2/s")).unwrap_or(0.0))
        }
        (_, None) => Smoothing::Xsph(table.number_or("xsph", Limits::between(0.0, 1.0, ""), 0.01)),
    }
}

fn position_correction(table: &Table<'_>) -> PositionCorrection {
    const DEFAULT_GAP: f64 = 0.25;
    let default = PositionCorrection::Distance { gap: DEFAULT_GAP };
    let Some(field) = table.get("position_correction") else { return default };
    let Some(table) = field.table(keys::POSITION_CORRECTION) else { return default };
    let part = Limits { max_exclusive: true, ..Limits::between(0.0, 1.0, "") };
    let gap = table.number_or("gap", part, DEFAULT_GAP);
    let threshold = table.number_or("threshold", Limits::between(0.0, 1.0, ""), 0.0);
    let kinds = [
        ("distance", PositionCorrection::Distance { gap }),
        ("density", PositionCorrection::Density { threshold }),
        ("none", PositionCorrection::None),
    ];
    let correction = table.choice_or("kind", &kinds, PositionCorrection::Distance { gap });
    let owners = [
        ("gap", "distance", matches!(correction, PositionCorrection::Distance { .. })),
        ("threshold", "density", matches!(correction, PositionCorrection::Density { .. })),
    ];
    for (key, kind, fits) in owners {
        if let Some(field) = table.get(key).filter(|_| !fits) {
            let message = format!("`{}` belongs to kind = \"{kind}\"", field.path);
            field.fault(message, format!("remove it, or use kind = \"{kind}\""), None);
        }
    }
    correction
}
