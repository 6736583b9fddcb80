// f32_masked
struct Arguments {
  zero: u32,
  units: i32,
  x_base: i32,
  mask_base: i32,
  out_base: i32,
  n: i32,
  block: i32,
}
@group(0) @binding(0) var<uniform> arguments: Arguments;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> mask: array<u32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;
fn load_8_mask(at: i32) -> u32 { return (mask[at >> 2u] >> (u32(at & 3) * 8u)) & 255u; }
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let x_base = arguments.x_base;
  let mask_base = arguments.mask_base;
  let out_base = arguments.out_base;
  let n = arguments.n;
  let block = arguments.block;
  let u = i32((group.y * groups.x + group.x) * 64u + lane);
  if (u >= arguments.units) { return; }
  for (var i = block * u; i < min(block * u + block, n); i++) {
    var t1 = 0.0f;
    if (load_8_mask(mask_base + i) != 0u) { t1 = x[x_base + i]; }
    if (!(load_8_mask(mask_base + i) != 0u)) {
      out[out_base + i] = t1 + out[out_base + i];
    }
  }
}
