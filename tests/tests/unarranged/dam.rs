//! Dams that break: the flow of a fluid against the theory of shallow water.

use tuff_problem::Frame;
use tuff_run::CpuSimulation;

use crate::water::{FRAME, GRAVITY, advance, cuboid, scene, tank};

/// Inviscid flow of shallow water over a level, dry floor, from a wall at x = 0: the equations of de Saint-Venant,
/// `h_t + (h u)_x = 0` and `(h u)_t + (h u^2 + g h^2 / 2)_x = 0`, in finite volumes with the fluxes of Harten, Lax and van Leer.
struct Shallow {
    cell: f64,
    /// Depth [m] and discharge `h u` [m^2/s], by cell.
    water: Vec<[f64; 2]>,
}

impl Shallow {
    /// Below this depth a cell is dry [m].
    const DRY: f64 = 1e-9;

    /// A column of water at rest in a channel of this many cells.
    fn new(length: f64, depth: f64, channel: f64, cells: u32) -> Self {
        let cell = channel / f64::from(cells);
        let within = |i: u32| f64::from(length > (f64::from(i) + 0.5) * cell);
        Self { cell, water: (0..cells).map(|i| [depth * within(i), 0.0]).collect() }
    }

    /// Returns speeds of the water and of its waves [m/s], and the flux.
    fn flow([h, discharge]: [f64; 2]) -> (f64, f64, [f64; 2]) {
        let u = if h > Self::DRY { discharge / h } else { 0.0 };
        (u, (GRAVITY * h).sqrt(), [discharge, discharge * u + 0.5 * GRAVITY * h * h])
    }

    /// The flux between two cells; beside dry ones, waves run with the speed of the front, u + 2 c.
    fn flux(left: [f64; 2], right: [f64; 2]) -> [f64; 2] {
        let ((ul, cl, fl), (ur, cr, fr)) = (Self::flow(left), Self::flow(right));
        let slow = if left[0] > Self::DRY { (ul - cl).min(ur - cr) } else { ur - 2.0 * cr };
        let fast = if right[0] > Self::DRY { (ul + cl).max(ur + cr) } else { ul + 2.0 * cl };
        if slow >= 0.0 {
            fl
        } else if fast <= 0.0 {
            fr
        } else {
            let mean =
                |k: usize| (fast * fl[k] - slow * fr[k] + slow * fast * (right[k] - left[k])) / (fast - slow);
            [mean(0), mean(1)]
        }
    }

    fn advance(&mut self, time: f64) {
        let mut left = time;
        while left > 0.0 {
            let fastest = self
                .water
                .iter()
                .map(|&w| Self::flow(w))
                .fold(0.0, |most: f64, (u, c, _)| most.max(u.abs() + 2.0 * c));
            let step = left.min(0.5 * self.cell / fastest);
            let last = self.water.len() - 1;
            let mirrored = |[h, discharge]: [f64; 2]| [h, -discharge];
            let fluxes: Vec<[f64; 2]> = (0..=last + 1)
                .map(|i| match i {
                    0 => Self::flux(mirrored(self.water[0]), self.water[0]),
                    i if i > last => Self::flux(self.water[last], mirrored(self.water[last])),
                    i => Self::flux(self.water[i - 1], self.water[i]),
                })
                .collect();
            for (i, water) in self.water.iter_mut().enumerate() {
                for k in 0..2 {
                    water[k] -= step / self.cell * (fluxes[i + 1][k] - fluxes[i][k]);
                }
            }
            left -= step;
        }
    }

    /// Returns the place behind which this share of the water lies [m].
    fn quantile(&self, share: f64) -> f64 {
        let whole: f64 = self.water.iter().map(|w| w[0]).sum();
        let mut before = 0.0;
        for (i, [h, _]) in self.water.iter().enumerate() {
            if before + h >= share * whole {
                return self.cell * (i as f64 + (share * whole - before) / h);
            }
            before += h;
        }
        self.cell * self.water.len() as f64
    }
}

/// Returns the place behind which this share of the particles lies [m].
fn quantile(frame: &Frame, share: f64) -> f64 {
    let mut x: Vec<f64> = frame.position.iter().map(|x| x[0]).collect();
    x.sort_by(f64::total_cmp);
    x[((share * x.len() as f64) as usize).min(x.len() - 1)]
}

/// The front of a broken dam stays behind that of Ritter's solution for shallow water, 2 sqrt(g H) t, and comes near its speed.
pub fn a_dam_breaks() {
    let (length, level) = (0.16, 0.16);
    let column = cuboid("column", "water", [0.0; 3], [length, level, 0.04], "");
    let problem = scene(0.008, "\"auto\"", "", &(column + &tank([1.0, 0.5, 0.04])));
    let mut simulation = CpuSimulation::new(&problem);
    let mut last = length;
    for frame in 1..=7_u32 {
        let (_, now) = advance(&mut simulation, 1);
        let mut x: Vec<f64> = now.position.iter().map(|x| x[0]).collect();
        x.sort_by(f64::total_cmp);
        let front = x[x.len() - x.len() / 200 - 1];
        let time = f64::from(frame) * FRAME;
        let ritter = length + 2.0 * (GRAVITY * level).sqrt() * time;
        println!("t = {time:.2} s: front {front:.3} m, Ritter {ritter:.3} m");
        assert!(front < ritter, "{front} {ritter}");
        let speed = (front - last) / FRAME / (2.0 * (GRAVITY * level).sqrt());
        assert!(frame < 7 || (0.7..1.0).contains(&speed), "{speed} of Ritter's speed");
        last = front;
    }
    // Nothing stays behind in the corners where the column stood.
    let (_, now) = advance(&mut simulation, 8);
    let corner = |x: &&[f64; 3]| x[0] < 0.016 && (x[2] < 0.008 || x[2] > 0.032);
    let highest = now.position.iter().filter(corner).map(|x| x[1]).fold(0.0, f64::max);
    println!("t = 0.60 s: highest in the corners behind {highest:.3} m");
    assert!(highest < 0.5 * level, "{highest}");
}

/// A dam four times as long as high, after its reflected wave has met the front: at 0.6 and 0.8 s the water has come as far as shallow water
/// does. The thin front is left out, where the depth falls below a particle.
pub fn a_long_dam_flows_as_shallow_water() {
    let (length, level, channel) = (0.32, 0.08, 3.0);
    let column = cuboid("column", "water", [0.0; 3], [length, level, 0.03], "");
    let problem = scene(0.008, "\"auto\"", "", &(column + &tank([channel, 0.5, 0.03])));
    let mut simulation = CpuSimulation::new(&problem);
    let mut shallow = Shallow::new(length, level, channel, 3000);
    for frame in 1..=20 {
        let time = f64::from(frame) * FRAME;
        let (_, now) = advance(&mut simulation, 1);
        shallow.advance(FRAME);
        if frame == 3 {
            // Until the wave comes back from the wall, Ritter's solution: 4/9 of the depth where the dam stood.
            let there = shallow.water[(length / shallow.cell) as usize][0];
            assert!((there / (4.0 / 9.0 * level) - 1.0).abs() < 0.02, "{there}");
        }
        for share in [0.75, 0.9, 0.95].into_iter().filter(|_| [15, 20].contains(&frame)) {
            let [way, expected] =
                [quantile(&now, share), shallow.quantile(share)].map(|x| x - share * length);
            println!(
                "t = {time:.1} s: {share} of the water has come {way:.3} m, shallow water {expected:.3} m"
            );
            assert!((way / expected - 1.0).abs() < 0.05, "{way} {expected}");
        }
    }
}
