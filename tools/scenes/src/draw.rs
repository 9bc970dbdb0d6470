//! Draws a random scene, as text, from a seed.

use std::fmt::Write as _;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::company::{self, Place};

/// Minimum number of particles in a scene.
const FEWEST: f64 = 500.0;

/// Volume per Poisson-disk point in cubes of the spacing: the density of maximal samplings.
const SCATTERED: f64 = 1.45;

/// What is drawn besides matter and analytic colliders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Company {
    /// Nothing.
    None,
    /// In half of the scenes one or two of rigid bodies, cloth, ropes, surfaces of triangles and emitters.
    Half,
    /// In every scene.
    Always,
}

/// A scene and the mesh files that it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawn {
    /// The scene, in TOML.
    pub text: String,
    /// Names and contents of the files beside it.
    pub files: Vec<(String, String)>,
}

/// Draws the scene of a seed: 0.2 s of one or two bodies on a floor, about 500 to `most` particles. Matter and analytic colliders of a
/// seed are the same in any company.
pub fn draw(seed: u64, most: u32, company: Company) -> Drawn {
    let mut draws = Draws::of(seed);
    let size = draws.spread(0.03, 0.5);
    let bodies = if draws.chance(0.4) { 2 } else { 1 };
    let shapes: Vec<Shape> = (0..bodies).map(|_| Shape::draw(&mut draws, size)).collect();
    let poisson = draws.chance(0.6);
    let count = draws.spread(FEWEST, f64::from(most).max(FEWEST));
    let cell = shapes.iter().map(Shape::volume).sum::<f64>() / count;
    let spacing = (cell / if poisson { SCATTERED } else { 1.0 }).cbrt();

    let sweeps = draws.chance(0.1);
    let mut text = format!(
        "format = 1\n[scene]\nname = \"seed_{seed}\"\n[time]\nframes = [1, 11]\nframe_rate = 50\n{}[solver]\nkernel_radius = {}\n",
        step(&mut draws, sweeps),
        number(spacing),
    );
    if sweeps {
        text += "scheme = \"gauss_seidel\"\n";
    }
    // Presets from the paper's tables use units of their own: a density of 1 kg/m^3 instead of 1,000 for sand.
    let presets: Vec<&str> =
        tuff_scene::presets().map(|preset| preset.name).filter(|name| !name.starts_with("table2")).collect();
    for body in 0..bodies {
        let preset = presets[draws.below(presets.len())];
        let _ = writeln!(text, "[[material]]\nname = \"m{body}\"\npreset = \"{preset}\"");
    }
    // Some bodies hang in the air; most lie roughly on the floor; some are sunk into it.
    let mut bottom =
        if draws.chance(0.3) { size * draws.between(0.1, 1.0) } else { spacing * draws.between(-1.2, 1.5) };
    let first = bottom;
    let mut top = bottom;
    for (body, shape) in shapes.iter().enumerate() {
        let aside = if body == 0 { 0.0 } else { 0.3 * size * draws.between(-1.0, 1.0) };
        let kind = if poisson { "poisson_disk" } else { "lattice" };
        let jitter = if !poisson && draws.chance(0.5) { ", jitter = 0.1" } else { "" };
        let _ = writeln!(
            text,
            "[[body]]\nname = \"b{body}\"\nmaterial = \"m{body}\"\nshape = {}\nsampling = {{ kind = \"{kind}\", spacing = {}{jitter} }}",
            shape.text(aside, bottom),
            number(spacing),
        );
        if draws.chance(0.5) {
            text += "overlap = \"push_out\"\n";
        }
        if draws.chance(0.5) {
            let velocity = [1.0, 2.0, 1.0].map(|most: f64| number(draws.between(-most, 0.5 * most)));
            let _ = writeln!(text, "velocity = [{}]", velocity.join(", "));
        }
        // The next body lies on this one, falls on it, or is stuck in it.
        top = top.max(bottom + shape.height());
        bottom += shape.height() + spacing * draws.between(-1.0, 2.0);
    }
    colliders(&mut draws, &mut text, size, spacing, first);
    let mut others = Draws::besides(seed);
    let accompanied = others.chance(0.5);
    let mut files = Vec::new();
    if company == Company::Always || company == Company::Half && accompanied {
        files = company::add(&mut others, &mut text, &Place { bottom: first, top, size, spacing });
    }
    Drawn { text: text + "[output]\nparticles = []\npreview = false\n", files }
}

/// Draws the key for the step: most scenes set it to auto, some omit it. Sweeps cannot choose it adaptively.
fn step(draws: &mut Draws, sweeps: bool) -> String {
    match draws.below(10) {
        0..7 if !sweeps => "max_substep = \"auto\"\n".to_owned(),
        7 => String::new(),
        _ => format!("max_substep = {}\n", ["2e-4", "5e-4", "1e-3", "2e-3"][draws.below(4)]),
    }
}

/// Draws a floor, and often a container around the matter, an obstacle under it or one that moves down.
fn colliders(draws: &mut Draws, text: &mut String, size: f64, spacing: f64, bottom: f64) {
    let friction = |draws: &mut Draws| match draws.below(4) {
        0 => "sticky = true".to_owned(),
        1 => "friction = 0.0".to_owned(),
        _ => format!("friction = {}", number(draws.between(0.1, 1.0))),
    };
    let tilt = if draws.chance(0.2) { draws.between(0.05, 0.4) } else { 0.0 };
    let floor = friction(draws);
    let _ = writeln!(
        text,
        "[[collider]]\nname = \"floor\"\nshape = {{ plane = {{ point = [0.0, 0.0, 0.0], normal = [{}, {}, 0.0] }} }}\n{floor}",
        number(-tilt.sin()),
        number(tilt.cos()),
    );
    let what = draws.below(6);
    let rub = friction(draws);
    let shape = match what {
        0 => {
            let half = number(0.5 * size + spacing * draws.between(-0.4, 3.0));
            format!(
                "{{ box = {{ min = [-{half}, -1.0, -{half}], max = [{half}, 10.0, {half}] }} }}\ninside = true"
            )
        }
        1 => {
            let radius = number(0.75 * size + spacing * draws.between(-0.4, 3.0));
            format!(
                "{{ cylinder = {{ from = [0.0, -1.0, 0.0], to = [0.0, 10.0, 0.0], radius = {radius} }} }}\ninside = true"
            )
        }
        2 => {
            let radius = size * draws.between(0.1, 0.4);
            let middle = number(bottom - radius + spacing * draws.between(-1.0, 1.0));
            format!("{{ sphere = {{ center = [0.0, {middle}, 0.0], radius = {} }} }}", number(radius))
        }
        3 => {
            let radius = size * draws.between(0.05, 0.2);
            let middle = number(bottom - radius + spacing * draws.between(-1.0, 1.0));
            let end = number(size);
            format!(
                "{{ capsule = {{ from = [0.0, {middle}, -{end}], to = [0.0, {middle}, {end}], radius = {} }} }}",
                number(radius)
            )
        }
        _ => return,
    };
    let _ = writeln!(text, "[[collider]]\nname = \"other\"\nshape = {shape}\n{rub}");
}

/// Shape of a body.
enum Shape {
    Box([f64; 3]),
    Sphere(f64),
    Cylinder { radius: f64, height: f64 },
    Capsule { radius: f64, length: f64 },
}

impl Shape {
    fn draw(draws: &mut Draws, size: f64) -> Self {
        let part = |draws: &mut Draws| size * draws.between(0.4, 1.0);
        match draws.below(5) {
            0 | 1 => Self::Box([part(draws), part(draws), part(draws)]),
            2 => Self::Sphere(0.5 * part(draws)),
            3 => Self::Cylinder { radius: 0.5 * part(draws), height: part(draws) },
            _ => Self::Capsule { radius: 0.35 * part(draws), length: 0.5 * part(draws) },
        }
    }

    fn volume(&self) -> f64 {
        let pi = std::f64::consts::PI;
        match self {
            Self::Box([x, y, z]) => x * y * z,
            Self::Sphere(radius) => 4.0 / 3.0 * pi * radius.powi(3),
            Self::Cylinder { radius, height } => pi * radius * radius * height,
            Self::Capsule { radius, length } => pi * radius * radius * (length + 4.0 / 3.0 * radius),
        }
    }

    fn height(&self) -> f64 {
        match self {
            Self::Box([_, y, _]) => *y,
            Self::Sphere(radius) | Self::Capsule { radius, .. } => 2.0 * radius,
            Self::Cylinder { height, .. } => *height,
        }
    }

    /// Formats the shape as a value in a scene, with its lowest point at y = `bottom` [m], shifted along x.
    fn text(&self, x: f64, bottom: f64) -> String {
        let [at, low, high] = [x, bottom, bottom + self.height()].map(number);
        let middle = number(bottom + 0.5 * self.height());
        match self {
            Self::Box([a, _, c]) => {
                let [left, right, back] = [x - 0.5 * a, x + 0.5 * a, 0.5 * c].map(number);
                format!("{{ box = {{ min = [{left}, {low}, -{back}], max = [{right}, {high}, {back}] }} }}")
            }
            Self::Sphere(radius) => {
                format!("{{ sphere = {{ center = [{at}, {middle}, 0.0], radius = {} }} }}", number(*radius))
            }
            Self::Cylinder { radius, .. } => {
                let radius = number(*radius);
                format!(
                    "{{ cylinder = {{ from = [{at}, {low}, 0.0], to = [{at}, {high}, 0.0], radius = {radius} }} }}"
                )
            }
            Self::Capsule { radius, length } => {
                let [half, radius] = [0.5 * length, *radius].map(number);
                format!(
                    "{{ capsule = {{ from = [{at}, {middle}, -{half}], to = [{at}, {middle}, {half}], radius = {radius} }} }}"
                )
            }
        }
    }
}

/// Formats a number with four digits, as people write it.
pub fn number(value: f64) -> String {
    if value.abs() < 1e-9 {
        return "0.0".to_owned();
    }
    let digits = (3 - value.abs().log10().floor() as i32).clamp(1, 9) as usize;
    format!("{value:.digits$}")
}

/// Random numbers from a fixed sequence.
pub struct Draws(ChaCha8Rng);

impl Draws {
    /// The sequence of a seed.
    fn of(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// A second sequence of a seed.
    fn besides(seed: u64) -> Self {
        let mut sequence = ChaCha8Rng::seed_from_u64(seed);
        sequence.set_stream(1);
        Self(sequence)
    }

    /// Draws a number in [0, 1).
    fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn between(&mut self, least: f64, most: f64) -> f64 {
        least + (most - least) * self.unit()
    }

    /// Draws a size between two sizes, uniformly on a logarithmic scale.
    pub fn spread(&mut self, least: f64, most: f64) -> f64 {
        least * (most / least).powf(self.unit())
    }

    pub fn chance(&mut self, part: f64) -> bool {
        self.unit() < part
    }

    pub fn below(&mut self, count: usize) -> usize {
        (self.unit() * count as f64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits_and_a_point() {
        let texts = [0.0, 1.0, -0.012_345_67, 123.456, 99_999.6].map(number);
        assert_eq!(texts, ["0.0", "1.000", "-0.01235", "123.5", "99999.6"]);
    }

    #[test]
    fn a_seed_is_a_scene_and_seeds_differ() {
        assert_eq!(draw(7, 3000, Company::Always), draw(7, 3000, Company::Always));
        assert_ne!(draw(7, 3000, Company::None), draw(8, 3000, Company::None));
    }

    #[test]
    fn company_leaves_the_matter_of_a_seed_as_it_is() {
        for seed in 0..100 {
            let alone = draw(seed, 3000, Company::None).text;
            let matter = alone.strip_suffix("[output]\nparticles = []\npreview = false\n").unwrap();
            assert!(draw(seed, 3000, Company::Always).text.starts_with(matter), "{seed}");
        }
    }

    #[test]
    fn every_kind_of_company_comes() {
        let texts: String = (0..50).map(|seed| draw(seed, 3000, Company::Always).text).collect();
        for kind in ["[[rigid]]", "[[cloth]]", "[[rope]]", "mesh = {", "[[emitter]]"] {
            assert!(texts.contains(kind), "{kind}");
        }
    }
}
