// f32_exp_line_11
struct Arguments {
  zero: u32,
  units: i32,
  out_base: i32,
  x_base: i32,
  n: i32,
  block: i32,
}
@group(0) @binding(0) var<uniform> arguments: Arguments;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@group(0) @binding(2) var<storage, read> x: array<f32>;
fn exact(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) | arguments.zero); }
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let out_base = arguments.out_base;
  let x_base = arguments.x_base;
  let n = arguments.n;
  let block = arguments.block;
  let u = i32((group.y * groups.x + group.x) * 64u + lane);
  if (u >= arguments.units) { return; }
  for (var i = block * u; i < min(block * u + block, n); i++) {
    let t1 = x[x_base + i];
    let t2 = (t1 * 1.4426950216293335f) + 12582912.0f;
    let t3 = exact(t2) - 12582912.0f;
    let t4 = exact((t1 - (t3 * 0.693359375f))) - (t3 * (-0.00021219444170128554f));
    let t5 = t4 * t4;
    let t6 = select(t1, 90.0f, (90.0f < t1));
    let t7 = select(t6, (-105.0f), ((-105.0f) > t6));
    let t8 = (t7 * 1.4426950216293335f) + 12583166.0f;
    let t9 = exact(t8) - 12583166.0f;
    let t10 = exact((t7 - (t9 * 0.693359375f))) - (t9 * (-0.00021219444170128554f));
    let t11 = t10 * t10;
    let t12 = bitcast<i32>(t8);
    let t13 = t12 >> 1u;
    out[out_base + i] = select(((((t11 * ((t11 * ((t11 * 0.0013940474018454552f) + exact(((0.008368954993784428f * t10) + 0.041666388511657715f)))) + exact(((0.16666516661643982f * t10) + 0.5f)))) + exact((exact(t10) + 1.0f))) * bitcast<f32>((t13 << 23u))) * bitcast<f32>(((t12 - t13) << 23u))), bitcast<f32>((bitcast<i32>(((t5 * ((t5 * ((t5 * 0.0013940474018454552f) + exact(((0.008368954993784428f * t4) + 0.041666388511657715f)))) + exact(((0.16666516661643982f * t4) + 0.5f)))) + exact((exact(t4) + 1.0f)))) + (bitcast<i32>(t2) << 23u))), (((bitcast<i32>(t1) & 2147483647) - 1118699520) < 0));
  }
}
