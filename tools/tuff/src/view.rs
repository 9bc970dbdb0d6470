//! Cameras and sizes of pictures on the command line.

use std::str::FromStr;

use glam::DVec3;
use tuff_scene::{Camera, Preview};

/// `X,Y,Z:X,Y,Z[:FOV]`: eye, target and field of view.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct View(pub Camera);

/// `WIDTHxHEIGHT`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PictureSize(pub [u32; 2]);

impl FromStr for View {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |what: &str| {
            format!(
                "`{text}` is not a camera: {what}; write EYE:TARGET[:FOV], for example 0.5,0.4,1:0,0.1,0:35"
            )
        };
        let parts: Vec<_> = text.split(':').collect();
        let (eye, target, fov) = match parts[..] {
            [eye, target] => (eye, target, None),
            [eye, target, fov] => (eye, target, Some(fov)),
            _ => return Err(wrong("it must have an eye and a target")),
        };
        let point = |part: &str| {
            let numbers: Vec<f64> = part.split(',').filter_map(|n| n.trim().parse().ok()).collect();
            match numbers[..] {
                [x, y, z] if part.split(',').count() == 3 && DVec3::new(x, y, z).is_finite() => {
                    Ok(DVec3::new(x, y, z))
                }
                _ => Err(wrong(&format!("`{part}` is not three numbers"))),
            }
        };
        let fov = match fov.map(str::parse::<f64>) {
            None => Camera::DEFAULT_FOV,
            Some(Ok(fov)) if fov > 0.0 && fov <= Camera::MAX_FOV => fov,
            Some(_) => return Err(wrong("the field of view must be between 0 and 179 degrees")),
        };
        let (eye, target) = (point(eye)?, point(target)?);
        if eye == target {
            return Err(wrong("eye and target are the same point"));
        }
        Ok(Self(Camera { eye, target, fov }))
    }
}

impl FromStr for PictureSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let [least, most] = Preview::EDGES;
        let fits = |edge: u32| (least..=most).contains(&edge);
        let edges: Vec<u32> = text.split(['x', 'X']).filter_map(|n| n.parse().ok()).collect();
        match edges[..] {
            [width, height] if fits(width) && fits(height) => Ok(Self([width, height])),
            _ => Err(format!(
                "`{text}` is not a size: write WIDTHxHEIGHT with {least} to {most} pixels each, for example 1920x1080"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cameras_and_sizes_are_read_as_they_are_written() {
        let View(camera) = "0.5,-0.4,1:0,0.1,0:40".parse().unwrap();
        assert_eq!((camera.eye, camera.target), (DVec3::new(0.5, -0.4, 1.0), DVec3::new(0.0, 0.1, 0.0)));
        assert_eq!(camera.fov, 40.0);
        assert_eq!("1,0,0:0,0,0".parse::<View>().unwrap().0.fov, Camera::DEFAULT_FOV);
        assert_eq!("1920x1080".parse(), Ok(PictureSize([1920, 1080])));
    }

    #[test]
    fn wrong_ones_say_how_to_write_them() {
        for text in
            ["", "1,2,3", "1,2:0,0,0", "1,2,3:0,0,0:180", "1,2,3:1,2,3", "a,b,c:0,0,0", "1,2,nan:0,0,0"]
        {
            assert!(text.parse::<View>().unwrap_err().contains("EYE:TARGET"), "{text}");
        }
        for text in ["", "1920", "1920x", "8x8", "1920x1080x2", "99999x1080", "-5x20"] {
            assert!(text.parse::<PictureSize>().unwrap_err().contains("WIDTHxHEIGHT"), "{text}");
        }
    }
}
