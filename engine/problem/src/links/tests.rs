use glam::DVec3;

use super::*;

fn links() -> [Link; 2] {
    let members = [0, 1, 2, NO_MEMBER];
    [
        Link {
            kind: Kind::Stretch,
            members: [0, 1, NO_MEMBER, NO_MEMBER],
            numbers: stretch::numbers(0.02, 1e3),
        },
        Link { kind: Kind::Bend, members, numbers: bend::numbers([0.02, 0.03], 0.4) },
    ]
}

const AT: [DVec3; 3] = [DVec3::ZERO, DVec3::new(0.021, 0.002, -0.001), DVec3::new(0.049, 0.011, 0.004)];

/// Gradients and products are derivatives of the energy, block by block.
#[test]
fn derivatives_follow_from_the_energy() {
    for link in links() {
        let count = link.kind.members();
        let moved = |role: usize, by: DVec3| {
            let mut x = AT;
            x[role] += by;
            x
        };
        for role in 0..count {
            let gradient = link.gradient(role, &AT);
            for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                let step = 1e-7;
                let slope = (link.energy(&moved(role, step * axis))
                    - link.energy(&moved(role, -step * axis)))
                    / (2.0 * step);
                assert!((slope - gradient.dot(axis)).abs() < 1e-5 * gradient.length(), "{link:?} {role}");
                for other in 0..count {
                    let change = (link.gradient(role, &moved(other, step * axis))
                        - link.gradient(role, &moved(other, -step * axis)))
                        / (2.0 * step);
                    let mut u = [DVec3::ZERO; 3];
                    u[other] = axis;
                    let product = link.product(role, &AT, &u);
                    assert!(change.distance(product) < 1e-4 * link.numbers[1].abs().max(change.length()));
                    if other == role {
                        assert!(product.distance(link.block(role, &AT) * axis) < 1e-9 * product.length());
                    }
                }
            }
        }
        let total: DVec3 = (0..count).map(|role| link.gradient(role, &AT)).sum();
        assert!(total.length() < 1e-9 * link.gradient(0, &AT).length(), "{link:?} pushes itself");
    }
}

/// A repeated row, with one particle held, ends at the balance of the implicit step.
#[test]
fn rows_end_in_balance() {
    let (dt, w) = (1e-2, [0.0, 2.0, 3.0]);
    for link in links() {
        let (mut x, mut multiplier) = (AT, DVec3::ZERO);
        let mut momentum = [DVec3::ZERO; 3];
        for _ in 0..200 {
            let impulses = link.row(&x, &w, dt, &mut multiplier);
            for i in 0..link.kind.members() {
                momentum[i] += impulses[i];
                x[i] += dt * w[i] * impulses[i];
            }
        }
        for (i, momentum) in momentum.iter().enumerate().take(link.kind.members()) {
            let force = -link.gradient(i, &x);
            assert!((momentum / dt).distance(force) < 1e-6 * force.length().max(1e-3), "{link:?} {i}");
        }
    }
}

#[test]
fn links_of_a_color_share_no_particle_and_every_particle_knows_its_links() {
    let chain = (0..9).map(|i| Link { members: [10 + i, 11 + i, NO_MEMBER, NO_MEMBER], ..links()[0] });
    let bends = (0..8).map(|i| Link { members: [10 + i, 11 + i, 12 + i, NO_MEMBER], ..links()[1] });
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
