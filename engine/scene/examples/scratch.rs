use tuff_scene::*; use glam::*;
fn main(){
  let a: Vec<String> = std::env::args().collect();
  let text = format!(r#"
format = 1
[scene]
name = "x"
[time]
frames = [1, 2]
[solver]
kernel_radius = {s}
[[material]]
name = "m"
model = "t"
density = 1000
[[body]]
name = "b"
material = "m"
shape = {shape}
sampling = {{ kind = "{kind}", spacing = {s} }}
"#, s=a[1], shape=a[2], kind=a.get(3).map(|s| s.as_str()).unwrap_or("poisson_disk"));
  let d = tuff_material_sdk::descriptor::Descriptor { id: "t".into(), version: "".into(), author: "".into(), help: "".into(), reference: "".into(), parameters: vec![], states: vec![], claims: Default::default(), variant: tuff_material_sdk::descriptor::Variant::Principal, constant_count: 0 };
  let t = std::time::Instant::now();
  let l = match parse(&text, std::path::Path::new("/tmp/x.toml"), &[], &[&d]) { Ok(l)=>l, Err(e)=>{println!("{e}"); return;} };
  for w in &l.warnings { println!("{w}"); }
  println!("load {:?}", t.elapsed());
  let t = std::time::Instant::now();
  let p = sample(&l.scene).unwrap_or_else(|e| {println!("{e}"); std::process::exit(1)}).particles;
  println!("{} particles in {:?}; rest/s^3 {}", p.len(), t.elapsed(), p.rest_volume[0]/l.scene.bodies[0].sampling.spacing().powi(3));
  let t = std::time::Instant::now();
  println!("volume {} centroid {} {:?}", l.scene.bodies[0].shape.volume(), l.scene.bodies[0].shape.centroid(), t.elapsed());
  // neighbours
  let s = l.scene.bodies[0].sampling.spacing();
  let mut map = std::collections::BTreeMap::<[i32;3], Vec<DVec3>>::new();
  for q in &p.position { map.entry((*q/(2.*s)).floor().as_ivec3().to_array()).or_default().push(*q); }
  let b = l.scene.bodies[0].shape.clone();
  let (mut n, mut c, mut all)=(0u64,0u64,0u64); let mut mind=f64::INFINITY;
  for q in p.position.iter().step_by((p.len()/20000).max(1)) {
    let k=(*q/(2.*s)).floor().as_ivec3(); let mut m=0;
    for dz in -1..2 { for dy in -1..2 { for dx in -1..2 { if let Some(v)=map.get(&(k+IVec3::new(dx,dy,dz)).to_array()) { for o in v { let d=o.distance(*q); if d>0. { mind=mind.min(d); if d<2.*s { m+=1; } } } } }}}
    all+=m; 
    if b.signed_distance(*q) < -2.*s { n+=m; c+=1; }
  }
  println!("min dist/s {} interior neighbours {} (of {})", mind/s, n as f64/c as f64, c);
  // maximality
  let bb=b.bounds(); let mut x=12345u64; let mut r=||{x=x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407); (x>>11) as f64/(1u64<<53) as f64};
  let (mut voids, mut tot, mut worst)=(0,0,0f64);
  for _ in 0..200000 { let q=bb.min+bb.size()*DVec3::new(r(),r(),r()); if !b.contains(q) {continue;} tot+=1; let k=(q/(2.*s)).floor().as_ivec3(); let mut m=f64::INFINITY;
    for dz in -1..2 { for dy in -1..2 { for dx in -1..2 { if let Some(v)=map.get(&(k+IVec3::new(dx,dy,dz)).to_array()) { for o in v { m=m.min(o.distance(q)); } } }}}
    worst=worst.max(m/s); if m>=s {voids+=1;} }
  println!("voids {voids} of {tot}, farthest {worst}");
}
