//! `failure/failure.json`: the record of a failed simulation.

use serde_json::{Map, Value, json};
use tuff_problem::{Evidence, Examination, Failure, Problem};

use crate::folder::FAILURE_FILES;
use crate::manifest::counter_record;

/// Returns the state words of the examined particle by name, exported or not.
pub fn particle_state<'a>(problem: &'a Problem, seen: &Examination) -> Vec<(&'a str, f32)> {
    let model = &problem.models[problem.materials[seen.material as usize].model];
    let names = model.descriptor().states.iter().map(|state| state.name.as_str());
    names.zip(seen.state).collect()
}

/// Returns the failure as JSON. Numbers that are not finite are null.
pub fn failure_record(
    problem: &Problem,
    failure: &Failure,
    evidence: &Evidence,
    seen: &Examination,
) -> Value {
    let scene = &problem.scene;
    let material = &problem.materials[seen.material as usize];
    let model = &problem.models[material.model];
    let state: Map<String, Value> = particle_state(problem, seen)
        .into_iter()
        .map(|(name, word)| (name.to_owned(), json!(word)))
        .collect();
    let name_of = |collider: &usize| scene.obstacle(*collider).1;
    let faults: Vec<String> =
        problem.models.iter().filter_map(|model| model.fault()).map(|f| f.to_string()).collect();
    json!({
        "format": 1,
        "failure": failure.kind.to_string(),
        "advice": problem.advice(failure),
        "frame": failure.frame,
        "substep": failure.substep,
        "substep_length": evidence.dt,
        "time": evidence.time,
        "began": {
            "stage": failure.point.stage,
            "iteration": failure.point.iteration,
            "color": failure.point.color,
            "quantity": evidence.origin.quantity,
            "bad_particles_at_the_end": evidence.bad,
            "particles": problem.particle_count(),
        },
        "particle": {
            "id": evidence.origin.particle,
            "body": scene.bodies[seen.body as usize].name,
            "material": material.name,
            "model": model.descriptor().id,
            "library": model.file().display().to_string(),
            "pinned": seen.pinned,
            "position": seen.position,
            "velocity": seen.velocity,
            "kernel_radii_per_substep": seen.travel,
            "principal_stretches": seen.stretches,
            "volume_ratio": seen.volume_ratio,
            "state": state,
        },
        "neighborhood": {
            "neighbors": seen.neighbors,
            "nearest": seen.nearest.map(|(id, distance)| json!({ "id": id, "kernel_radii": distance })),
            "rank": seen.rank,
        },
        "collider": seen.collider.map(|(collider, gap)| {
            json!({ "kind": scene.obstacle(collider).0, "name": name_of(&collider), "gap": gap })
        }),
        "contacts": seen.contacts.iter().map(name_of).collect::<Vec<_>>(),
        "limiters": {
            "in_this_substep": counter_record(&evidence.in_substep),
            "in_this_frame_before": counter_record(&evidence.in_frame),
            "in_the_last_frame": evidence.in_last_frame.as_ref().map(counter_record),
        },
        "library_faults": faults,
        "surroundings": { "file": FAILURE_FILES[1], "particles": evidence.surroundings.id.len() },
    })
}
