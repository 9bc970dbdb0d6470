//! At least one planted error per shader: each must make a parity test fail.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Shader, text that occurs once in it, replacement, and the test that must notice the change.
const MUTATIONS: &[[&str; 4]] = &[
    ["apply_changes", "+= vec4(velocity_change", "+= 1.01 * vec4(velocity_change", "options::jacobi"],
    ["apply_pushes", "v.xyz += now;", "v.xyz += 1.1 * now;", "options::newton_pushes_pairs_apart"],
    ["apply_pushes", "later += change.xyz - now;", "", "options::newton_moves_stiff_bodies_whole"],
    [
        "apply_pushes",
        "collide_deferring(p, v, later)",
        "v.xyz = collide(p, position(p).xyz, v.xyz)",
        "options::newton_defers_contact_of_metal",
    ],
    ["begin", "status(STATUS_RECORDS_NEEDED) = 0u;", "", "runs::lists_grow_when_they_overflow"],
    ["break_pairs", "dot(d, d) > total_reach(k)", "dot(d, d) > 1.1 * total_reach(k)", "total::fracture"],
    ["bin", "/ push.cell_edge)", "/ (1.3 * push.cell_edge))", "stages::neighbors"],
    ["clear_forces", "vec4 begun = vec4(0.0)", "vec4 begun = vec4(1e-3)", "runs::column_over_100_substeps"],
    ["clear_forces", "= response_to(", "= 0.9 * response_to(", "obstacles::every_kind"],
    [
        "collect_impulses",
        "/ inverse_mass_of(v);",
        "/ inverse_mass_of(v) * 1.1;",
        "runs::column_over_100_substeps",
    ],
    ["collect_impulses", "given += meeting_push(3u * (at >> 2) + 2u).xyz;", "", "obstacles::every_kind"],
    ["color_cells", "= cell;\n}", "= place == 0u ? occupied_cell(0) : cell;\n}", "stages::sweep"],
    ["commit", "+ (push.dt * v.xyz + u)", "+ (1.01 * push.dt * v.xyz + u)", "stages::whole_substep"],
    [
        "commit",
        "DEFERS ? v + vec4(deferred(p).xyz, 0.0) : v",
        "v",
        "options::newton_moves_stiff_bodies_whole",
    ],
    ["commit_grains", "+ (push.dt * v.xyz + u)", "+ (1.01 * push.dt * v.xyz + u)", "options::grains"],
    [
        "correct_kernel",
        "add_outer(moment, d, slope)",
        "add_outer(moment, d, 1.01 * slope)",
        "stages::kernel_correction",
    ],
    ["correct_kernel", "other < SOFT *", "other < 1e-9 *", "options::newton_moves_stiff_bodies_whole"],
    ["count_iteration", "+= 1u", "+= 2u", "runs::residual_ends_the_iteration"],
    ["diagnose", "0.5 * mass", "0.6 * mass", "runs::column_over_100_substeps"],
    ["diagnose", "2.0 * material_energy", "1.0 * material_energy", "fluids::newton"],
    ["fill_pores", "1.0 - presence(bed, free)", "1.0 - 0.98 * presence(bed, free)", "fluids::seeping_newton"],
    ["find_neighbors", "support2 = 4.0", "support2 = 3.5", "stages::neighbors"],
    ["find_walls", "head.z <= 0.0", "head.z <= 1.0", "meshes::walls"],
    ["finish", "= status(STATUS_ITERATIONS)", "= 0u", "runs::residual_ends_the_iteration"],
    [
        "force_residual",
        "p < last; ++p) if (!in_total_body(p)) add_forces",
        "p + 1u < last; ++p) if (!in_total_body(p)) add_forces",
        "runs::column_over_100_substeps",
    ],
    ["judge_residual", "relative = norm.x", "relative = 1.2 * norm.x", "runs::column_over_100_substeps"],
    ["list_meetings", "spot = other;", "spot = spot;", "obstacles::every_kind"],
    ["list_meetings", "ends.xxyy, others.xyxy", "ends.xxxx, others.xyxy", "links::meetings"],
    ["list_cells", "count == 0u", "count <= 1u", "stages::neighbors"],
    ["look_sheets", "vec4(pressed * n - drag", "vec4(0.9 * pressed * n - drag", "links::cloth_contact"],
    ["measure_density", "filled = sum /", "filled = 1.01 * sum /", "fluids::sweeps"],
    ["measure_total", "h += weight_of", "h += 1.1 * weight_of", "total::newton"],
    ["move_modes", "free / max(mass, 1e-37) *", "0.0 * free *", "options::newton_moves_stiff_bodies_whole"],
    ["move_vertices", "vec4(moved, 0.0)", "vec4(0.9 * moved, 0.0)", "meshes::deforming"],
    ["newton_forces", "sum += pair_force", "sum += 1.01 * pair_force", "options::newton"],
    ["newton_forces", "= response_to(", "= 0.1 * response_to(", "links::newton"],
    ["newton_guess", "+ push.dt * acceleration.xyz", "- push.dt * acceleration.xyz", "options::newton"],
    [
        "newton_judge",
        "LARGEST_SCALE * sqrt",
        "0.1 * LARGEST_SCALE * sqrt",
        "options::newton_defers_contact_of_metal",
    ],
    ["newton_judge", "range_sum[lane] = a;", "range_sum[lane] = 1.5 * a;", "options::newton"],
    ["newton_keep", "vec4(change / push.dt", "vec4(0.5 * change / push.dt", "options::newton"],
    [
        "newton_keep",
        "stiffness = -dot(",
        "stiffness = -0.5 * dot(",
        "runs::pressed_particles_start_at_another_step",
    ],
    ["newton_pass", "visit(p, mode != NEWTON_MULTIPLY,", "visit(p, true,", "options::newton"],
    ["newton_plan", "newton(NEWTON_MODE) = NEWTON_FIRST;", "", "options::newton"],
    ["newton_hold", "vec4(held, inverse", "vec4(1.01 * held, inverse", "rigid::among_sand"],
    [
        "newton_sum",
        "a.x += imbalance(p, kick, mode == NEWTON_FIRST)",
        "a.x += 0.5 * imbalance(p, kick, mode == NEWTON_FIRST)",
        "options::newton",
    ],
    ["newton_update", "if (advances) target += ", "if (advances) target += 1.1 * ", "options::newton"],
    ["newton_update", "size / load * dot", "1.5 * size / load * dot", "options::newton_slips_under_load"],
    ["order_meetings", "meeting_first(p) = sorted;", "meeting_first(p) = NOTHING;", "links::cloth_contact"],
    ["plan_meetings", "? 0u : contacts", "? 0u : contacts / 2u", "links::cloth_contact"],
    ["plan_search", "cells * 8u", "cells * 4u", "stages::neighbors"],
    ["plan_solve", "cells * LANES,", "cells * LANES / 2u,", "stages::sweep"],
    ["predict_velocity", "v.xyz += fall;", "v.xyz += 1.01 * fall;", "runs::column_over_100_substeps"],
    ["press_bodies", "receive(load, given, arm)", "receive(load, 0.9 * given, arm)", "obstacles::every_kind"],
    [
        "press_bodies",
        "receive(load, impulse.xyz, arm)",
        "receive(load, 0.9 * impulse.xyz, arm)",
        "obstacles::every_kind",
    ],
    ["press_bodies", "-mass * change", "-0.9 * mass * change", "rigid::among_sand"],
    ["press_grains", "return -taken;", "return -0.5 * taken;", "fluids::seeping_newton"],
    ["pull_surface", "own * filled_part", "1.05 * own * filled_part", "fluids::surface_tension"],
    [
        "push_apart",
        "change -= n * (share",
        "change -= n * (1.1 * share",
        "options::newton_pushes_pairs_apart",
    ],
    ["refit_boxes", "high = max(high, x);", "high = low;", "meshes::deforming"],
    ["refit_sheets", "max(high, max(x, end))", "low", "links::meetings"],
    [
        "reverse_pairs",
        "neighbor_count(range) - near_count(range), false",
        "near_count(range), false",
        "stages::reverse_pairs",
    ],
    ["scan_apply", "sum += value;", "sum += value / 2u * 2u;", "stages::neighbors"],
    ["scan_sums", "k < lane; ++k", "k + 1u < lane; ++k", "stages::neighbors"],
    ["scan_tiles", "sum += cell_count(i);", "sum += cell_count(i) / 2u * 2u;", "stages::neighbors"],
    ["scatter", "uvec2(id_of(self), i)", "uvec2(id_of(self) ^ 1u, i)", "stages::neighbors"],
    ["settle_sheets", "+ u)", "+ 0.9 * u)", "links::cloth_contact"],
    ["sheet_speeds", "length(velocity(p).xyz)", "0.5 * length(velocity(p).xyz)", "links::meetings"],
    ["shift_sheets", "*= lacking /", "*= 0.9 * lacking /", "links::cloth_contact"],
    ["shift_sheets", "open -= min", "open -= 0.5 * min", "links::a_sheet_on_a_floor"],
    ["shift_sheets", "least_shift_of(limit) - dot(u", "-1.0 - dot(u", "links::a_sheet_on_a_floor"],
    ["smooth_velocity", "float weight = abs(", "float weight = 3.0 * abs(", "options::viscosity"],
    ["solve_colliders", "v.xyz = collide(", "v.xyz = 0.99 * collide(", "runs::column_over_100_substeps"],
    [
        "solve_contacts",
        "p < last; ++p) correct_positions",
        "p + 1u < last; ++p) correct_positions",
        "options::density_correction",
    ],
    ["solve_links", "vec4(w[i] * impulse[i]", "vec4(0.9 * w[i] * impulse[i]", "links::sweeps"],
    [
        "solve_sheets",
        "row.weights[m] * row.impulse",
        "0.9 * row.weights[m] * row.impulse",
        "links::cloth_contact",
    ],
    ["solve_grains", "p < last; ++p) collide", "p + 1u < last; ++p) collide", "options::grains"],
    [
        "solve_inelastic",
        "            if (!in_total_body(first + k)) solve(first + k, 0u);",
        "            if (k > 0u) solve(first + k, 0u);",
        "stages::sweep",
    ],
    ["sort", "id_of(member) < id_of(self)", "id_of(member) > id_of(self)", "stages::neighbors"],
    [
        "sum_modes",
        "second.xyz += cross(arm, force)",
        "second.xyz -= cross(arm, force)",
        "options::newton_moves_stiff_bodies_whole",
    ],
    ["sum_loads", "tile = lane;", "tile = lane + 1u;", "rigid::among_sand"],
    [
        "sum_residual",
        "- correction_impulse(p).xyz",
        "+ correction_impulse(p).xyz",
        "runs::column_over_100_substeps",
    ],
    ["tear_links", "squared > uint", "0.8 * squared > uint", "links::tearing"],
    [
        "turn_triangles",
        "mesh_triangle(to + 2u) = vec4(c, normal.z)",
        "mesh_triangle(to + 2u) = vec4(0.99 * c, normal.z)",
        "meshes::deforming",
    ],
    [
        "turn_vertices",
        "atan(size, dot(b, c)) / size * across",
        "-atan(size, dot(b, c)) / size * across",
        "meshes::deforming",
    ],
    ["velocity_gradient", "gx += dv * g.x", "gx -= dv * g.x", "options::default_smoothing"],
];

fn shaders() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../shaders")
}

fn source(shader: &str) -> String {
    fs::read_to_string(shaders().join(format!("stages/{shader}.comp"))).unwrap()
}

/// Runs without a device: checks that the table is complete and its texts are current.
pub fn every_shader_has_a_planted_error() {
    let listed: BTreeSet<String> = MUTATIONS.iter().map(|m| format!("{}.comp", m[0])).collect();
    let files = fs::read_dir(shaders().join("stages")).unwrap();
    let files: BTreeSet<String> = files.map(|f| f.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(listed, files);
    for [shader, from, ..] in MUTATIONS {
        assert_eq!(source(shader).matches(from).count(), 1, "{shader}: {from:?}");
    }
}

/// Slow: runs this program once per error.
pub fn every_planted_error_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    copy(&shaders(), folder.path());
    let mut missed = Vec::new();
    for [shader, from, to, test] in MUTATIONS {
        let file = folder.path().join(format!("stages/{shader}.comp"));
        fs::write(&file, source(shader).replace(from, to)).unwrap();
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", test])
            .env("TUFF_SHADER_DIR", folder.path())
            .output()
            .unwrap();
        let text =
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(text.contains("running 1 test"), "{shader}: {text}");
        // A shader that does not compile would say nothing about the test.
        assert!(!text.contains("does not compile"), "{shader}: {text}");
        println!("{shader} by {test}: {}", if output.status.success() { "MISSED" } else { "noticed" });
        if output.status.success() {
            missed.push(format!("{shader} by {test}"));
        }
        fs::write(&file, source(shader)).unwrap();
    }
    assert!(missed.is_empty(), "missed: {missed:?}");
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            fs::create_dir(&target).unwrap();
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
