//! Plots the cost per particle against the number of particles.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use tuff_chart::{Axis, Chart, Curve, Page};

use crate::runs;

/// One column of a run: number of particles, wall time of a substep [s].
type Point = (f64, f64);

/// Plots stored runs in `out/cost_per_particle.svg` and `.png`.
pub fn plot(files: &[PathBuf], out: &Path) -> Result<()> {
    let mut curves = Vec::new();
    let mut head = Vec::new();
    for file in files {
        let run = runs::read(file)?;
        let text = |value: &Value| value.as_str().unwrap_or("unknown").to_owned();
        let device = &run["device"];
        let name = file.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        head.push((
            None,
            format!(
                "{name}: {}, {}, commit {}",
                text(&device["name"]),
                text(&device["driver"]),
                text(&run["commit"])
            ),
        ));
        for (material, points) in columns(&run).with_context(|| format!("{}", file.display()))? {
            let cost =
                points.iter().map(|(particles, seconds)| [*particles, 1e6 * seconds / particles]).collect();
            curves.push((format!("{name}, {material}"), cost));
        }
    }
    if curves.is_empty() {
        bail!("these runs have no columns: nothing to draw");
    }
    let chart = chart(curves);
    let page =
        Page { title: "Cost of a particle in a substep", head: &head, charts: vec![&chart], columns: 1 };
    fs::create_dir_all(out).with_context(|| format!("making {}", out.display()))?;
    for file in page.write(out, "cost_per_particle")? {
        crate::say(&file.display().to_string());
    }
    Ok(())
}

/// Returns the columns of a run by material, smallest first.
fn columns(run: &Value) -> Result<Vec<(String, Vec<Point>)>> {
    let mut materials: Vec<(String, Vec<Point>)> = Vec::new();
    for column in run["columns"].as_array().context("there is no list `columns`")? {
        let number = |key: &str| {
            column[key].as_f64().filter(|n| *n > 0.0).with_context(|| format!("a column has no `{key}`"))
        };
        let point = (number("particles")?, number("seconds_per_substep")?);
        let material = column["material"].as_str().context("a column has no `material`")?;
        match materials.iter_mut().find(|(name, _)| name == material) {
            Some((_, points)) => points.push(point),
            None => materials.push((material.to_owned(), vec![point])),
        }
    }
    for (_, points) in &mut materials {
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    Ok(materials)
}

fn chart(costs: Vec<(String, Vec<[f64; 2]>)>) -> Chart {
    let all = || costs.iter().flat_map(|(_, points)| points).map(|point| point[1]);
    let (least, most) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
    let mut curves = Vec::new();
    for (color, (name, points)) in costs.into_iter().enumerate() {
        curves.push(Curve::dots("", color, points.clone()));
        curves.push(Curve::line(&name, color, points));
    }
    Chart {
        title: "5 iterations, substeps of 1e-4 s, column early in its collapse".to_owned(),
        x: Axis { label: "particles".to_owned(), unit: "", log: true },
        y: Axis {
            label: "wall time per particle and substep".to_owned(),
            unit: "µs",
            log: most > 4.0 * least,
        },
        curves,
        ..Chart::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn columns_are_ordered_by_material_and_size() {
        let column = |material: &str, particles: u64, seconds: f64| json!({ "material": material, "particles": particles, "seconds_per_substep": seconds });
        let run = json!({ "columns": [column("sand", 54_000, 0.4), column("snow", 8192, 0.1), column("sand", 8192, 0.08)] });
        let columns = columns(&run).unwrap();
        assert_eq!(columns[0], ("sand".to_owned(), vec![(8192.0, 0.08), (54_000.0, 0.4)]));
        assert_eq!(columns[1].0, "snow");
        assert!(super::columns(&json!({ "columns": [column("sand", 0, 1.0)] })).is_err());
    }
}
