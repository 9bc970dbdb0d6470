//! The tables `scene`, `time` and `solver`.

use glam::DVec3;

use super::keys;
use crate::decode::{Limits, Table};
use crate::defaults;
use crate::document::{Node, Value};
use crate::scene::{
    Given, Gradient, Matter, Multiplier, Plasticity, PositionCorrection, Scheme, Smoothing, SolverSettings,
    Time, Up,
};

/// Standard acceleration of the default gravity [m/s^2].
const GRAVITY: f64 = 9.81;
/// Maximum length of a scene's name: with a frame's number and extension, file systems allow 255 characters.
const LONGEST_NAME: usize = 200;
/// Least adaptive substep unless the scene says otherwise [s].
const MIN_ADAPTIVE_SUBSTEP: f64 = 1e-5;

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
    if name.len() > LONGEST_NAME {
        let message = format!("`scene.name` has {} characters", name.len());
        field.fault(message, format!("at most {LONGEST_NAME}: frames are named after it"), None);
        return None;
    }
    Some(Header { name: name.to_owned(), up, gravity })
}

pub(super) fn time(root: &Table<'_>) -> Option<Time> {
    let table = root.require("time", "a table with `frames`")?.table(keys::TIME)?;
    let frame_rate =
        table.number_or("frame_rate", Limits { max: 1e6, ..Limits::positive("1/s") }, defaults::FRAME_RATE);
    let smallest = 1.0 / frame_rate / Time::MAX_SUBSTEPS;
    let auto = substeps_are_adaptive(root, &table);
    let substep_bounds = substep_bounds(&table, auto, 1.0 / frame_rate, smallest);
    let given = if auto { None } else { table.get("max_substep") };
    let max_substep = match substep_bounds {
        Some([_, most]) => most,
        None => given.and_then(|f| f.number(Limits::positive("s"))).unwrap_or(Time::DEFAULT_SUBSTEP),
    };
    if let Some(field) = table.get("max_substep").filter(|_| !auto && max_substep < smallest) {
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
    Some(Time { frame_rate, first_frame, last_frame, max_substep, substep_bounds })
}

/// Returns true if substeps are adaptive: because the scene says so, or leaves it open.
fn substeps_are_adaptive(root: &Table<'_>, time: &Table<'_>) -> bool {
    let Some(field) = time.get("max_substep") else {
        return time.get("substep_bounds").is_some() || substeps_can_be_adaptive(root);
    };
    let word = field.node.as_str();
    if let Some(word) = word.filter(|word| *word != "auto") {
        let message = format!("`{}` = \"{word}\" is not known", field.path);
        field.fault(message, "must be a number [s] or \"auto\"", None);
    }
    word.is_some()
}

/// Returns true if the scene names Newton solves, which have a residual to reach, or leaves the scheme open, and names nothing
/// that needs steps of equal length.
fn substeps_can_be_adaptive(root: &Table<'_>) -> bool {
    // Only scenes with nothing but ropes and cloth may leave the table out.
    let Some(solver) = root.get("solver") else { return true };
    let word = |key: &str| solver.node.get(key).and_then(|node| node.as_str());
    let given = |key: &str| solver.node.get(key).is_some();
    let few = |node: &Node| matches!(node.value, Value::Integer(n) if n < Scheme::NEWTON_PASSES.into());
    let none = |node: &Node| matches!(node.value, Value::Integer(0)) || node.value == Value::Float(0.0);
    let sweeps = match word("scheme") {
        None | Some("auto") => given("multiplier"),
        Some(name) => name != Scheme::NewtonCg.name(),
    };
    let solved = !solver.node.get("iterations").is_some_and(few)
        && !solver.node.get("residual_tolerance").is_some_and(none);
    solved && !sweeps && !given("xsph") && word("matter") != Some("grains")
}

/// Returns the least and largest adaptive substep [s].
fn substep_bounds(time: &Table<'_>, auto: bool, frame: f64, smallest: f64) -> Option<[f64; 2]> {
    let Some(field) = time.get("substep_bounds") else {
        return auto.then_some([MIN_ADAPTIVE_SUBSTEP.max(smallest).min(frame), frame]);
    };
    if !auto {
        let message = "`time.substep_bounds` is given, but `time.max_substep` is a fixed length";
        field.fault(message, "needs `max_substep = \"auto\"`", None);
        return None;
    }
    let [least, most] = field.numbers::<2>("s")?;
    if !(least >= smallest && most >= least) {
        let message = format!("`time.substep_bounds` = [{least}, {most}] is out of range");
        let label = format!("the least and the largest substep [s], each at least {smallest:e}");
        field.fault(message, label, None);
        return None;
    }
    Some([least.min(frame), most.min(frame)])
}

/// Reads the settings; `found`: substeps are adaptive.
pub(super) fn solver(root: &Table<'_>, found: bool) -> Option<SolverSettings> {
    // Ropes and cloth alone do not use kernels: the kernel radius is then their spacing.
    let of_linked = if root.get("body").is_none() { linked_spacing(root) } else { None };
    let table = match root.get("solver") {
        None if of_linked.is_some() => root.empty("solver"),
        _ => root.require("solver", "a table with `kernel_radius`")?.table(keys::SOLVER)?,
    };
    let kernel_radius = match (table.get("kernel_radius"), of_linked) {
        (None, Some(spacing)) => Some(spacing),
        _ => table
            .require("kernel_radius", "r [m], about the spacing of the particles")
            .and_then(|f| f.number(Limits::positive("m"))),
    };
    let plasticity = [("implicit", Plasticity::Implicit), ("semi_implicit", Plasticity::SemiImplicit)];
    let gradient = [("kirchhoff", Gradient::Kirchhoff), ("literal", Gradient::Literal)];
    let multiplier = [("scalar", Multiplier::Scalar), ("tensor", Multiplier::Tensor)];
    let scheme = table.choice_or("scheme", &Scheme::ALL.map(|s| (s.name(), s)), Scheme::Auto);
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
        smoothing: smoothing(&table, found),
        stabilization: table.number_or(
            "stabilization",
            Limits::between(0.0, 100.0, ""),
            defaults::STABILIZATION,
        ),
        position_correction: position_correction(&table),
        given: Given {
            iterations: table.get("iterations").is_some(),
            residual_tolerance: table.get("residual_tolerance").is_some(),
            multiplier: table.get("multiplier").is_some(),
            smoothing: table.get("xsph").or(table.get("viscosity")).is_some(),
            substep_bounds: root.get("time").is_some_and(|time| time.node.get("substep_bounds").is_some()),
        },
        kernel_radius: kernel_radius?,
    })
}

/// Returns the least spacing of ropes and of grids of cloth [m], as far as it can be read.
fn linked_spacing(root: &Table<'_>) -> Option<f64> {
    let of_table = |list: &'static str| {
        let elements = root.get(list).into_iter();
        elements.flat_map(|field| (0..).map_while(move |index| field.node.element(index)))
    };
    let of_ropes = of_table("rope").filter_map(|rope| rope.get("spacing")?.as_number());
    let of_grids = of_table("cloth").filter_map(|cloth| {
        let grid = cloth.get("grid")?;
        let side = |name: &str, index: usize| {
            let vector = grid.get(name)?;
            let squares = (0..3).map(|axis| Some(vector.element(axis)?.as_number()?.powi(2)));
            let length = squares.sum::<Option<f64>>()?.sqrt();
            Some(length / grid.get("cells")?.element(index)?.as_number()?)
        };
        Some(side("u", 0)?.min(side("v", 1)?))
    });
    Some(of_ropes.chain(of_grids).filter(|spacing| *spacing > 0.0).fold(f64::INFINITY, f64::min))
        .filter(|least| least.is_finite())
}

/// Settings that do not apply to grains.
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
    let friction = table.number_or("grain_friction", Limits::between(0.0, 1e6, ""), defaults::FRICTION);
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
                "`solver.matter` = \"grains\": particles are spheres with friction; ignored: models and parameters of materials \
                 (except `density`){}",
                unused.concat()
            );
            table.context.warn(&field.node.at, message, "for comparison; \"continuum\" is the default");
        }
        _ => {}
    }
    matter
}

fn smoothing(table: &Table<'_>, found: bool) -> Smoothing {
    match (table.get("xsph"), table.get("viscosity")) {
        (Some(_), Some(viscosity)) => {
            let message = "`solver.xsph` and `solver.viscosity` exclude each other";
            viscosity.fault(message, "give one of the two", None);
            Smoothing::Xsph(0.0)
        }
        (None, Some(viscosity)) => {
            Smoothing::Viscosity(viscosity.number(Limits::between(0.0, 1e6, "m^2/s")).unwrap_or(0.0))
        }
        (xsph, None) => {
            let coefficient = table.number_or("xsph", Limits::between(0.0, 1.0, ""), defaults::XSPH);
            if let Some(field) = xsph.filter(|_| found && coefficient > 0.0) {
                let message = "`solver.xsph` smooths once per substep, but the substep is adaptive";
                field.context.warn(&field.node.at, message, "`viscosity` smooths in proportion to time");
            }
            Smoothing::Xsph(coefficient)
        }
    }
}

fn position_correction(table: &Table<'_>) -> PositionCorrection {
    let default = PositionCorrection::Distance { gap: defaults::GAP };
    let Some(field) = table.get("position_correction") else { return default };
    let Some(table) = field.table(keys::POSITION_CORRECTION) else { return default };
    let part = Limits { max_exclusive: true, ..Limits::between(0.0, 1.0, "") };
    let gap = table.number_or("gap", part, defaults::GAP);
    let threshold = table.number_or("threshold", Limits::between(0.0, 1.0, ""), defaults::THRESHOLD);
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
