//! The border between elastic and plastic states, found by trial: where the return mapping starts to act.

use tuff_material_sdk::abi::CASE_ELASTIC;
use tuff_plugin::Model;

use crate::drivers::{p_q, root};

/// Hencky strain per axis of the slight compression from which both ends of the elastic range are searched: powders without strength
/// yield at once in tension.
const START: f64 = -1e-7;

/// Strain beyond which a direction counts as permanently elastic.
const OPEN: f64 = 1.0;

/// Trials that move by less than this count as unchanged.
const ROUNDING: f64 = 1e-14;

/// Compression along axis 0 at constant volume, of norm 1.
const ALONG: [f64; 3] = [-0.816_496_580_927_726, 0.408_248_290_463_863, 0.408_248_290_463_863];

/// Step of the trials \[s\]: the border does not depend on it.
const STEP: f64 = 1e-3;

/// The elastic range of a material in its initial state.
#[derive(Debug)]
pub struct Surface<'a> {
    model: &'a Model,
    constants: &'a [f64],
    state: [f64; 4],
    /// Hencky strain per axis at which isotropic compression yields.
    crushed: Option<f64>,
    /// Hencky strain per axis at which isotropic tension yields.
    torn: Option<f64>,
}

/// A trial state and the state to which it is returned, each as `[p, q]` \[Pa\].
pub type Return = [[f64; 2]; 2];

impl<'a> Surface<'a> {
    /// Searches along the isotropic axis.
    pub fn new(model: &'a Model, constants: &'a [f64]) -> Self {
        let state = model.initial_state(constants);
        let mut surface = Self { model, constants, state, crushed: None, torn: None };
        surface.crushed = surface.limit([START; 3], [-1.0; 3]).map(|t| START - t);
        surface.torn = surface.limit([START; 3], [1.0; 3]).map(|t| START + t);
        surface
    }

    /// Returns whether strength depends on pressure.
    pub fn pressure_sensitive(&self) -> bool {
        self.crushed.is_some() || self.torn.is_some()
    }

    /// Returns the norm of the deviatoric strain at which the material yields in compression under the pressure \[Pa\]; `None` if it
    /// never yields.
    pub fn yield_strain(&self, pressure: f64) -> Option<f64> {
        self.limit([self.isotropic(pressure)?; 3], ALONG)
    }

    /// Returns a cell pressure \[Pa\] at which the material shows its behavior: half of what crushes it; 0.5 % of its bulk modulus if
    /// nothing does; and its strength if this does not depend on pressure.
    pub fn cell_pressure(&self) -> f64 {
        let at = |eps: f64| self.measure([eps; 3])[0];
        match (self.crushed, self.pressure_sensitive()) {
            (Some(crushed), _) => 0.5 * at(crushed),
            (None, true) => 0.005 * self.model.moduli(self.constants, &self.state).bulk,
            (None, false) => match self.limit([0.0; 3], ALONG) {
                Some(strain) => self.measure(ALONG.map(|x| x * strain))[1],
                None => 0.0,
            },
        }
    }

    /// Returns lines of points `[p, q]` \[Pa\] of Kirchhoff stress on the border: one closed line, or open ones that end at the `window`
    /// of pressures \[Pa\]; none if the material never yields.
    pub fn outline(&self, window: [f64; 2], count: usize) -> Vec<Vec<[f64; 2]>> {
        let Some((low, high)) = self.range(window) else { return Vec::new() };
        // Points are denser at the ends, where borders are round.
        let side = |along: [f64; 3]| {
            let point = |index: usize| {
                let angle = std::f64::consts::PI * index as f64 / count as f64;
                let eps = 0.5 * (low + high) + 0.5 * (low - high) * angle.cos();
                let reach = self.limit([eps; 3], along)?;
                Some(self.measure(along.map(|x| eps + reach * x)))
            };
            (0..=count).filter_map(point).collect::<Vec<_>>()
        };
        let (mut pressed, mut pulled) = (side(ALONG), side(ALONG.map(|x| -x)));
        match (self.torn, self.crushed) {
            (None, None) => vec![pressed, pulled],
            (None, Some(_)) => {
                pressed.extend(pulled.into_iter().rev());
                vec![pressed]
            }
            (Some(_), crushed) => {
                pulled.reverse();
                pulled.append(&mut pressed);
                if crushed.is_some() {
                    pulled.extend(pulled.first().copied());
                }
                vec![pulled]
            }
        }
    }

    /// Returns trial states around the border, and where the return mapping puts them. Empty if this depends on the rate.
    pub fn returns(&self, window: [f64; 2], count: usize) -> Vec<Return> {
        let Some((low, high)) = self.range(window) else { return Vec::new() };
        if !self.model.descriptor().claims.rate_independent {
            return Vec::new();
        }
        let (center, half) = (0.5 * (low + high), 0.5 * (high - low).abs());
        let Some(reach) = self.limit([center; 3], ALONG) else { return Vec::new() };
        let trial = |index: usize| {
            let angle = std::f64::consts::TAU * (index as f64 + 0.5) / count as f64;
            let (isotropic, along) = (1.3 * half * angle.cos(), 1.3 * reach * angle.sin());
            ALONG.map(|x| center - isotropic + along * x)
        };
        let pair = |hencky: [f64; 3]| {
            let returned = self.model.project(self.constants, &self.state, STEP, hencky);
            let moved = returned.case != CASE_ELASTIC;
            moved.then(|| [self.measure(hencky), self.measure(returned.hencky)])
        };
        (0..count).filter_map(|index| pair(trial(index))).collect()
    }

    /// Returns the strains per axis between which the border is followed: from tension to compression.
    fn range(&self, window: [f64; 2]) -> Option<(f64, f64)> {
        let end = |found: Option<f64>, pressure: f64| found.or_else(|| self.isotropic(pressure));
        let (low, high) = (end(self.torn, window[0])?, end(self.crushed, window[1])?);
        self.limit([0.5 * (low + high); 3], ALONG).filter(|&reach| reach > 0.0).map(|_| (low, high))
    }

    /// Returns the Hencky strain per axis under a pressure \[Pa\].
    fn isotropic(&self, pressure: f64) -> Option<f64> {
        let bulk = self.model.moduli(self.constants, &self.state).bulk;
        let excess = |eps: f64| -self.measure([eps; 3])[0] + pressure;
        root(excess, -pressure / (3.0 * bulk), 1e-6, 1e-12 * bulk)
    }

    /// Returns how far the material stays elastic from `start` in `direction`; `None` if this is beyond [`OPEN`].
    fn limit(&self, start: [f64; 3], direction: [f64; 3]) -> Option<f64> {
        let elastic = |t: f64| self.elastic([0, 1, 2].map(|i| start[i] + t * direction[i]));
        let (mut inside, mut outside) = (0.0, 1e-9);
        while elastic(outside) {
            (inside, outside) = (outside, 1.5 * outside);
            if outside > OPEN {
                return None;
            }
        }
        for _ in 0..60 {
            let middle = 0.5 * (inside + outside);
            if elastic(middle) { inside = middle } else { outside = middle }
        }
        Some(inside)
    }

    /// Returns whether the return mapping leaves a trial in place, up to rounding: even a mapping onto the same position rounds.
    fn elastic(&self, hencky: [f64; 3]) -> bool {
        let returned = self.model.project(self.constants, &self.state, STEP, hencky);
        let moved = returned.hencky.iter().zip(hencky).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        returned.case == CASE_ELASTIC || moved <= ROUNDING
    }

    /// Returns `[p, q]` of the Kirchhoff stress in the initial state.
    fn measure(&self, hencky: [f64; 3]) -> [f64; 2] {
        p_q(self.model.kirchhoff(self.constants, &self.state, hencky))
    }
}
