// f32_matmul_tile_8: 64 threads for each unit
struct Arguments {
  m: i32,
  n: i32,
  k: i32,
  columns: i32,
  units: i32,
}
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> arguments: Arguments;
var<workgroup> sa: array<f32, 64>;
var<workgroup> sb: array<f32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(num_workgroups) workgroups: vec3u, @builtin(local_invocation_index) thread: u32) {
  let m = arguments.m;
  let n = arguments.n;
  let k = arguments.k;
  let columns = arguments.columns;
  let units = arguments.units;
  let u = i32(workgroup.x + workgroup.y * workgroups.x);
  if (u >= units) { return; }
  let i0 = (u / columns) * 8;
  let j0 = (u % columns) * 8;
  let t = i32(thread);
  let i = t / 8;
  let j = t % 8;
  var s: f32 = 0.0;
  for (var p = 0; p < ((k + 7) / 8); p += 1) {
    sa[t] = select(0.0, a[i0 * k + i * k + j + p * 8], ((i0 + i) < m) && ((j + p * 8) < k));
    sb[t] = select(0.0, b[i * n + n * p * 8 + j0 + j], ((i + p * 8) < k) && ((j0 + j) < n));
    workgroupBarrier();
    for (var q = 0; q < 8; q += 1) {
      s = s + (sa[i * 8 + q] * sb[j + q * 8]);
    }
    workgroupBarrier();
  }
  if (((i0 + i) < m) && ((j0 + j) < n)) { c[i0 * n + i * n + j0 + j] = s; }
}
