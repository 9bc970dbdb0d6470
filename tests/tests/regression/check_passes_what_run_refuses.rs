//! `tuff check` called scenes valid that `tuff run` refused, or that failed in their first substep with advice about the step.

use tuff_tests::program::{Place, SCENE};

#[test]
fn what_no_device_can_hold_is_told_by_check() {
    let spheres: String = (0..300)
        .map(|i| {
            format!("[[collider]]\nname = \"c{i}\"\nshape = {{ sphere = {{ center = [{i}.0, -5.0, 0.0], radius = 0.1 }} }}\n")
        })
        .collect();
    let name = format!("name = \"{}\"\n[time]", "n".repeat(201));
    let far = "min = [1.0e7, 0.0, 0.0], max = [10000000.1, 0.1, 0.1]";
    let near = "min = [0.0, 0.0, 0.0], max = [0.1, 0.1, 0.1]";
    for (from, to, words) in [
        ("[output]", format!("{spheres}[output]"), ["300... faces, at most 255", "join or remove colliders"]),
        ("name = \"cube\"\n[time]", name, ["201 characters", "at most 200"]),
        (near, far.to_owned(), ["1.000e7 m from the origin", "move the scene to the origin"]),
        ("[time]", "gravity = [0.0, -1.0e300, 0.0]\n[time]".to_owned(), ["scene.gravity", "at most 1e6 m/s"]),
        (
            "[[collider]]",
            "velocity = [1.0e30, 0.0, 0.0]\n[[collider]]".to_owned(),
            ["`cube` starts at 1.000e30", "1e6"],
        ),
        ("density = 1600.0", "density = 5.0e-324".to_owned(), ["particles of 0.000e0 kg", "1e-18"]),
        (
            near,
            "min = [0.0, 0.0, 0.0], max = [10.0, 10.0, 10.0]".to_owned(),
            ["particles, at most 16777216", "--particles"],
        ),
    ] {
        let words = words.map(|word| word.replace("300...", "301"));
        let place = Place::changed(from, &to);
        for command in ["check", "run"] {
            place.tuff(&[command, "scene.toml"]).expect(2, &words.each_ref().map(String::as_str));
        }
    }
}

/// Seven bodies, each with fewer particles than a scene may have.
#[test]
fn bodies_are_counted_together_before_they_are_sampled() {
    let more: String = (1..7)
        .map(|i| {
            format!(
                "[[body]]\nname = \"b{i}\"\nmaterial = \"sand\"\nshape = {{ box = {{ min = [{i}00.0, 0.0, 0.0], max = [{i}05.0, 5.0, 5.0] }} }}\n"
            )
        })
        .collect();
    let place = Place::changed("[output]", &format!("{more}[output]"));
    place.tuff(&["check", "scene.toml"]).expect(2, &["particles, at most 16777216", "of them"]);
}

#[test]
fn matter_that_nothing_stops_and_starts_that_leap_are_told() {
    let turned = Place::changed("normal = [0.0, 1.0, 0.0]", "normal = [0.0, 0.0, 1.0]");
    turned
        .tuff(&["check", "scene.toml"])
        .expect(0, &["`cube` falls forever", "`floor` faces [0, 0, 1]", "has the normal [0, 1, 0]"]);
    let fast = Place::changed("[[collider]]", "velocity = [0.0, 10.0, 0.0]\n[[collider]]");
    fast.tuff(&["check", "scene.toml"])
        .expect(0, &["`cube` starts at 10.000 m/s", "`max_substep = 1.25e-3` or less"]);
    let sound = Place::with(SCENE).tuff(&["check", "scene.toml"]);
    sound.expect(0, &[]);
    assert!(!sound.stderr.contains("warning"), "{}", sound.stderr);
}
