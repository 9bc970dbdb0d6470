//! One self-contained HTML page.

use std::fmt::Write;

use tuff_chart::number;

use super::Outcome;
use crate::{ByDefault, Card, Check, Expected, Settings, Verdict};

const STYLE: &str = "\
body { font: 15px/1.45 system-ui, sans-serif; color: #111; max-width: 1200px; margin: 2em auto; padding: 0 1em }
table { border-collapse: collapse; width: 100%; margin: .8em 0 }
th, td { text-align: left; padding: .25em .7em; border-bottom: 1px solid #ddd; vertical-align: top }
td.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
.passed { color: #14713d } .FAILED { color: #b3261e; font-weight: bold } .deviates { color: #9a6700; font-weight: bold }
.recorded, .none { color: #666 }
figure { display: inline-block; margin: .5em 1em .5em 0; vertical-align: top } figure img { max-width: 560px; display: block }
figcaption { color: #444; max-width: 560px } p.reason { margin: .1em 0; color: #555; font-size: 90% }
h2 { margin-top: 2.2em; border-top: 2px solid #333; padding-top: .4em }";

/// A card with its existing outcomes.
pub type Row<'a> = (&'a Card, Vec<&'a Outcome>);

/// Builds the page for all cards.
pub fn page(cards: &[Row<'_>]) -> String {
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Tuff: validation</title>\n\
         <style>\n{STYLE}\n</style>\n<h1>Tuff: validation</h1>\n"
    );
    html += "<p>Each card is a scene, a measurement and a reference that does not come from Tuff. <b>Deviates</b>: outside the \
             tolerance for a reason that is told, and within what it explains. <b>Own</b> settings belong to the card's subject; \
             <b>default</b> ones are those of a scene that gives the kernel radius and <code>max_substep = \"auto\"</code>.</p>\n";
    summary(&mut html, cards);
    for (card, outcomes) in cards {
        outcomes.iter().for_each(|outcome| section(&mut html, card, outcome));
    }
    html + "</html>\n"
}

/// Writes one row per card and settings.
fn summary(html: &mut String, cards: &[Row<'_>]) {
    *html +=
        "<table><tr><th>card<th>what<th>reference<th>settings<th>verdict<th>checks<th>size<th>time</tr>\n";
    for (card, outcomes) in cards {
        for &settings in card.settings() {
            let outcome = outcomes.iter().find(|outcome| outcome.settings == settings);
            let _ = write!(
                html,
                "<tr><td>{}<td>{}<td>{}<td>{}",
                link(card, settings),
                escape(&heading(card)),
                escape(card.reference),
                settings.word()
            );
            *html += &match outcome {
                Some(outcome) => result(outcome),
                None => "<td class=\"none\">not run<td><td><td></tr>\n".to_owned(),
            };
        }
    }
    *html += "</table>\n";
}

/// Formats verdict, checks, size and time of an outcome.
fn result(outcome: &Outcome) -> String {
    let checks = &outcome.findings.checks;
    let judged = checks.iter().filter(|c| c.verdict() != Verdict::Recorded).count();
    let passed = checks.iter().filter(|c| c.verdict() == Verdict::Passed).count();
    format!(
        "<td class=\"{0}\">{0}<td class=\"n\">{passed} / {judged}<td>{1}<td class=\"n\">{2}</tr>\n",
        outcome.verdict().word(),
        format!("{:?}", outcome.size).to_lowercase(),
        duration(outcome.seconds)
    )
}

/// Returns the name of a section, which is also its link target.
fn anchor(card: &Card, settings: Settings) -> String {
    format!("{}-{}", card.id, settings.word())
}

fn link(card: &Card, settings: Settings) -> String {
    format!("<a href=\"#{}\">{}</a>", anchor(card, settings), card.id)
}

fn heading(card: &Card) -> String {
    match card.figure_name() {
        Some(figure) => format!("{} ({figure})", card.title),
        None => card.title.to_owned(),
    }
}

fn section(html: &mut String, card: &Card, outcome: &Outcome) {
    let findings = &outcome.findings;
    let _ = writeln!(
        html,
        "<h2 id=\"{}\">{} {}, {} settings</h2>",
        anchor(card, outcome.settings),
        card.id,
        escape(&heading(card)),
        outcome.settings.word()
    );
    if let ByDefault::No(reason) = card.by_default {
        let _ = writeln!(html, "<p>Has no default settings: {}.</p>", escape(reason));
    }
    let _ = writeln!(
        html,
        "<p>Reference: {}. {:?} size, {} on {}, commit {}.</p>",
        escape(card.reference),
        outcome.size,
        duration(outcome.seconds),
        escape(&outcome.device),
        escape(&outcome.commit)
    );
    if let Some(error) = &outcome.error {
        let _ = writeln!(html, "<p class=\"FAILED\">Did not end: {}</p>", escape(error));
    }
    if !findings.checks.is_empty() {
        *html += "<table><tr><th>quantity<th>reference<th>measured<th>error<th>tolerance<th>verdict</tr>\n";
        findings.checks.iter().for_each(|check| row(html, check));
        *html += "</table>\n";
    }
    for diagram in &findings.diagrams {
        let _ = writeln!(html, "<figure>{diagram}</figure>");
    }
    for image in &findings.images {
        let _ = writeln!(
            html,
            "<figure><img src=\"data:image/png;base64,{}\" alt=\"\"><figcaption>{}</figcaption></figure>",
            image.png,
            escape(&image.caption)
        );
    }
    for remark in &findings.remarks {
        let _ = writeln!(html, "<p>{}</p>", escape(remark));
    }
}

fn row(html: &mut String, check: &Check) {
    let unit = check.unit_after();
    let (reference, tolerance) = check.expected.words(&unit);
    let error = match (check.error(), check.expected) {
        (Some(error), Expected::Relative { .. }) => format!("{:+.2} %", 100.0 * error),
        (Some(error), _) => number(error) + &unit,
        (None, _) => String::new(),
    };
    let verdict = check.verdict().word();
    let reason = match &check.deviation {
        Some(deviation) if check.verdict() >= Verdict::Deviates => {
            format!("<p class=\"reason\">{}</p>", escape(&deviation.reason))
        }
        _ => String::new(),
    };
    let _ = writeln!(
        html,
        "<tr><td>{}{reason}<td class=\"n\">{reference}<td class=\"n\">{}{unit}<td class=\"n\">{error}\
         <td class=\"n\">{tolerance}<td class=\"{verdict}\">{verdict}</tr>",
        escape(&check.what),
        number(check.measured),
    );
}

/// Formats a time for people.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{s:.0} s"),
        s if s < 5400.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Findings, Size, cards};

    fn outcome(card: &str) -> Outcome {
        let mut findings = Findings::new(card);
        findings.relative("length < 2 & more", "m", 1.01, 1.0, 0.02);
        findings.check("speed", "m/s", 3.0, Expected::AtMost(2.0));
        findings.known(Expected::AtMost(4.0), "known to be fast");
        findings.check("count", "", f64::NAN, Expected::AtLeast(1.0));
        Outcome {
            findings,
            error: None,
            size: Size::Quick,
            settings: Settings::Own,
            device: "a device".to_owned(),
            commit: "abc".to_owned(),
            seconds: 100.0,
            particle_iterations: 0,
        }
    }

    #[test]
    fn the_page_shows_every_verdict() {
        let all = cards::all();
        let outcome = outcome(all[0].id);
        assert_eq!(outcome.verdict(), Verdict::Failed);
        let html = page(&[(&all[0], vec![&outcome])]);
        for part in [
            "length &lt; 2 &amp; more",
            "+1.00 %",
            "deviates",
            "known to be fast",
            "FAILED",
            "1 / 3",
            "2 min",
            "abc",
        ] {
            assert!(html.contains(part), "{part} is missing from\n{html}");
        }
        assert!(page(&[(&all[0], Vec::new())]).contains("not run"));
    }

    #[test]
    fn a_card_that_did_not_end_has_failed() {
        let mut outcome = outcome(cards::all()[0].id);
        outcome.findings.checks.truncate(1);
        assert_eq!(outcome.verdict(), Verdict::Passed);
        outcome.error = Some("no memory".to_owned());
        assert_eq!(outcome.verdict(), Verdict::Failed);
        assert!(page(&[(&cards::all()[0], vec![&outcome])]).contains("Did not end: no memory"));
    }
}
