//! Scenes with fluids: what they may leave out, and what they may not ask for.

use std::fs;

use crate::Place;

fn scene(keys: &str, body: &str) -> String {
    format!(
        r#"format = 1
[scene]
name = "pool"
[time]
frames = [1, 2]
[solver]
kernel_radius = 0.02
{keys}
[[material]]
name = "water"
model = "fluid"
density = 1000.0
[[body]]
name = "pool"
material = "water"
shape = {{ box = {{ min = [0.0, 0.1, 0.0], max = [0.1, 0.2, 0.1] }} }}
{body}
[[collider]]
name = "tank"
side = "inside"
shape = {{ box = {{ min = [0.0, 0.0, 0.0], max = [0.2, 0.4, 0.1] }} }}
"#
    )
}

#[test]
fn a_speed_of_sound_is_ten_times_that_of_the_deepest_fall() {
    let place = Place::with(&scene("", ""));
    // 10 sqrt(2 g h) from the top of the pool to the bottom of the tank, and 10 m/s on top of it.
    place.tuff(&["check", "scene.toml"]).stdout_says("19.809 m/s");
    fs::write(place.path("scene.toml"), scene("", "velocity = [1.0, 0.0, 0.0]")).unwrap();
    place.tuff(&["check", "scene.toml"]).stdout_says("22.190 m/s");
}

#[test]
fn what_a_fluid_cannot_do_is_refused() {
    Place::with(&scene("plasticity = \"semi_implicit\"", ""))
        .tuff(&["check", "scene.toml"])
        .expect(2, &["scene.toml:8", "plasticity", "a fluid would be a solid", "\"implicit\""]);
    Place::with(&scene("", "kinematics = \"total\""))
        .tuff(&["check", "scene.toml"])
        .expect(2, &["scene.toml:13", "body `pool`", "kinematics", "leave"]);
    for (key, value, allowed) in [
        ("viscosity", "-1e-6", "0"),
        ("viscosity", "nan", "0"),
        ("sound_speed", "0.0", "0"),
        ("sound_speed", "-3.0", "0"),
    ] {
        let text = scene("", "").replace("density = 1000.0", &format!("density = 1000.0\n{key} = {value}"));
        Place::with(&text).tuff(&["check", "scene.toml"]).expect(2, &["scene.toml:13", key, allowed]);
    }
}
