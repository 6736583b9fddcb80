// f32_matmul_registers_4x4: 64 threads for each unit
struct Arguments {
  n4: i32,
  k4: i32,
  columns: i32,
  units: i32,
}
@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> c: array<vec4<f32>>;
@group(0) @binding(3) var<uniform> arguments: Arguments;
var<workgroup> sa: array<vec4<f32>, 64>;
var<workgroup> sb: array<vec4<f32>, 64>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(num_workgroups) workgroups: vec3u, @builtin(local_invocation_index) thread: u32) {
  let n4 = arguments.n4;
  let k4 = arguments.k4;
  let columns = arguments.columns;
  let units = arguments.units;
  let n = n4 * 4;
  let k = k4 * 4;
  let u = i32(workgroup.x + workgroup.y * workgroups.x);
  if (u >= units) { return; }
  let i0 = (u / columns) * 32;
  let j0 = (u % columns) * 32;
  let t = i32(thread);
  let i = t / 8;
  let j = t % 8;
  var r: array<vec4<f32>, 4>;
  for (var z = 0; z < 16; z += 4) {
    r[z / 4] = vec4<f32>(0.0);
  }
  for (var p = 0; p < (k / 8); p += 1) {
    sa[t] = a[p * 2 + (i0 * k + k * (t / 2)) / 4 + t % 2];
    sb[t] = b[n * p * 2 + j + (i * n + j0) / 4];
    workgroupBarrier();
    for (var q = 0; q < 8; q += 1) {
      var ra: array<f32, 4>;
      var rb: array<vec4<f32>, 1>;
      for (var y = 0; y < 4; y += 1) {
        ra[y] = sa[i * 8 + y * 2 + q / 4][q % 4];
      }
      rb[0] = sb[j + q * 8];
      for (var v = 0; v < 4; v += 1) {
        r[v] = r[v] + (vec4<f32>(ra[v]) * rb[0]);
      }
    }
    workgroupBarrier();
  }
  for (var g = 0; g < 4; g += 1) {
    c[i * n + j + (g * n + i0 * n + j0) / 4] = r[g];
  }
}
