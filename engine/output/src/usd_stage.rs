//! USD stage of a run: points as value clips over the frame files, colliders, rigid bodies and camera.

use std::fmt::Write as _;

use glam::{DMat4, DVec2, DVec3};
use tuff_problem::RigidState;
use tuff_scene::{Camera, Collider, Geometry, Motion, Pose, Scene, Shape, Up};

use crate::columns::FrameLayout;
use crate::usd::POINTS;

/// Half edge length of the square that represents a plane [m].
const PLANE: f64 = 10.0;

/// Number of segments around the axis of a solid of revolution.
const SEGMENTS: usize = 48;

/// Vertical aperture of the camera [tenths of a scene unit].
const APERTURE: f64 = 24.0;

/// Stage text for `frames`: frame numbers and file names in the same folder. `rigid`: the rigid bodies by frame number.
pub(crate) fn stage(
    scene: &Scene,
    layout: &FrameLayout,
    camera: Option<Camera>,
    frames: &[(u32, String)],
    rigid: &[(u32, Vec<RigidState>)],
) -> String {
    let up = match scene.up {
        Up::Y => "Y",
        Up::Z => "Z",
    };
    let [first, last] = [frames.first(), frames.last()].map(|frame| frame.map_or(0, |frame| frame.0));
    let rate = scene.time.frame_rate;
    let mut text = format!(
        "#usda 1.0\n(\n    defaultPrim = \"scene\"\n    startTimeCode = {first}\n    endTimeCode = {last}\n    timeCodesPerSecond = \
         {rate}\n    framesPerSecond = {rate}\n    metersPerUnit = 1\n    upAxis = \"{up}\"\n)\n\ndef Xform \"scene\"\n{{\n"
    );
    text += &points(layout, frames);
    let time = |code: u32| f64::from(code - scene.time.first_frame) / scene.time.frame_rate;
    for (index, collider) in scene.colliders.iter().enumerate() {
        let place = if collider.motion.is_static() {
            Place::Rest(collider.motion.pose(0.0))
        } else {
            Place::At((first..=last).map(|code| (code, collider.motion.pose(time(code)))).collect())
        };
        let deformed = collider.deformation().map_or(String::new(), |deformation| {
            let sample =
                |code: u32| format!("            {code}: {},\n", tuples(&deformation.positions(time(code))));
            let samples: String = (first..=last).map(sample).collect();
            format!("        point3f[] points.timeSamples = {{\n{samples}        }}\n")
        });
        text += &solid(collider, &format!("collider_{index}"), &deformed, &place);
    }
    for (index, body) in scene.rigid.iter().enumerate() {
        let known: Vec<(u32, Pose)> =
            rigid.iter().filter_map(|(code, states)| Some((*code, states.get(index)?.pose()))).collect();
        let place = if known.is_empty() { Place::Rest(Motion::IDENTITY.pose(0.0)) } else { Place::At(known) };
        text += &solid(&body.as_collider(), &format!("rigid_{index}"), "", &place);
    }
    if let Some(camera) = camera {
        text += &camera_prim(camera, scene.up);
    }
    text + "}\n"
}

/// Points prim with value clips from the frame files.
fn points(layout: &FrameLayout, frames: &[(u32, String)]) -> String {
    let list = |item: &dyn Fn(usize, &(u32, String)) -> String| {
        frames.iter().enumerate().map(|(i, frame)| item(i, frame)).collect::<Vec<_>>().join(", ")
    };
    format!(
        "    def Points \"{POINTS}\" (\n        clips = {{\n            dictionary default = {{\n                asset[] assetPaths = \
         [{}]\n                string primPath = \"/{POINTS}\"\n                double2[] active = [{}]\n                double2[] times \
         = [{}]\n            }}\n        }}\n    )\n    {{\n{}    }}\n\n",
        list(&|_, (_, file)| format!("@./{file}@")),
        list(&|i, (code, _)| format!("({code}, {i})")),
        list(&|_, (code, _)| format!("({code}, {code})")),
        layout.declarations("        ")
    )
}

/// Where a prim is.
enum Place {
    /// In one place.
    Rest(Pose),
    /// In these places, by frame number.
    At(Vec<(u32, Pose)>),
}

/// Prims of the shape of a collider or rigid body and of its parts. `deformed`: further attributes of the shape's prim.
fn solid(collider: &Collider, name: &str, deformed: &str, place: &Place) -> String {
    let mut text = prim(collider, &collider.shape, name, deformed, place);
    for (part, shape) in collider.shape.union.iter().enumerate() {
        text += &prim(collider, shape, &format!("{name}_part_{part}"), "", place);
    }
    text
}

/// Prim of one of a collider's shapes, without what is cut from it.
fn prim(collider: &Collider, shape: &Shape, name: &str, deformed: &str, place: &Place) -> String {
    let (kind, lines, scale) = match &shape.geometry {
        Geometry::Plane => ("Mesh", mesh(&plane(), &[vec![0, 1, 2, 3]]), DVec3::ONE),
        Geometry::Box { half } => ("Cube", "        double size = 2\n".to_owned(), *half),
        Geometry::Sphere { radius } => ("Sphere", format!("        double radius = {radius}\n"), DVec3::ONE),
        Geometry::Cylinder { half_height, radius } => {
            ("Cylinder", round(*radius, 2.0 * half_height), DVec3::ONE)
        }
        Geometry::Capsule { half_height, radius } => {
            ("Capsule", round(*radius, 2.0 * half_height), DVec3::ONE)
        }
        Geometry::Revolve { profile, .. } => {
            let (points, faces) = lathe(profile);
            ("Mesh", mesh(&points, &faces), DVec3::ONE)
        }
        Geometry::Mesh(of) => {
            let faces: Vec<Vec<usize>> =
                of.triangles.iter().map(|t| t.iter().map(|&v| v as usize).collect()).collect();
            ("Mesh", mesh(&of.vertices, &faces), DVec3::ONE)
        }
        // Colliders cannot have this shape.
        Geometry::Points(_) => return String::new(),
    };
    let rest = DMat4::from_scale_rotation_translation(scale, shape.rotation, shape.center);
    let cuts = match collider.shape.subtract.len() {
        0 => String::new(),
        count => format!("        doc = \"without the {count} shapes that are cut from it\"\n"),
    };
    let at = |pose: &Pose| {
        // Columns of the rigid motion, from the images of the origin and the axes.
        let origin = pose.apply(DVec3::ZERO);
        let axis = |axis: DVec3| (pose.apply(axis) - origin).extend(0.0);
        DMat4::from_cols(axis(DVec3::X), axis(DVec3::Y), axis(DVec3::Z), origin.extend(1.0)) * rest
    };
    let transform = match place {
        Place::Rest(pose) => format!("        matrix4d xformOp:transform = {}\n", matrix(at(pose))),
        Place::At(poses) => {
            let sample = |(code, pose): &(u32, Pose)| format!("            {code}: {},\n", matrix(at(pose)));
            let samples: String = poses.iter().map(sample).collect();
            format!("        matrix4d xformOp:transform.timeSamples = {{\n{samples}        }}\n")
        }
    };
    format!(
        "    def {kind} \"{name}\" (\n        displayName = {:?}\n{cuts}    )\n    {{\n{lines}{deformed}{transform}        uniform token[] \
         xformOpOrder = [\"xformOp:transform\"]\n    }}\n\n",
        collider.name
    )
}

/// Attributes of a cylinder or capsule along y.
fn round(radius: f64, height: f64) -> String {
    format!(
        "        uniform token axis = \"Y\"\n        double height = {height}\n        double radius = {radius}\n"
    )
}

fn plane() -> Vec<DVec3> {
    [(-PLANE, -PLANE), (-PLANE, PLANE), (PLANE, PLANE), (PLANE, -PLANE)]
        .map(|(x, z)| DVec3::new(x, 0.0, z))
        .to_vec()
}

/// Revolves a closed profile about y into quadrilaterals.
fn lathe(profile: &[DVec2]) -> (Vec<DVec3>, Vec<Vec<usize>>) {
    let corners = profile.len();
    let meridian = |segment: usize| {
        let (sin, cos) = (std::f64::consts::TAU * segment as f64 / SEGMENTS as f64).sin_cos();
        profile.iter().map(move |corner| DVec3::new(corner.x * cos, corner.y, corner.x * sin))
    };
    let faces = (0..SEGMENTS).flat_map(|segment| {
        let [near, far] = [segment, (segment + 1) % SEGMENTS].map(|s| s * corners);
        (0..corners).map(move |corner| {
            let next = (corner + 1) % corners;
            vec![near + corner, near + next, far + next, far + corner]
        })
    });
    ((0..SEGMENTS).flat_map(meridian).collect(), faces.collect())
}

fn mesh(points: &[DVec3], faces: &[Vec<usize>]) -> String {
    let join = |items: Vec<String>| items.join(", ");
    let mut text = String::from("        uniform token subdivisionScheme = \"none\"\n");
    let counts = faces.iter().map(|face| face.len().to_string()).collect();
    let indices = faces.iter().flatten().map(usize::to_string).collect();
    let _ = writeln!(text, "        int[] faceVertexCounts = [{}]", join(counts));
    let _ = writeln!(text, "        int[] faceVertexIndices = [{}]", join(indices));
    let _ = writeln!(text, "        point3f[] points = {}", tuples(points));
    text
}

fn tuples(points: &[DVec3]) -> String {
    let point = |p: &DVec3| format!("({}, {}, {})", p.x as f32, p.y as f32, p.z as f32);
    format!("[{}]", points.iter().map(point).collect::<Vec<_>>().join(", "))
}

/// Formats a matrix in USD's row-vector convention.
fn matrix(m: DMat4) -> String {
    let row = |v: glam::DVec4| format!("({}, {}, {}, {})", v.x, v.y, v.z, v.w);
    format!("( {}, {}, {}, {} )", row(m.x_axis), row(m.y_axis), row(m.z_axis), row(m.w_axis))
}

/// Camera prim. USD cameras look along -z with y up.
fn camera_prim(camera: Camera, up: Up) -> String {
    let up = match up {
        Up::Y => DVec3::Y,
        Up::Z => DVec3::Z,
    };
    let back = (camera.eye - camera.target).normalize();
    let right = up.cross(back).try_normalize().unwrap_or_else(|| back.any_orthonormal_vector());
    let axes = [right, back.cross(right), back].map(|axis| axis.extend(0.0));
    let placed = DMat4::from_cols(axes[0], axes[1], axes[2], camera.eye.extend(1.0));
    let focal = 0.5 * APERTURE / (0.5 * camera.fov.to_radians()).tan();
    format!(
        "    def Camera \"camera\"\n    {{\n        float focalLength = {focal}\n        float verticalAperture = {APERTURE}\n        float \
         horizontalAperture = {}\n        float2 clippingRange = (0.001, 10000)\n        matrix4d xformOp:transform = {}\n        uniform \
         token[] xformOpOrder = [\"xformOp:transform\"]\n    }}\n",
        APERTURE * 16.0 / 9.0,
        matrix(placed)
    )
}
