// f16_add_line_111
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
@group(0) @binding(1) var<storage, read_write> out: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> x0: array<u32>;
@group(0) @binding(3) var<storage, read> x1: array<u32>;
fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }
fn load_16_x0(at: i32) -> u32 { return (x0[at >> 1u] >> (u32(at & 1) * 16u)) & 65535u; }
fn load_16_x1(at: i32) -> u32 { return (x1[at >> 1u] >> (u32(at & 1) * 16u)) & 65535u; }
fn store_16_out(at: i32, bits: u32) {
  let by = u32(at & 1) * 16u;
  atomicAnd(&out[at >> 1u], ~(65535u << by));
  atomicOr(&out[at >> 1u], (bits & 65535u) << by);
}
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
    let t1 = bitcast<f32>(((((bitcast<i32>(load_16_x0(x0_base + i)) << 16u) >> 16u) << 13u) & (-1879048193))) * 5.192296858534828e+33f;
    let t2 = bitcast<f32>(((((bitcast<i32>(load_16_x1(x1_base + i)) << 16u) >> 16u) << 13u) & (-1879048193))) * 5.192296858534828e+33f;
    let t3 = select(t1, bitcast<f32>((bitcast<i32>(t1) | 2139095040)), (abs(t1) >= 65536.0f)) + select(t2, bitcast<f32>((bitcast<i32>(t2) | 2139095040)), (abs(t2) >= 65536.0f));
    let t4 = abs(t3);
    let t5 = select(65536.0f, t4, (t4 < 65536.0f));
    let t6 = max((bitcast<i32>(t5) & 2139095040), 947912704);
    let t7 = t6 + 109051904;
    store_16_out(out_base + i, bitcast<u32>(select((((bitcast<i32>(t3) >> 16u) & 32768) | ((bitcast<i32>((t5 + bitcast<f32>(t7))) - t7) + ((t6 >> 13u) - 115712))), 32256, is_nan(t3))) & 65535u);
  }
}
