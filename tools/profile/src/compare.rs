//! `tuff profile compare A.json B.json`: reports which stages got slower or faster, beyond noise.

use std::fmt::Write as _;

use serde_json::Value;
use tuff_cli::exit::{CHECK_FAILED, Stop};
use tuff_cli::print;

use crate::args::CompareArgs;
use crate::record::Record;
use crate::statistics::{median, median_error};
use tuff_problem::profile::Part;

/// A difference counts only if it exceeds this many of its standard errors.
const ERRORS: f64 = 3.0;
/// Fraction of the substep below which a difference is negligible.
const NEGLIGIBLE: f64 = 1e-3;
/// Minimum number of substeps for a meaningful spread.
const FEWEST: usize = 5;

/// Change of a row between the profiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Takes longer.
    Slower,
    /// Takes less time.
    Faster,
    /// No difference beyond the noise, or one too small to matter.
    Same,
    /// Only in the second profile.
    New,
    /// Only in the first profile.
    Gone,
}

/// A row of the comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Name of the compared time.
    pub name: String,
    /// Medians [s].
    pub medians: [f64; 2],
    /// Largest difference of the medians that is attributed to chance [s].
    pub noise: f64,
    /// Change between the profiles.
    pub verdict: Verdict,
}

impl Row {
    /// Compares two lists of times [s]. Differences of up to `floor` [s] or `threshold` (relative) do not matter.
    pub fn new(name: &str, before: &[f64], after: &[f64], floor: f64, threshold: f64) -> Self {
        let medians = [median(before), median(after)];
        let noise = ERRORS * median_error(before).hypot(median_error(after));
        let difference = medians[1] - medians[0];
        let verdict = match (before.is_empty(), after.is_empty()) {
            (true, _) => Verdict::New,
            (_, true) => Verdict::Gone,
            _ if difference.abs() <= noise.max(floor).max(threshold * medians[0]) => Verdict::Same,
            _ if difference > 0.0 => Verdict::Slower,
            _ => Verdict::Faster,
        };
        Self { name: name.to_owned(), medians, noise, verdict }
    }

    /// Returns the relative difference.
    pub fn change(&self) -> f64 {
        self.medians[1] / self.medians[0] - 1.0
    }
}

/// Prints the comparison.
///
/// # Errors
/// Exit code 2 if a file is not a profile or the profiles are of different things, 1 if a row is slower than allowed.
pub fn compare(args: &CompareArgs) -> Result<(), Stop> {
    let (before, after) = (Record::read(&args.before)?, Record::read(&args.after)?);
    let differences = differences(&before, &after);
    if !differences.is_empty() && !args.force {
        return Err(Stop::bad_input(format!(
            "the profiles are of different things:\n{}\n--force compares them anyway",
            differences.join("\n")
        )));
    }
    for (path, record) in [(&args.before, &before), (&args.after, &after)] {
        if record.substeps.len() < FEWEST {
            return Err(Stop::bad_input(format!(
                "{} has {} substeps, too few to tell a difference from noise: profile with --substeps {FEWEST} or more",
                path.display(),
                record.substeps.len()
            )));
        }
    }
    let rows = rows(&before, &after, args.threshold / 100.0);
    let mut text = String::new();
    for line in &differences {
        let _ = writeln!(text, "{line}");
    }
    if before.device.driver != after.device.driver {
        let _ = writeln!(text, "  driver: {} and {}", before.device.driver, after.device.driver);
    }
    text += &table(&rows);
    print::out(&text)?;
    let slower = |row: &&Row| {
        row.verdict == Verdict::Slower && 100.0 * row.change() > args.fail_slower.unwrap_or(f64::INFINITY)
    };
    let slower: Vec<&str> = rows.iter().filter(slower).map(|row| row.name.trim()).collect();
    if slower.is_empty() {
        return Ok(());
    }
    let limit = args.fail_slower.unwrap_or_default();
    Err(Stop::new(CHECK_FAILED, format!("slower by more than {limit} %: {}", slower.join(", "))))
}

/// Lists the conditions in which two profiles differ although they should not, one line each.
fn differences(before: &Record, after: &Record) -> Vec<String> {
    let (a, b) = (before.conditions(), after.conditions());
    let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let differs = a.iter().filter(|(key, value)| b.get(*key) != Some(*value));
    differs
        .map(|(key, value)| {
            format!("  {key}: {} and {}", plain(value), b.get(key).map_or_else(String::new, plain))
        })
        .collect()
}

/// Compares the stages, the parts and the whole substep.
pub fn rows(before: &Record, after: &Record, threshold: f64) -> Vec<Row> {
    let floor = NEGLIGIBLE * median(&before.totals());
    let mut names: Vec<(&str, &str)> = Vec::new();
    for stage in before.stages.iter().chain(&after.stages) {
        if !names.contains(&(&stage.name, &stage.part)) {
            names.push((&stage.name, &stage.part));
        }
    }
    let row = |name: &str, a: &[f64], b: &[f64]| Row::new(name, a, b, floor, threshold);
    let mut rows = Vec::new();
    for &(name, part) in &names {
        let of = |record: &Record| -> Vec<f64> {
            let found = record.stages.iter().find(|stage| stage.name == name && stage.part == part);
            found.map_or_else(Vec::new, |stage| stage.seconds.clone())
        };
        let twice = names.iter().filter(|other| other.0 == name).count() > 1;
        let label = if twice { format!("{name} ({part})") } else { name.to_owned() };
        rows.push(row(&label, &of(before), &of(after)));
    }
    for part in Part::ALL.map(Part::name) {
        if before.stages.iter().chain(&after.stages).any(|stage| stage.part == part) {
            rows.push(row(&format!("  {part}"), &before.part_totals(part), &after.part_totals(part)));
        }
    }
    rows.push(row("all stages", &before.totals(), &after.totals()));
    let wall = |record: &Record| record.substeps.iter().map(|s| s.wall_seconds).collect::<Vec<_>>();
    rows.push(row("wall, profiled", &wall(before), &wall(after)));
    rows
}

fn table(rows: &[Row]) -> String {
    let mut text =
        format!("{:<28} {:>10} {:>10} {:>9} {:>8}\n", "ms / substep", "before", "after", "change", "noise");
    for row in rows {
        let percent =
            |value: f64| if value.is_finite() { format!("{:.1} %", 100.0 * value) } else { String::new() };
        let verdict = match row.verdict {
            Verdict::Slower => "slower",
            Verdict::Faster => "faster",
            Verdict::Same => "",
            Verdict::New => "new",
            Verdict::Gone => "gone",
        };
        let (change, noise) = match row.verdict {
            Verdict::New | Verdict::Gone => (String::new(), String::new()),
            _ => (format!("{:+.1} %", 100.0 * row.change()), percent(row.noise / row.medians[0])),
        };
        let line = format!(
            "{:<28} {:>10.4} {:>10.4} {change:>9} {noise:>8}  {verdict}",
            row.name,
            1e3 * row.medians[0],
            1e3 * row.medians[1]
        );
        let _ = writeln!(text, "{}", line.trim_end());
    }
    let count = |verdict| rows.iter().filter(|row| row.verdict == verdict).count();
    let _ = writeln!(
        text,
        "\n{} slower, {} faster, {} the same within noise and threshold",
        count(Verdict::Slower),
        count(Verdict::Faster),
        count(Verdict::Same)
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Draws times as on a shared machine: with a spread of 2 %, and every tenth substep up to three times as long.
    fn times(random: &mut impl Rng, mean: f64) -> Vec<f64> {
        let mut one = || {
            let spread = (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0;
            let disturbed =
                if random.random::<f64>() < 0.1 { 1.0 + 2.0 * random.random::<f64>() } else { 1.0 };
            mean * (1.0 + 0.02 * spread) * disturbed
        };
        (0..20).map(|_| one()).collect()
    }

    fn verdicts(change: f64, threshold: f64) -> [usize; 3] {
        let mut random = ChaCha8Rng::seed_from_u64(11);
        let mut counts = [0; 3];
        for _ in 0..500 {
            let (a, b) = (times(&mut random, 1e-3), times(&mut random, 1e-3 * (1.0 + change)));
            let verdict = Row::new("stage", &a, &b, 0.0, threshold).verdict;
            counts[[Verdict::Slower, Verdict::Faster, Verdict::Same]
                .iter()
                .position(|v| *v == verdict)
                .unwrap()] += 1;
        }
        counts
    }

    #[test]
    fn noise_alone_is_rarely_called_a_difference() {
        let [slower, faster, _] = verdicts(0.0, 0.0);
        assert!(slower + faster <= 10, "{slower} and {faster} of 500");
    }

    #[test]
    fn differences_beyond_the_noise_are_found_in_their_direction() {
        let [slower, faster, _] = verdicts(0.06, 0.0);
        assert!(slower > 480 && faster == 0, "{slower} {faster}");
        let [slower, faster, _] = verdicts(-0.06, 0.0);
        assert!(faster > 480 && slower == 0, "{slower} {faster}");
    }

    #[test]
    fn differences_that_do_not_matter_are_none() {
        assert_eq!(verdicts(0.06, 0.2)[2], 500);
        let row = Row::new("stage", &[1e-6; 20], &[2e-6; 20], 1e-5, 0.0);
        assert_eq!(row.verdict, Verdict::Same);
        assert_eq!(Row::new("stage", &[1e-6; 20], &[2e-6; 20], 0.0, 0.0).verdict, Verdict::Slower);
        assert_eq!(Row::new("stage", &[], &[2e-6; 20], 0.0, 0.0).verdict, Verdict::New);
        assert_eq!(Row::new("stage", &[1e-6; 20], &[], 0.0, 0.0).verdict, Verdict::Gone);
    }
}
