//! Details of a frame for `tuff run --verbose`.

use std::fmt::Write;

use tuff_problem::FrameReport;

use tuff_cli::print;

/// Formats work, health and energies of a frame, and every nonzero counter.
pub fn details(report: &FrameReport) -> String {
    let energies = &report.energies;
    let mut text = format!(
        "    {} substeps of {:.2e} s, {} iterations, {}neighbor pairs; force residual {:.2e}; fastest particle {:.3} m/s\n    \
         energies: kinetic {:.3e} J, elastic {:.3e} J, gravity {:.3e} J relative to the origin",
        report.substeps,
        report.substep,
        report.iterations,
        print::quantity(report.neighbor_pairs as f64),
        report.residual.force,
        report.max_speed,
        energies.kinetic,
        energies.elastic,
        energies.gravity,
    );
    for (name, count) in report.counters.entries().into_iter().filter(|(_, count)| *count > 0) {
        let _ = write!(text, "\n    {name} {}: {}", print::count(count), meaning(name));
    }
    text
}

/// Describes in a user's words what a counter counts.
fn meaning(counter: &str) -> &'static str {
    match counter {
        "stretch_clamped" => "particles stretched beyond the admissible strain, which was clamped",
        "fold_limited" => {
            "times that a neighborhood was kept from turning inside out, in an iteration or, for matter that came apart, in its \
             strain"
        }
        "tip_released" => {
            "times that a particle lost all stress (sand that opens) and its impulse was taken back"
        }
        "rank_deficient" => {
            "particles with neighbors in a line or a plane only, such as a thin sheet or spray"
        }
        "gradient_limited" => {
            "particles with neighbors almost in a plane, or very close, whose gradient along an axis was scaled down (surfaces of loose matter)"
        }
        "isolated" => "particles without any neighbor, which fly freely",
        "position_corrected" => {
            "times that particles too close to each other were pushed apart (solver.position_correction)"
        }
        "contact_overflow" => "particles that touched more colliders at once than are handled",
        "substeps_halved" => {
            "substeps repeated in two halves because a neighborhood turned inside out or newton_cg stayed far from force balance"
        }
        "frames_repeated" => {
            "frames repeated with shorter substeps because particles moved farther than half a kernel radius in one, the frame failed, or it gained energy while newton_cg stayed far from force balance"
        }
        "emitted" => "particles that emitters added",
        "emission_withheld" => {
            "particles that an emitter left out, because others had not moved on or a collider was in the way"
        }
        "removed" => "particles that left the run through a sink",
        "buffers_grown" => "substeps repeated because a buffer on the device had to grow",
        "fast_particles" => {
            "particles that moved more than half a kernel radius in a substep, with neighbors or colliders in reach"
        }
        "loose_held" => {
            "particles without stress that hardly moved and were kept in place (loose sand at rest)"
        }
        "newton_uphill" => {
            "steps of newton_cg that came no closer to force balance, or were taken back (if newton_unbalanced is not 0 either, more solver.iterations or a smaller step may help)"
        }
        "newton_unbalanced" => {
            "substeps that newton_cg left above solver.residual_tolerance (more solver.iterations or a smaller step may help)"
        }
        "overlap_displaced" => {
            "times that a particle was moved out of a collider, of cloth or of another particle, without giving it speed"
        }
        "sheet_passed" => {
            "times that a particle or an edge ended a substep on the other side of a cloth (shorter substeps keep it on its side)"
        }
        "fractured" => "pairs of particles of total bodies that broke",
        "torn" => "triangles of cloth that tore",
        "unfolded" => {
            "times that a neighborhood of a total body was so compressed or turned inside out that it was unfolded"
        }
        "volume_corrected" => {
            "times that a flowing particle was packed more densely than its volume ratio J, which was corrected"
        }
        _ => "see run.json",
    }
}

#[cfg(test)]
mod tests {
    use tuff_problem::{Counters, Energies};

    use super::*;

    #[test]
    fn every_counter_is_explained() {
        for (name, _) in Counters::default().entries() {
            assert_ne!(meaning(name), meaning(""), "{name}");
        }
    }

    #[test]
    fn energies_are_named_and_quiet_counters_left_out() {
        let text = details(&FrameReport {
            energies: Energies { kinetic: 1.5, elastic: 0.25, gravity: -3.0 },
            counters: Counters { isolated: 12_345, ..Counters::default() },
            ..FrameReport::default()
        });
        assert!(text.contains("kinetic 1.500e0 J, elastic 2.500e-1 J, gravity -3.000e0 J"), "{text}");
        assert!(text.contains("isolated 12 345: particles without any neighbor"), "{text}");
        assert!(!text.contains("buffers_grown"), "{text}");
    }
}
