//! Transfers particles to the device and back.

use glam::DVec3;
use tuff_gpu::{GpuError, Store};
use tuff_problem::links::{Kind, Link, Links, NO_MEMBER};
use tuff_problem::{Frame, OptionalFields, Problem, Total};

use crate::attributes::*;
use crate::constants::NOTHING;
use crate::materials::History;
use crate::setup::{follows_deformation, sizes};
use crate::sheets;

/// A deformation gradient at rest, row by row.
const IDENTITY_ROWS: [f32; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

/// Uploads the initial state, in the order of ids.
pub fn upload(problem: &Problem, store: &mut Store) -> Result<(), GpuError> {
    let (start, sizes) = (Start::new(problem), sizes(problem, 0));
    for kept in KEPT {
        let first: Vec<_> = (0..sizes.used(kept.extent) as usize).map(|i| (kept.first)(&start, i)).collect();
        store.upload(kept.committed, &first)?;
    }
    upload_total(&problem.total, store)?;
    upload_linked_places(&problem.links, store)?;
    upload_links(&problem.links, &[], store)?;
    sheets::upload(problem, store)
}

/// Uploads the indices of linked particles before the first sort.
pub fn upload_linked_places(links: &Links, store: &mut Store) -> Result<(), GpuError> {
    let linked = links.first_particle..links.first_particle + links.particle_count() as u32;
    store.upload(LINKED_PLACE, &linked.collect::<Vec<_>>())
}

/// Uploads total bodies, and the indices of their particles before the first sort.
pub fn upload_total(total: &Total, store: &mut Store) -> Result<(), GpuError> {
    let ids = total.first_particle..total.first_particle + total.count() as u32;
    store.upload(TOTAL_PLACE, &ids.collect::<Vec<_>>())?;
    store.upload(TOTAL_COLOR, &total.color_start)?;
    store.upload(TOTAL_CELL, &total.cell_start)?;
    store.upload(TOTAL_MEMBER, &total.member)?;
    upload_pairs(total, store)
}

/// Uploads the pairs that total bodies keep.
pub fn upload_pairs(total: &Total, store: &mut Store) -> Result<(), GpuError> {
    let (mut start, mut pairs, mut reach) = (vec![0], Vec::new(), Vec::new());
    let may_break = total.may_break();
    for row in 0..total.count() {
        for pair in total.neighbors(row) {
            let [x, y, z] = pair.gradient.to_array().map(|g| (g as f32).to_bits());
            pairs.push([pair.id | u32::from(pair.weight) << 24, x, y, z]);
            if may_break {
                let most = total.reach(row, pair.id);
                reach.push(if most.is_finite() { (most * most) as f32 } else { f32::MAX });
            }
        }
        start.push(pairs.len() as u32);
    }
    store.upload(TOTAL_START, &start)?;
    store.upload(TOTAL_PAIR, &pairs)?;
    store.upload(TOTAL_REACH, &reach)?;
    let weight = |(direction, &sum): (&DVec3, &f64)| {
        let [x, y, z] = direction.to_array().map(|q| q as f32);
        [x, y, z, if sum > 0.0 { (1.0 / sum) as f32 } else { 0.0 }]
    };
    let weights = std::iter::zip(&total.direction, &total.raw_weight);
    store.upload(TOTAL_WEIGHT, &weights.map(weight).collect::<Vec<_>>())
}

/// Uploads the links that are not gone with torn triangles.
pub fn upload_links(links: &Links, torn: &[u32], store: &mut Store) -> Result<(), GpuError> {
    let gone: Vec<bool> = links.all.iter().map(|link| links.is_gone(link, torn)).collect();
    let members = |(link, gone): (&Link, &bool)| {
        let mut words = [[NO_MEMBER; 4]; 2];
        let rows = link.ids().iter().map(|id| id - links.first_particle);
        words.as_flattened_mut().iter_mut().zip(rows).for_each(|(word, row)| *word = row);
        if *gone {
            words[0][0] = NOTHING;
        }
        if link.kind == Kind::Membrane {
            let most = links.tear_stretch[link.triangles[0] as usize];
            let squared = if most.is_finite() { (most * most - 1.0) as f32 } else { f32::MAX };
            words[1][3] = squared.to_bits();
        }
        words
    };
    store.upload(LINK, &std::iter::zip(&links.all, &gone).flat_map(members).collect::<Vec<_>>())?;
    let numbers: Vec<f32> =
        links.all.iter().flat_map(|link| link.numbers).map(|number| number as f32).collect();
    store.upload(LINK_NUMBERS, numbers.as_chunks::<4>().0)?;
    let kind = |first: u32| links.all.get(first as usize).map_or(0, |link| link.kind as u32);
    store.upload(LINK_COLOR, &links.color_start.iter().map(|&at| [at, kind(at)]).collect::<Vec<_>>())?;
    let (mut start, mut list) = (vec![0], Vec::new());
    for ends in links.start.windows(2) {
        let all = &links.incidences[ends[0] as usize..ends[1] as usize];
        for of in all.iter().filter(|of| !gone[of.link as usize]) {
            let kind = links.all[of.link as usize].kind as u32;
            list.push(of.link << 5 | kind << 3 | u32::from(of.role));
        }
        start.push(list.len() as u32);
    }
    store.upload(LINK_START, &start)?;
    store.upload(LINK_LIST, &list)
}

/// Returns the index of the particle with each id.
pub fn by_id(identity: &[[u32; 4]]) -> Vec<usize> {
    let mut at = vec![0; identity.len()];
    for (i, row) in identity.iter().enumerate() {
        at[row[0] as usize] = i;
    }
    at
}

/// Downloads the committed positions [m] of the particles at these indices.
pub fn positions(store: &Store, at: &[usize]) -> Result<Vec<[f64; 3]>, GpuError> {
    let high: Vec<[f32; 4]> = store.download(COMMITTED_POSITION, at.len())?;
    let low: Vec<[f32; 4]> = store.download(COMMITTED_POSITION_LOW, at.len())?;
    Ok(at.iter().map(|&i| [0, 1, 2].map(|a| f64::from(high[i][a]) + f64::from(low[i][a]))).collect())
}

/// Downloads the committed state as a frame, in the order of ids.
pub fn download(problem: &Problem, store: &Store, index: u32, time: f64) -> Result<Frame, GpuError> {
    let count = problem.particle_count();
    let vectors = |id| store.download::<[f32; 4]>(id, count);
    let identity: Vec<[u32; 4]> = store.download(COMMITTED_IDENTITY, count)?;
    let at = by_id(&identity);
    let position = positions(store, &at)?;
    let velocity = vectors(COMMITTED_VELOCITY)?;
    let velocity = at.iter().map(|&i| [velocity[i][0], velocity[i][1], velocity[i][2]]).collect();
    let (diagonal, shear) = (vectors(COMMITTED_STRAIN_DIAGONAL)?, vectors(COMMITTED_STRAIN_SHEAR)?);
    let strain = at.iter().map(|&i| symmetric(diagonal[i], shear[i])).collect();
    let volume_ratio: Vec<f32> = at.iter().map(|&i| diagonal[i][3]).collect();
    drop((diagonal, shear));
    let material: Vec<u32> = at.iter().map(|&i| identity[i][1]).collect();
    let density = volume_ratio
        .iter()
        .zip(&material)
        .map(|(j, &m)| (problem.materials[m as usize].density / f64::from(*j)) as f32)
        .collect();
    let state = vectors(COMMITTED_STATE)?;
    let state = at.iter().map(|&i| state[i]).collect();
    let Histories { branch, deformation } = histories(problem, store, &at)?;
    Ok(Frame {
        index,
        time,
        rest_volume: problem.particles.rest_volume.iter().map(|&volume| volume as f32).collect(),
        position,
        velocity,
        material,
        body: at.iter().map(|&i| identity[i][2]).collect(),
        volume_ratio,
        density,
        state,
        strain,
        branch,
        deformation,
        ..Frame::default()
    })
}

fn symmetric([xx, yy, zz, _]: [f32; 4], [yz, xz, xy, _]: [f32; 4]) -> [f32; 6] {
    [xx, yy, zz, yz, xz, xy]
}

/// Returns the rows of the matrix with these three columns.
fn rows(columns: &[[f32; 4]]) -> [f32; 9] {
    std::array::from_fn(|i| columns[i % 3][i / 3])
}

/// Second elastic strain and deformation gradient of every particle; each is empty if not needed.
struct Histories {
    branch: Vec<[f32; 6]>,
    deformation: Vec<[f32; 9]>,
}

/// Downloads the histories that frames and stresses need; `at` holds the index of the particle with each id.
fn histories(problem: &Problem, store: &Store, at: &[usize]) -> Result<Histories, GpuError> {
    let wanted = OptionalFields::of(&problem.scene);
    let history = History::of(problem);
    let words = if wanted.stress { history.words() as usize } else { 0 };
    let carried: Vec<[f32; 4]> = store.download(COMMITTED_HISTORY, words * at.len())?;
    let mut branch = Vec::new();
    if words > 0 && history.branch {
        branch = at.iter().map(|&i| symmetric(carried[words * i], carried[words * i + 1])).collect();
    }
    let deformation = if follows_deformation(problem) {
        let columns: Vec<[f32; 4]> = store.download(COMMITTED_DEFORMATION, 3 * at.len())?;
        at.iter().map(|&i| rows(&columns[3 * i..3 * i + 3])).collect()
    } else if words > 0 && history.deformation {
        at.iter().map(|&i| rows(&carried[words * (i + 1) - 3..words * (i + 1)])).collect()
    } else if wanted.deformation {
        vec![IDENTITY_ROWS; at.len()]
    } else {
        Vec::new()
    };
    Ok(Histories { branch, deformation })
}
