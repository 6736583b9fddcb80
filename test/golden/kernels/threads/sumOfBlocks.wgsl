// f32_block_sum_64: 64 threads for each unit
struct Arguments {
  n: i32,
  units: i32,
}
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@group(0) @binding(2) var<uniform> arguments: Arguments;
var<workgroup> s: array<f32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(num_workgroups) workgroups: vec3u, @builtin(local_invocation_index) thread: u32) {
  let n = arguments.n;
  let units = arguments.units;
  let u = i32(workgroup.x + workgroup.y * workgroups.x);
  if (u >= units) { return; }
  let t = i32(thread);
  let i = t + u * 128;
  s[t] = select(0.0, x[i], i < n) + select(0.0, x[i + 64], (i + 64) < n);
  for (var r = 0; r < 6; r += 1) {
    workgroupBarrier();
    if (t < (32 / (1 << u32(r)))) {
      s[t] = s[t] + s[t + 32 / (1 << u32(r))];
    }
  }
  if (t == 0) {
    out[u] = s[0];
  }
}
