//! Cloth: triangles of particles that stretch, shear and bend.

use std::collections::BTreeMap;

use glam::DVec3;

/// Triangles whose height is less than this part of their longest side are degenerate: single precision does not resolve their strain.
const LEAST_HEIGHT: f64 = 1e-3;

/// A cloth at rest in the given vertices.
#[derive(Debug, Clone, PartialEq)]
pub struct Cloth {
    /// Corners of the triangles, shape [triangle_count].
    pub triangles: Vec<[u32; 3]>,
    /// A third of the area of the triangles around each vertex at rest [m^2], shape [vertex_count].
    pub areas: Vec<f64>,
    /// Mean length of the edges at rest [m].
    pub spacing: f64,
    /// Mass per area [kg/m^2].
    pub surface_density: f64,
    /// Young's modulus times the thickness [N/m].
    pub stretch_stiffness: f64,
    /// Poisson's ratio of the membrane and of bending [dimensionless].
    pub poisson_ratio: f64,
    /// Bending moment per curvature and width [N m].
    pub bending_stiffness: f64,
    /// Stiffness-proportional damping [s].
    pub damping: f64,
    /// Thickness in contacts [m].
    pub thickness: f64,
    /// Largest principal stretch less 1 that a triangle bears; 0: any [dimensionless].
    pub tear_strain: f64,
    /// Coulomb's coefficient of matter and cloth that touch it [dimensionless].
    pub friction: f64,
    /// True if matter, other cloth and itself touch its triangles.
    pub contact: bool,
}

impl Cloth {
    /// Returns the area at rest [m^2].
    pub fn area(&self) -> f64 {
        self.areas.iter().sum()
    }

    /// Returns the mass of a vertex [kg].
    pub fn mass(&self, vertex: usize) -> f64 {
        self.surface_density * self.areas[vertex]
    }

    /// Returns the density of cubes as wide as the cloth is thick, one per vertex, with the weight of the cloth [kg/m^3].
    pub fn density(&self) -> f64 {
        self.surface_density * self.area() / (self.areas.len() as f64 * self.volume())
    }

    /// Returns the rest volume of a vertex, a cube as wide as the cloth is thick [m^3]: it touches colliders at half of that.
    pub fn volume(&self) -> f64 {
        self.thickness.powi(3)
    }

    /// Returns Young's modulus of matter of that density with the speed of sound along the cloth [Pa].
    pub fn modulus(&self) -> f64 {
        self.density() * self.stretch_stiffness / self.surface_density
    }

    /// Returns for each triangle those across the edges opposite to its corners, each with the vertex that it does not share; `None` at a
    /// free edge.
    pub fn across(&self) -> Vec<[Option<(u32, u32)>; 3]> {
        let mut across: BTreeMap<[u32; 2], Vec<(usize, u32)>> = BTreeMap::new();
        for (index, triangle) in self.triangles.iter().enumerate() {
            for corner in 0..3 {
                across.entry(edge(triangle, corner)).or_default().push((index, triangle[corner]));
            }
        }
        let of = |(index, triangle): (usize, &[u32; 3])| {
            std::array::from_fn(|corner| {
                let both = across.get(&edge(triangle, corner))?;
                let other = both.iter().find(|(other, _)| *other != index);
                other.map(|(triangle, vertex)| (*triangle as u32, *vertex))
            })
        };
        self.triangles.iter().enumerate().map(of).collect()
    }

    /// Returns for each triangle the vertices across the edges opposite to its corners; `None` at a free edge.
    pub fn opposite(&self) -> Vec<[Option<u32>; 3]> {
        self.across().into_iter().map(|across| across.map(|other| other.map(|(_, vertex)| vertex))).collect()
    }

    /// Returns stretch stiffness times thickness squared over `12 (1 - nu^2)` [N m]: the bending stiffness of a solid plate.
    pub fn solid_bending_stiffness(thickness: f64, stretch_stiffness: f64, poisson_ratio: f64) -> f64 {
        stretch_stiffness * thickness * thickness / (12.0 * (1.0 - poisson_ratio * poisson_ratio))
    }
}

/// Returns the edge opposite to a corner, lower vertex first.
fn edge(triangle: &[u32; 3], corner: usize) -> [u32; 2] {
    let (a, b) = (triangle[(corner + 1) % 3], triangle[(corner + 2) % 3]);
    [a.min(b), a.max(b)]
}

/// Returns the vertices [m] and triangles of a parallelogram of `cells` rectangles along `u` and `v` [m], row by row along u. All
/// diagonals are parallel: each vertex then sees the same patch, and bending is exact. With alternating ones cylinders of period two cells
/// would bend too softly, by a fifth.
pub(crate) fn grid(corner: DVec3, u: DVec3, v: DVec3, cells: [u32; 2]) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let [columns, rows] = cells;
    let part = |i: u32, count: u32| f64::from(i) / f64::from(count);
    let row = |j: u32| (0..=columns).map(move |i| corner + part(i, columns) * u + part(j, rows) * v);
    let vertices = (0..=rows).flat_map(row).collect();
    let mut triangles = Vec::with_capacity(2 * (columns * rows) as usize);
    for (i, j) in (0..rows).flat_map(|j| (0..columns).map(move |i| (i, j))) {
        let a = j * (columns + 1) + i;
        let [b, d, c] = [a + 1, a + columns + 1, a + columns + 2];
        triangles.extend([[a, b, c], [a, c, d]]);
    }
    (vertices, triangles)
}

/// Returns a third of the area of the triangles around each vertex [m^2], and the mean length of the edges [m].
pub(crate) fn measure(vertices: &[DVec3], triangles: &[[u32; 3]]) -> (Vec<f64>, f64) {
    let mut areas = vec![0.0; vertices.len()];
    let mut length = 0.0;
    for triangle in triangles {
        let [a, b, c] = triangle.map(|v| vertices[v as usize]);
        let third = (b - a).cross(c - a).length() / 6.0;
        triangle.iter().for_each(|&v| areas[v as usize] += third);
        length += (b - a).length() + (c - b).length() + (a - c).length();
    }
    (areas, length / (3 * triangles.len()) as f64)
}

/// Why triangles are no cloth: what is wrong, and what is allowed.
pub(crate) struct ClothFault {
    pub what: String,
    pub allowed: &'static str,
}

/// Checks that triangles are a single surface whose strain is defined. Vertices [m].
pub(crate) fn check(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Result<(), ClothFault> {
    let at = |v: u32| format!("{v} at {}", place(vertices[v as usize]));
    let fault = |what: String, allowed: &'static str| Err(ClothFault { what, allowed });
    for (index, triangle) in triangles.iter().enumerate() {
        let corners = triangle.map(|v| vertices[v as usize]);
        let sides = [0, 1, 2].map(|i| corners[i].distance(corners[(i + 1) % 3]));
        let longest = sides.into_iter().fold(0.0, f64::max);
        let twice = (corners[1] - corners[0]).cross(corners[2] - corners[0]).length();
        if twice < LEAST_HEIGHT * longest * longest || longest == 0.0 {
            return fault(
                format!("triangle {index} is degenerate: its vertices are {}", triangle.map(at).join(", ")),
                "the height of each triangle must be at least 1e-3 of its longest side",
            );
        }
    }
    let mut known: BTreeMap<[u64; 3], u32> = BTreeMap::new();
    for (v, vertex) in (0..).zip(vertices) {
        // Adding 0 turns -0 into 0.
        if let Some(other) = known.insert((*vertex + DVec3::ZERO).to_array().map(|x| (x + 0.0).to_bits()), v)
        {
            return fault(
                format!("vertex {} is there twice, also as number {other}", at(v)),
                "triangles that hang together share vertices: weld the mesh (STL files never share any)",
            );
        }
    }
    let mut uses: BTreeMap<[u32; 2], Vec<usize>> = BTreeMap::new();
    for (index, triangle) in triangles.iter().enumerate() {
        (0..3).for_each(|corner| uses.entry(edge(triangle, corner)).or_default().push(index));
    }
    if let Some((&[a, b], faces)) = uses.iter().find(|(_, faces)| faces.len() > 2) {
        return fault(
            format!(
                "the edge between vertices {} and {} has {} triangles: {faces:?}",
                at(a),
                at(b),
                faces.len()
            ),
            "at most two triangles at an edge",
        );
    }
    let mut used = vec![false; vertices.len()];
    triangles.iter().flatten().for_each(|&v| used[v as usize] = true);
    if let Some(free) = used.iter().position(|used| !used) {
        return fault(
            format!("vertex {} belongs to no triangle", at(free as u32)),
            "remove vertices without triangles",
        );
    }
    let mut reached = vec![false; triangles.len()];
    let mut next: Vec<usize> = Vec::new();
    if let Some(first) = reached.first_mut() {
        *first = true;
        next.push(0);
    }
    while let Some(index) = next.pop() {
        for corner in 0..3 {
            for &other in uses.get(&edge(&triangles[index], corner)).into_iter().flatten() {
                if !std::mem::replace(&mut reached[other], true) {
                    next.push(other);
                }
            }
        }
    }
    if let Some(apart) = reached.iter().position(|reached| !reached) {
        return fault(
            format!(
                "it is in pieces: no row of edges leads from triangle 0 to triangle {apart}, with vertices {}",
                triangles[apart].map(at).join(", ")
            ),
            "one connected piece; make each piece a `[[cloth]]` of its own",
        );
    }
    Ok(())
}

/// Formats a position.
fn place(x: DVec3) -> String {
    format!("({:.6}, {:.6}, {:.6})", x.x, x.y, x.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet() -> (Vec<DVec3>, Vec<[u32; 3]>) {
        grid(DVec3::ZERO, 0.4 * DVec3::X, 0.3 * DVec3::Z, [4, 3])
    }

    #[test]
    fn a_grid_is_a_cloth_of_its_area() {
        let (vertices, triangles) = sheet();
        assert!(check(&vertices, &triangles).is_ok());
        assert_eq!((vertices.len(), triangles.len()), (20, 24));
        assert!(vertices[6].distance(DVec3::new(0.1, 0.0, 0.1)) < 1e-15);
        let (areas, spacing) = measure(&vertices, &triangles);
        assert!((areas.iter().sum::<f64>() - 0.12).abs() < 1e-15);
        assert!(spacing > 0.1 && spacing < 0.1 * 2.0_f64.sqrt());
    }

    #[test]
    fn edges_lead_to_the_neighbors() {
        let (vertices, triangles) = sheet();
        let (areas, spacing) = measure(&vertices, &triangles);
        let cloth = Cloth {
            triangles,
            areas,
            spacing,
            surface_density: 0.2,
            stretch_stiffness: 100.0,
            poisson_ratio: 0.3,
            bending_stiffness: 1e-4,
            damping: 0.0,
            thickness: 0.002,
            tear_strain: 0.0,
            friction: 0.5,
            contact: true,
        };
        let opposite = cloth.opposite();
        let missing = opposite.iter().flatten().filter(|vertex| vertex.is_none()).count();
        assert_eq!(missing, 2 * (4 + 3));
        // The first cell: its two triangles see each other across the diagonal from 0 to 6.
        assert_eq!((cloth.triangles[0], opposite[0][1]), ([0, 1, 6], Some(5)));
        assert_eq!((cloth.triangles[1], opposite[1][2]), ([0, 6, 5], Some(1)));
        // The weight of the cubes is that of the cloth, and so is the speed of sound.
        let mass: f64 = (0..20).map(|v| cloth.mass(v)).sum();
        assert!((mass / (20.0 * cloth.density() * cloth.volume()) - 1.0).abs() < 1e-12);
        assert!((cloth.modulus() / cloth.density() - 500.0).abs() < 1e-9);
    }

    #[test]
    fn faults_name_the_element_and_its_place() {
        let said = |change: fn(&mut Vec<DVec3>, &mut Vec<[u32; 3]>)| {
            let (mut vertices, mut triangles) = sheet();
            change(&mut vertices, &mut triangles);
            check(&vertices, &triangles).err().map(|fault| fault.what).unwrap_or_default()
        };
        let flat = said(|vertices, _| vertices[6] = vertices[0].lerp(vertices[5], 0.5));
        assert!(
            flat.contains("triangle 1 is degenerate") && flat.contains("5 at (0.000000, 0.000000, 0.100000)")
        );
        assert!(said(|_, triangles| triangles[2] = [1, 1, 6]).contains("triangle 2"));
        let twice = said(|vertices, _| vertices.push(vertices[7]));
        assert!(twice.contains("vertex 20 at") && twice.contains("number 7"), "{twice}");
        let thick = said(|_, triangles| triangles.push([0, 6, 19]));
        assert!(thick.contains("vertices 0 at") && thick.contains("3 triangles: [0, 1, 24]"), "{thick}");
        assert!(said(|vertices, _| vertices.push(DVec3::Y)).contains("vertex 20 at (0.000000, 1.000000"));
        let pieces = said(|vertices, triangles| {
            vertices.extend([DVec3::Y, 2.0 * DVec3::Y, DVec3::ONE]);
            triangles.push([20, 21, 22]);
        });
        assert!(pieces.contains("pieces") && pieces.contains("triangle 24"), "{pieces}");
    }
}
