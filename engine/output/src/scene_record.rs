//! A scene as JSON, with every default filled in: part of `run.json`, and what a resumed run is compared with.
//!
//! Tables are taken apart field by field, so that the compiler refuses a new field that nothing records; shapes and motions are not.

use serde_json::{Value, json};
use tuff_scene::{
    Body, BodyKind, Checkpoints, Cloth, Collider, Emitter, FrameAttribute, Friction, Geometry, Gradient,
    Hold, Material, Matter, Mixture, Motion, Multiplier, Output, Pin, Plasticity, PositionCorrection,
    Preview, Rigid, Rope, Sampling, Scene, Selection, Shape, Sink, Smoothing, SolverSettings, Time, Up,
};

/// Returns a scene as JSON in the shape of the scene format.
pub fn scene_record(scene: &Scene) -> Value {
    let Scene {
        name,
        file: _,
        up,
        gravity,
        time,
        solver,
        materials,
        bodies,
        emitters,
        sinks,
        mixtures,
        colliders,
        rigid,
        pins,
        output,
        source: _,
    } = scene;
    let list = |records: Vec<Value>| Value::Array(records);
    json!({
        "format": 1,
        "scene": {
            "name": name,
            "up": match up { Up::Y => "y", Up::Z => "z" },
            "gravity": gravity.to_array(),
        },
        "time": time_record(time),
        "solver": solver_record(solver),
        "material": list(materials.iter().map(material_record).collect()),
        "body": list(bodies.iter().map(|body| body_record(scene, body)).collect()),
        "emitter": list(emitters.iter().map(|emitter| emitter_record(scene, emitter)).collect()),
        "sink": list(sinks.iter().map(sink_record).collect()),
        "mixture": list(mixtures.iter().map(|mixture| mixture_record(scene, mixture)).collect()),
        "collider": list(colliders.iter().map(collider_record).collect()),
        "rigid": list(rigid.iter().map(rigid_record).collect()),
        "pin": list(pins.iter().map(|pin| pin_record(scene, pin)).collect()),
        "output": output_record(output),
    })
}

fn time_record(time: &Time) -> Value {
    let Time { frame_rate, first_frame, last_frame, max_substep, substep_bounds } = time;
    json!({
        "frame_rate": frame_rate,
        "frames": [first_frame, last_frame],
        "max_substep": if substep_bounds.is_some() { json!("auto") } else { json!(max_substep) },
        "substep_bounds": substep_bounds,
        "substeps_per_frame": substep_bounds.is_none().then(|| time.substeps_per_frame()),
    })
}

fn solver_record(solver: &SolverSettings) -> Value {
    let SolverSettings {
        kernel_radius,
        matter,
        iterations,
        scheme,
        plasticity,
        gradient,
        multiplier,
        kernel_correction,
        residual_tolerance,
        smoothing,
        stabilization,
        position_correction,
        given: _,
    } = solver;
    let mut record = json!({
        "kernel_radius": kernel_radius,
        "matter": match matter { Matter::Continuum => "continuum", Matter::Grains { .. } => "grains" },
        "iterations": iterations,
        "scheme": scheme.name(),
        "plasticity": match plasticity {
            Plasticity::Implicit => "implicit",
            Plasticity::SemiImplicit => "semi_implicit",
        },
        "gradient": match gradient { Gradient::Kirchhoff => "kirchhoff", Gradient::Literal => "literal" },
        "multiplier": match multiplier { Multiplier::Scalar => "scalar", Multiplier::Tensor => "tensor" },
        "kernel_correction": kernel_correction,
        "residual_tolerance": residual_tolerance,
        "stabilization": stabilization,
        "position_correction": match position_correction {
            PositionCorrection::None => json!({ "kind": "none" }),
            PositionCorrection::Distance { gap } => json!({ "kind": "distance", "gap": gap }),
            PositionCorrection::Density { threshold } => json!({ "kind": "density", "threshold": threshold }),
        },
    });
    if let Matter::Grains { friction } = matter {
        record["grain_friction"] = json!(friction);
    }
    match smoothing {
        Smoothing::Xsph(c) => record["xsph"] = json!(c),
        Smoothing::Viscosity(nu) => record["viscosity"] = json!(nu),
        Smoothing::Noise(nu) => record["viscosity_of_noise"] = json!(nu),
    }
    record
}

/// Describes a material by what the scene or its preset gives; `materials` of `run.json` has the values of all parameters.
fn material_record(material: &Material) -> Value {
    let Material { name, model, density, parameters: _, given } = material;
    let mut record = json!({ "name": name, "model": model, "density": density });
    for (key, value) in given {
        record[key] = json!(value);
    }
    record
}

fn body_record(scene: &Scene, body: &Body) -> Value {
    let Body { name, material, shape, sampling, velocity, angular_velocity, push_out, kind } = body;
    let mut record = json!({
        "name": name,
        "material": scene.materials[*material].name,
        "shape": shape_record(shape),
        "sampling": sampling_record(sampling),
        "velocity": velocity.to_array(),
        "angular_velocity": angular_velocity.to_array(),
        "overlap": if *push_out { "push_out" } else { "error" },
    });
    match kind {
        BodyKind::Total { fracture_strain } => {
            record["kinematics"] = json!("total");
            if fracture_strain.is_finite() {
                record["fracture_strain"] = json!(fracture_strain);
            }
        }
        BodyKind::Cloth(cloth) => record["cloth"] = cloth_record(cloth),
        BodyKind::Rope(rope) => record["rope"] = rope_record(rope),
        BodyKind::Matter | BodyKind::Emitted => {}
    }
    record
}

fn cloth_record(cloth: &Cloth) -> Value {
    let Cloth {
        triangles,
        areas: _,
        spacing: _,
        surface_density,
        stretch_stiffness,
        poisson_ratio,
        bending_stiffness,
        damping,
        thickness,
        tear_strain,
        friction,
        contact,
    } = cloth;
    json!({
        "triangles": triangles.len(),
        "area": cloth.area(),
        "surface_density": surface_density,
        "stretch_stiffness": stretch_stiffness,
        "poisson_ratio": poisson_ratio,
        "bending_stiffness": bending_stiffness,
        "damping": damping,
        "thickness": thickness,
        "tear_strain": tear_strain,
        "friction": friction,
        "contact": contact,
    })
}

fn rope_record(rope: &Rope) -> Value {
    let Rope { segments: _, lengths: _, radius, linear_density, stretch_stiffness, bending_stiffness } = rope;
    json!({
        "length": rope.length(),
        "radius": radius,
        "linear_density": linear_density,
        "stretch_stiffness": stretch_stiffness,
        "bending_stiffness": bending_stiffness,
    })
}

fn emitter_record(scene: &Scene, emitter: &Emitter) -> Value {
    let Emitter { body, start, end, max_particles } = emitter;
    json!({
        "name": scene.bodies[*body].name,
        // JSON has no infinity.
        "time": [Some(start), Some(end).filter(|end| end.is_finite())],
        "max_particles": max_particles,
    })
}

fn sink_record(sink: &Sink) -> Value {
    let Sink { name, shape } = sink;
    json!({ "name": name, "shape": shape_record(shape) })
}

fn mixture_record(scene: &Scene, mixture: &Mixture) -> Value {
    let Mixture { fluid, grains, grain_diameter, porosity, cohesion } = mixture;
    json!({
        "fluid": scene.materials[*fluid].name,
        "grains": scene.materials[*grains].name,
        "grain_diameter": grain_diameter,
        "porosity": porosity,
        "cohesion": cohesion,
    })
}

fn collider_record(collider: &Collider) -> Value {
    let Collider { name, shape, inside, sheet, thickness, friction, adhesion, motion } = collider;
    let mut record = json!({
        "name": name,
        "shape": shape_record(shape),
        "side": if *sheet { "both" } else if *inside { "inside" } else { "outside" },
        "thickness": thickness,
        "adhesion": adhesion,
        "motion": motion_record(motion),
    });
    record_friction(&mut record, *friction);
    record
}

fn rigid_record(rigid: &Rigid) -> Value {
    let Rigid { name, shape, weight, velocity, angular_velocity, friction, restitution, adhesion, hold } =
        rigid;
    let hold = hold.map(|hold| match hold {
        Hold::Ball(point) => json!({ "ball": point.to_array() }),
        Hold::Hinge { point, axis } => {
            json!({ "hinge": { "point": point.to_array(), "axis": axis.to_array() } })
        }
    });
    let properties = shape.mass_properties();
    let mut record = json!({
        "name": name,
        "shape": shape_record(shape),
        "mass": weight.mass(properties.volume),
        "center": properties.center.to_array(),
        "velocity": velocity.to_array(),
        "angular_velocity": angular_velocity.to_array(),
        "restitution": restitution,
        "adhesion": adhesion,
        "hold": hold,
    });
    record_friction(&mut record, *friction);
    record
}

fn record_friction(record: &mut Value, friction: Friction) {
    match friction {
        Friction::Coulomb(mu) => record["friction"] = json!(mu),
        Friction::Sticky => record["sticky"] = json!(true),
    }
}

fn pin_record(scene: &Scene, pin: &Pin) -> Value {
    let Pin { body, selection, motion } = pin;
    let mut record = json!({ "body": scene.bodies[*body].name, "motion": motion_record(motion) });
    match selection {
        Selection::Region(region) => record["region"] = shape_record(region),
        Selection::Vertices(vertices) => record["vertices"] = json!(vertices),
    }
    record
}

fn output_record(output: &Output) -> Value {
    let Output { particles, attributes, preview, checkpoint: Checkpoints { every, keep } } = output;
    let attributes: Vec<&str> = attributes.iter().map(FrameAttribute::name).collect();
    let formats: Vec<&str> = particles.iter().map(|format| format.name()).collect();
    let checkpoint = json!({ "every": every, "keep": keep });
    let mut record = json!({ "particles": formats, "attributes": attributes, "checkpoint": checkpoint });
    if let Some(Preview { width, height, camera, color_by }) = preview {
        record["preview"] = json!({ "width": width, "height": height });
        if let Some(camera) = camera {
            record["preview"]["camera"] = json!({
                "eye": camera.eye.to_array(), "target": camera.target.to_array(), "fov": camera.fov
            });
        }
        if let Some(attribute) = color_by {
            record["preview"]["color_by"] = json!(attribute.name());
        }
    }
    record
}

fn sampling_record(sampling: &Sampling) -> Value {
    match *sampling {
        Sampling::PoissonDisk { spacing, seed } => {
            json!({ "kind": "poisson_disk", "spacing": spacing, "seed": seed })
        }
        Sampling::Lattice { spacing, jitter, seed } => {
            json!({ "kind": "lattice", "spacing": spacing, "jitter": jitter, "seed": seed })
        }
    }
}

/// Describes a shape by its local geometry and placement; meshes and point clouds by their size.
fn shape_record(shape: &Shape) -> Value {
    let geometry = match &shape.geometry {
        Geometry::Plane => json!({}),
        Geometry::Box { half } => json!({ "half": half.to_array() }),
        Geometry::Sphere { radius } => json!({ "radius": radius }),
        Geometry::Cylinder { half_height, radius } | Geometry::Capsule { half_height, radius } => {
            json!({ "half_height": half_height, "radius": radius })
        }
        Geometry::Revolve { profile, .. } => {
            json!({ "profile": profile.iter().map(|p| p.to_array()).collect::<Vec<_>>() })
        }
        Geometry::Mesh(mesh) => {
            let bounds = shape.bounds();
            let mut record = json!({
                "bounds": [bounds.min.to_array(), bounds.max.to_array()],
                "vertices": mesh.vertices.len(),
                "triangles": mesh.triangles.len(),
            });
            if let Some(deformation) = mesh.deformation() {
                let last = deformation.last();
                record["deformation"] = json!({ "knots": last + 1, "until": deformation.time(last) });
            }
            record
        }
        Geometry::Points(points) => json!({ "count": points.len() }),
    };
    let mut record = json!({
        shape.geometry.kind(): geometry,
        "center": shape.center.to_array(),
        "rotation": shape.rotation.to_array(),
    });
    for (key, parts) in [("union", &shape.union), ("subtract", &shape.subtract)] {
        if !parts.is_empty() {
            record[key] = parts.iter().map(shape_record).collect();
        }
    }
    record
}

fn motion_record(motion: &Motion) -> Value {
    let keyframes: Vec<Value> = motion
        .keyframes
        .iter()
        .map(|k| json!({ "time": k.time, "translate": k.translate.to_array(), "rotation": k.rotation.to_array() }))
        .collect();
    json!({ "pivot": motion.pivot.to_array(), "keyframes": keyframes })
}
