// f32_block_scan_32: 32 threads for each unit
struct Arguments {
  units: i32,
}
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@group(0) @binding(2) var<uniform> arguments: Arguments;
var<workgroup> s: array<f32, 64>;

@compute @workgroup_size(32)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(num_workgroups) workgroups: vec3u, @builtin(local_invocation_index) thread: u32) {
  let units = arguments.units;
  let u = i32(workgroup.x + workgroup.y * workgroups.x);
  if (u >= units) { return; }
  let t = i32(thread);
  s[t] = x[t + u * 32];
  for (var r = 0; r < 5; r += 1) {
    workgroupBarrier();
    let from_ = (r % 2) * 32;
    let to = (r % 2) * (-32) + 32;
    let v1 = s[from_ + t];
    s[to + t] = select((v1 + s[from_ + max(t - (1 << u32(r)), 0)]), v1, (t < (1 << u32(r))));
  }
  workgroupBarrier();
  out[-t + u * 32 + 31] = s[-t + 63];
}
