use glam::{DQuat, DVec3};

use super::*;

/// Numbers of a cloth without triangles.
fn cloth(poisson_ratio: f64, damping: f64) -> Cloth {
    Cloth {
        triangles: Vec::new(),
        areas: Vec::new(),
        spacing: 0.02,
        surface_density: 0.2,
        stretch_stiffness: 50.0,
        poisson_ratio,
        bending_stiffness: 1e-3,
        damping,
        thickness: 1e-3,
        tear_strain: 0.0,
        friction: 0.5,
        contact: true,
    }
}

/// A bent patch of a triangle and its neighbors at rest [m].
const REST: [DVec3; 6] = [
    DVec3::ZERO,
    DVec3::new(0.02, 0.001, 0.0),
    DVec3::new(0.007, 0.019, 0.002),
    DVec3::new(0.024, 0.02, 0.003),
    DVec3::new(-0.012, 0.011, -0.002),
    DVec3::new(0.009, -0.017, 0.004),
];

/// The patch in motion [m].
const AT: [DVec3; 6] = [
    DVec3::ZERO,
    DVec3::new(0.021, 0.002, -0.001),
    DVec3::new(0.009, 0.021, 0.004),
    DVec3::new(0.023, 0.024, 0.008),
    DVec3::new(-0.01, 0.011, 0.007),
    DVec3::new(0.008, -0.016, -0.003),
];

/// The patch a moment before [m].
const BEFORE: [DVec3; 6] = [
    DVec3::ZERO,
    DVec3::new(0.0208, 0.001, -0.0011),
    DVec3::new(0.0085, 0.0206, 0.0041),
    DVec3::new(0.0234, 0.0238, 0.0078),
    DVec3::new(-0.0103, 0.0113, 0.0071),
    DVec3::new(0.0079, -0.0163, -0.0028),
];

fn link(kind: Kind, numbers: Numbers) -> Link {
    let members = std::array::from_fn(|i| if i < kind.members() { i as u32 } else { NO_MEMBER });
    Link { kind, members, numbers, triangles: [NO_MEMBER; 4] }
}

fn curved(damping: f64, across: [bool; 3]) -> Link {
    let across = std::array::from_fn(|i| across[i].then_some(REST[3 + i]));
    link(Kind::Curve, curve::numbers([REST[0], REST[1], REST[2]], across, &cloth(0.3, damping)).unwrap())
}

fn links(damping: f64) -> [Link; 5] {
    let triangle = [REST[0], REST[1], REST[2]];
    [
        link(Kind::Stretch, stretch::numbers(0.02, 1e3)),
        link(Kind::Bend, bend::numbers([0.02, 0.03], 0.4)),
        link(Kind::Membrane, membrane::numbers(triangle, &cloth(0.3, damping))),
        curved(damping, [true; 3]),
        curved(damping, [true, false, true]),
    ]
}

fn still(x: &[DVec3]) -> Ends<'_> {
    Ends { start: x, end: x, dt: 1.0 }
}

fn moved(role: usize, by: DVec3) -> [DVec3; 6] {
    let mut x = AT;
    x[role] += by;
    x
}

/// Gradients are derivatives of the energy; they and the damping move nothing and turn nothing.
#[test]
fn gradients_follow_from_the_energy() {
    for link in links(0.0) {
        let count = link.kind.members();
        for role in 0..count {
            let gradient = link.gradients(still(&AT))[role];
            for axis in DVec3::AXES {
                let step = 1e-7;
                let slope = (link.energy(&moved(role, step * axis))
                    - link.energy(&moved(role, -step * axis)))
                    / (2.0 * step);
                let largest = gradient.length().max(link.gradients(still(&AT))[0].length());
                assert!((slope - gradient.dot(axis)).abs() < 1e-5 * largest, "{link:?} {role}");
            }
        }
    }
    for damping in [0.0, 1e-3] {
        for link in links(damping) {
            let count = link.kind.members();
            let ends = Ends { start: &BEFORE, end: &AT, dt: 1e-3 };
            let force = |role: usize| link.gradients(ends)[role];
            let size: f64 = (0..count).map(|role| force(role).length()).sum();
            let total: DVec3 = (0..count).map(force).sum();
            let torque: DVec3 = (0..count).map(|role| AT[role].cross(force(role))).sum();
            assert!(total.length() < 1e-9 * size, "{link:?} pushes itself");
            assert!(torque.length() < 1e-9 * size, "{link:?} turns itself: {torque}");
        }
    }
}

/// Products are derivatives of the gradients where nothing is compressed and nothing rests bent; blocks are parts of them, and the
/// matrix is symmetric and never negative.
#[test]
fn products_follow_from_the_gradients() {
    let flat = REST.map(|x| DVec3::new(x.x, x.y, 0.0));
    for damping in [0.0, 1e-3] {
        let triangle = [flat[0], flat[1], flat[2]].map(|x| 0.9 * x);
        let across = [flat[3], flat[4], flat[5]].map(Some);
        let bent = curve::numbers([flat[0], flat[1], flat[2]], across, &cloth(0.3, 0.0)).unwrap();
        let [stretch, bend, ..] = links(0.0);
        let tense = link(Kind::Membrane, membrane::numbers(triangle, &cloth(0.3, damping)));
        for link in [stretch, bend, tense, link(Kind::Curve, bent)] {
            let count = link.kind.members();
            for (role, other) in (0..count).flat_map(|role| (0..count).map(move |other| (role, other))) {
                for axis in DVec3::AXES {
                    let step = 1e-7;
                    let at = |x: &[DVec3; 6]| link.gradients(Ends { start: &AT, end: x, dt: 1e-3 })[role];
                    let change =
                        (at(&moved(other, step * axis)) - at(&moved(other, -step * axis))) / (2.0 * step);
                    let mut u = [DVec3::ZERO; 6];
                    u[other] = axis;
                    let product = link.products(Ends { start: &AT, end: &AT, dt: 1e-3 }, &u)[role];
                    let stiff = link.blocks(still(&AT))[role].col(0).length();
                    assert!(
                        change.distance(product) < 1e-4 * stiff.max(change.length()),
                        "{link:?} {role} {other}"
                    );
                }
            }
        }
    }
    for link in links(1e-3) {
        let ends = Ends { start: &BEFORE, end: &AT, dt: 1e-3 };
        let count = link.kind.members();
        let unit = |k: usize| {
            let mut u = [DVec3::ZERO; 6];
            u[k / 3] = DVec3::AXES[k % 3];
            u
        };
        let entry = |i: usize, j: usize| link.products(ends, &unit(j))[i / 3][i % 3];
        let largest = (0..3 * count).map(|i| entry(i, i)).fold(0.0, f64::max);
        for (i, j) in (0..3 * count).flat_map(|i| (0..3 * count).map(move |j| (i, j))) {
            assert!((entry(i, j) - entry(j, i)).abs() < 1e-9 * largest, "{link:?} {i} {j}");
            if i / 3 == j / 3 {
                let block = link.blocks(ends)[i / 3].col(j % 3)[i % 3];
                assert!((block - entry(i, j)).abs() < 1e-9 * largest, "{link:?}: {i} {j}");
            }
        }
        for seed in 0..200_u32 {
            let draw = |k: u32| {
                f64::from((seed * 18 + k).wrapping_mul(2_654_435_761) >> 8) / f64::from(1 << 23) - 1.0
            };
            let u: [DVec3; 6] = std::array::from_fn(|i| {
                DVec3::new(draw(3 * i as u32), draw(3 * i as u32 + 1), draw(3 * i as u32 + 2))
            });
            let work: f64 = (0..count).map(|role| u[role].dot(link.products(ends, &u)[role])).sum();
            assert!(work > -1e-9 * largest, "{link:?}");
        }
    }
}

/// A repeated row, with one particle held, ends at the balance of the implicit step.
#[test]
fn rows_end_in_balance() {
    let (dt, w) = (1e-2, [0.0, 2.0, 3.0, 2.5, 1.5, 4.0]);
    for damping in [0.0, 2e-3] {
        for link in links(damping) {
            let (mut x, mut multipliers) = (AT, [DVec3::ZERO; MULTIPLIERS]);
            let mut momentum = [DVec3::ZERO; 6];
            for _ in 0..4000 {
                let ends = Ends { start: &BEFORE, end: &x, dt };
                let impulses = link.row(ends, &w, &mut multipliers);
                for i in 0..link.kind.members() {
                    momentum[i] += impulses[i];
                    x[i] += dt * w[i] * impulses[i];
                }
            }
            let forces: Vec<DVec3> = (0..link.kind.members())
                .map(|i| -link.gradients(Ends { start: &BEFORE, end: &x, dt })[i])
                .collect();
            let size = forces.iter().map(|force| force.length()).fold(1e-9, f64::max);
            // Directions turn while the rows are solved, and impulses applied before keep theirs.
            let within = match link.kind {
                Kind::Stretch | Kind::Bend => 1e-6,
                Kind::Membrane => 5e-3,
                Kind::Curve => 3e-2,
            };
            for (i, force) in forces.iter().enumerate() {
                let off = (momentum[i] / dt).distance(*force) / size;
                assert!(off < within, "{link:?} {i}: {off}");
            }
        }
    }
}

/// A membrane under uniform strain holds the energy of plane stress whatever the triangle, and a rotation leaves it at rest.
#[test]
fn a_membrane_is_exact() {
    let triangle = [REST[0], REST[1], REST[2]].map(|x| DVec3::new(x.x, x.y, 0.0));
    let link = link(Kind::Membrane, membrane::numbers(triangle, &cloth(0.3, 0.0)));
    let turn = DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 2.0);
    let area = 0.5 * triangle[1].cross(triangle[2]).length();
    let (a, b) = (0.02, -0.01);
    let energy = |stretch: DVec3| link.energy(&triangle.map(|x| turn * (stretch * x)));
    assert!(energy(DVec3::ONE).abs() < 1e-25);
    // Principal Green strains along x and y.
    let [e1, e2] = [a, b].map(|e: f64| 0.5 * ((1.0 + e) * (1.0 + e) - 1.0));
    let expected = area * 50.0 / (2.0 * (1.0 - 0.09)) * (e1 * e1 + e2 * e2 + 0.6 * e1 * e2);
    let found = energy(DVec3::new(1.0 + a, 1.0 + b, 1.0));
    assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
}

/// Bending holds the energy of a plate for any parabola over any patch; a flat or turned patch, and a bent one at rest, hold none.
#[test]
fn curvature_is_exact_for_parabolas() {
    let right = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (-1.0, 1.0), (1.0, -1.0)];
    let mirrored = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (-1.0, 0.0), (0.0, -1.0)];
    let irregular = [(0.0, 0.0), (1.2, 0.1), (0.3, 0.8), (1.1, 1.3), (-0.6, 0.7), (0.5, -0.9)];
    let turn = DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 2.0);
    for patch in [right, mirrored, irregular] {
        let flat = patch.map(|(x, y)| 0.01 * DVec3::new(x, y, 0.0));
        let across = [flat[3], flat[4], flat[5]].map(Some);
        let link =
            link(Kind::Curve, curve::numbers([flat[0], flat[1], flat[2]], across, &cloth(0.3, 0.0)).unwrap());
        let area = 0.5 * flat[1].cross(flat[2]).length();
        for [xx, yy, xy] in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.4, -0.7, 0.3]] {
            let bent = flat.map(|p| {
                let height = 0.5 * xx * p.x * p.x + 0.5 * yy * p.y * p.y + xy * p.x * p.y;
                turn * (p + DVec3::new(0.1, 0.2, 0.05 * p.x + height))
            });
            let expected = 0.5 * area * 1e-3 * (xx * xx + yy * yy + 0.6 * xx * yy + 1.4 * xy * xy);
            let found = link.energy(&bent);
            assert!((found / expected - 1.0).abs() < 2e-3, "{patch:?}, {xx} {yy} {xy}: {found} {expected}");
        }
    }
    let bent = curved(0.0, [true; 3]);
    assert!(bent.energy(&REST.map(|x| turn * x)) < 1e-12 * bent.energy(&AT));
    assert!((0..6).all(|role| bent.gradients(still(&REST))[role].length() < 1e-9));
}

#[test]
fn links_of_a_color_share_no_particle_and_every_particle_knows_its_links() {
    let members = |first: u32, count: usize| {
        std::array::from_fn(|i| if i < count { first + i as u32 } else { NO_MEMBER })
    };
    let chain = (0..9).map(|i| Link { members: members(10 + i, 2), ..links(0.0)[0] });
    let bends = (0..8).map(|i| Link { members: members(10 + i, 3), ..links(0.0)[1] });
    let links = Links::new(chain.chain(bends).collect(), 10, 20);
    assert_eq!(links.colors().count(), 2 + 3);
    for color in links.colors() {
        let of_color = &links.all[color];
        let mut ids: Vec<u32> = of_color.iter().flat_map(|link| link.ids().to_vec()).collect();
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert!(ids.len() == count && of_color.iter().all(|link| link.kind == of_color[0].kind));
    }
    for (id, ends) in (10..).zip(links.start.windows(2)) {
        let own = &links.incidences[ends[0] as usize..ends[1] as usize];
        assert!(own.iter().all(|of| links.all[of.link as usize].members[usize::from(of.role)] == id));
        // An inner particle of a chain has two neighbors and is in three bends.
        assert_eq!(own.len(), if (12..18).contains(&id) { 2 + 3 } else { own.len() });
    }
    assert_eq!((links.particle_count(), links.incidences.len()), (10, 9 * 2 + 8 * 3));
}

/// A corner that stands for a missing neighbor knows its link once, by its own role.
#[test]
fn who_stands_for_others_is_listed_once() {
    let half = Link { members: [12, 10, 11, 12, 13, 12], ..curved(0.0, [false, true, false]) };
    let links = Links::new(vec![half], 10, 14);
    assert_eq!(links.incidences.iter().map(|of| of.role).collect::<Vec<_>>(), [1, 2, 0, 4]);
}

#[test]
fn the_largest_stretch_is_that_of_the_deformation() {
    let corners = [DVec3::new(0.1, 0.2, 0.3), DVec3::new(1.0, 0.1, 0.2), DVec3::new(0.4, 1.1, 0.0)];
    let membrane = link(Kind::Membrane, membrane::numbers(corners, &cloth(0.0, 0.0)));
    let axis = (corners[1] - corners[0]).normalize();
    for stretch in [0.7, 1.0, 1.3] {
        let moved = corners.map(|x| x + (stretch - 1.0) * axis.dot(x) * axis);
        let found = membrane.stretch(&moved);
        assert!((found - f64::max(stretch, 1.0)).abs() < 1e-12, "{stretch}: {found}");
    }
}
