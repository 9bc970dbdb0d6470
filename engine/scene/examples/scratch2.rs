//! x
use tuff_scene::*; use glam::*;
fn main(){
  let a: Vec<String> = std::env::args().collect();
  let text = format!("format = 1\n[scene]\nname = \"x\"\n[time]\nframes = [1, 2]\n[solver]\nkernel_radius = 0.1\n[[material]]\nname = \"m\"\nmodel = \"t\"\ndensity = 1000\n[[body]]\nname = \"b\"\nmaterial = \"m\"\nshape = {{ mesh = {{ file = \"{}\" }} }}\n", a[1]);
  let d = tuff_material_sdk::descriptor::Descriptor { id: "t".into(), version: "".into(), author: "".into(), help: "".into(), reference: "".into(), parameters: vec![], states: vec![], claims: Default::default(), variant: tuff_material_sdk::descriptor::Variant::Principal, constant_count: 0 };
  let l = parse(&text, std::path::Path::new("/tmp/x.toml"), &[], &[&d]).unwrap();
  let Geometry::Mesh(m) = &l.scene.bodies[0].shape.geometry else { panic!() };
  let b = m.bounds();
  let mut x=12345u64; let mut r=||{x=x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407); (x>>11) as f64/(1u64<<53) as f64};
  let pts: Vec<DVec3> = (0..20000).map(|_| b.min+b.size()*DVec3::new(r(),r(),r())).collect();
  let t=std::time::Instant::now(); let s: f64 = pts.iter().map(|p| m.winding_number(*p)).sum(); println!("winding {:?} each ({s})", t.elapsed()/20000);
  let t=std::time::Instant::now(); let s: f64 = pts.iter().map(|p| m.signed_distance(*p)).sum(); println!("distance+winding {:?} each ({s})", t.elapsed()/20000);
  println!("{} triangles", m.triangles.len());
}
