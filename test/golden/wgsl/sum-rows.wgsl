// f32_sum_1
struct Arguments {
  zero: u32,
  units: i32,
  out_base: i32,
  x_base: i32,
  outputs: i32,
  block: i32,
  n: i32,
  rounds: i32,
  kept_count: i32,
  kept_first: i32,
  reduced_count: i32,
  reduced_first: i32,
  rows: array<vec4<i32>, 4>,
}
@group(0) @binding(0) var<uniform> arguments: Arguments;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@group(0) @binding(2) var<storage, read> x: array<f32>;
fn row(k: i32) -> i32 { return arguments.rows[k >> 2u][k & 3]; }
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let out_base = arguments.out_base;
  let x_base = arguments.x_base;
  let outputs = arguments.outputs;
  let block = arguments.block;
  let n = arguments.n;
  let rounds = arguments.rounds;
  let u = i32((group.y * groups.x + group.x) * 64u + lane);
  if (u >= arguments.units) { return; }
  for (var o = block * u; o < min(block * u + block, outputs); o++) {
    var t1 = o;
    var out_at = 0;
    var x_at = 0;
    for (var at_row = arguments.kept_first; at_row < arguments.kept_first + arguments.kept_count; at_row += 3) {
      let row_size = row(at_row);
      let row_coord = t1 % row_size;
      t1 = t1 / row_size;
      out_at += row_coord * row(at_row + 1);
      x_at += row_coord * row(at_row + 2);
    }
    var total: f32 = 0.0f;
    for (var r = 0; r < rounds; r++) {
      var t2 = r;
      var x_on = 0;
      for (var at_row = arguments.reduced_first; at_row < arguments.reduced_first + arguments.reduced_count; at_row += 2) {
        let row_size = row(at_row);
        let row_coord = t2 % row_size;
        t2 = t2 / row_size;
        x_on += row_coord * row(at_row + 1);
      }
      for (var c = 0; c < (n + 1023) / 1024; c++) {
        var part_: f32 = 0.0f;
         {
          let i_first = c * 1024;
          let i_full = i_first + max(0, (min(n, c * 1024 + 1024) - i_first) / 16) * 16;
          var part__parts: array<f32, 16>;
          for (var part = 0; part < 16; part++) { part__parts[part] = 0.0f; }
          for (var i = i_first; i < i_full; i++) {
            part__parts[(i - i_first) & 15] = part__parts[(i - i_first) & 15] + x[x_base + i + x_at + x_on];
          }
          for (var part = 0; part < 8; part++) { part__parts[part] = part__parts[part] + part__parts[part + 8]; }
          for (var part = 0; part < 4; part++) { part__parts[part] = part__parts[part] + part__parts[part + 4]; }
          for (var part = 0; part < 2; part++) { part__parts[part] = part__parts[part] + part__parts[part + 2]; }
          for (var part = 0; part < 1; part++) { part__parts[part] = part__parts[part] + part__parts[part + 1]; }
          part_ = part_ + part__parts[0];
          for (var i = i_full; i < min(n, c * 1024 + 1024); i++) {
            part_ = part_ + x[x_base + i + x_at + x_on];
          }
        }
        total = total + part_;
      }
    }
    out[out_base + out_at] = total;
  }
}
