// f32_transpose_swizzled_8: 64 threads for each unit
struct Arguments {
  m: i32,
  n: i32,
  columns: i32,
  units: i32,
}
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@group(0) @binding(2) var<uniform> arguments: Arguments;
var<workgroup> s: array<f32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(num_workgroups) workgroups: vec3u, @builtin(local_invocation_index) thread: u32) {
  let m = arguments.m;
  let n = arguments.n;
  let columns = arguments.columns;
  let units = arguments.units;
  let u = i32(workgroup.x + workgroup.y * workgroups.x);
  if (u >= units) { return; }
  let i0 = (u / columns) * 8;
  let j0 = (u % columns) * 8;
  let t = i32(thread);
  let i = t / 8;
  let j = t % 8;
  s[i * 8 + (i ^ j)] = x[i0 * n + i * n + j0 + j];
  workgroupBarrier();
  out[i * m + j0 * m + i0 + j] = s[j * 8 + (i ^ j)];
}
