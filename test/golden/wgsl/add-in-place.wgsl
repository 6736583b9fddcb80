// f32_add_line_111
struct Arguments {
  zero: u32,
  units: i32,
  out_base: i32,
  x0_base: i32,
  x1_base: i32,
  n: i32,
  block: i32,
}
@group(0) @binding(0) var<uniform> arguments: Arguments;
@group(0) @binding(1) var<storage, read_write> shared_out_x0: array<f32>;
@group(0) @binding(2) var<storage, read> x1: array<f32>;
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let out_base = arguments.out_base;
  let x0_base = arguments.x0_base;
  let x1_base = arguments.x1_base;
  let n = arguments.n;
  let block = arguments.block;
  let u = i32((group.y * groups.x + group.x) * 64u + lane);
  if (u >= arguments.units) { return; }
  for (var i = block * u; i < min(block * u + block, n); i++) {
    shared_out_x0[out_base + i] = shared_out_x0[x0_base + i] + x1[x1_base + i];
  }
}
