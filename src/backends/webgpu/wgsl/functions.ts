/**
 * WGSL functions that kernels call where WGSL has none of its own with the meaning of `kernel/ir/functions.ts`, each with those that it
 * calls itself. A kernel contains only those that it uses.
 */

interface Helper {
  readonly text: string;
  /** The names of others. */
  readonly calls?: readonly string[];
}

const integerDivision = (type: "i32" | "u32"): Helper => ({
  text: `fn div_${type}(a: ${type}, b: ${type}) -> ${type} { return select(a / b, 0, b == 0); }`,
});
const integerRemainder = (type: "i32" | "u32"): Helper => ({
  text: `fn rem_${type}(a: ${type}, b: ${type}) -> ${type} { return select(a % b, 0, b == 0); }`,
});

/** The smaller or the larger of two numbers: NaN if either is, and -0 is below 0. */
const extreme = (name: "min" | "max", symbol: "<" | ">", bits: "|" | "&"): Helper => ({
  text: `fn ${name}_f32(a: f32, b: f32) -> f32 {
  if (is_nan(a)) { return a; }
  if (is_nan(b)) { return b; }
  if (a == b) { return bitcast<f32>(bitcast<u32>(a) ${bits} bitcast<u32>(b)); }
  return select(b, a, a ${symbol} b);
}`,
  calls: ["is_nan"],
});

export const helpers = {
  /** The value itself. Compilers may reorder sums of floats, but not through bits that they do not know: the arguments have a zero for that. */
  exact: { text: "fn exact(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) | arguments.zero); }" },
  is_nan: { text: "fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }" },
  min_f32: extreme("min", "<", "|"),
  max_f32: extreme("max", ">", "&"),
  copysign_f32: {
    text: `fn copysign_f32(size: f32, sign_of: f32) -> f32 {
  return bitcast<f32>((bitcast<u32>(size) & 0x7fffffffu) | (bitcast<u32>(sign_of) & 0x80000000u));
}`,
  },
  /** The remainder of C's fmod, exact: the divisor is subtracted bit by bit. */
  rem_f32: {
    text: `fn rem_f32(a: f32, b: f32) -> f32 {
  let x = bitcast<u32>(a) & 0x7fffffffu;
  let y = bitcast<u32>(b) & 0x7fffffffu;
  if (x >= 0x7f800000u || y > 0x7f800000u || y == 0u) { return bitcast<f32>(nan_bits); }
  if (x < y) { return a; }
  // The fractions as integers, and their exponents; subnormal numbers have the smallest one.
  let e = max(i32(y >> 23u), 1);
  let divisor = select(y & 0x7fffffu, (y & 0x7fffffu) | 0x800000u, y >= 0x800000u);
  var rest = select(x & 0x7fffffu, (x & 0x7fffffu) | 0x800000u, x >= 0x800000u);
  for (var k = max(i32(x >> 23u), 1); k > e; k--) {
    if (rest >= divisor) { rest -= divisor; }
    rest <<= 1u;
  }
  if (rest >= divisor) { rest -= divisor; }
  var bits = rest;
  if (rest != 0u) {
    let shift = min(i32(countLeadingZeros(rest)) - 8, e - 1);
    bits = rest << u32(shift);
    if (bits >= 0x800000u) { bits = (bits & 0x7fffffu) | (u32(e - shift) << 23u); }
  }
  return bitcast<f32>(bits | (bitcast<u32>(a) & 0x80000000u));
}`,
  },
  mod_f32: {
    text: `fn mod_f32(a: f32, b: f32) -> f32 {
  let rest = rem_f32(a, b);
  return select(rest, rest + b, rest != 0.0f && (rest < 0.0f) != (b < 0.0f));
}`,
    calls: ["rem_f32"],
  },
  floor_div_f32: {
    text: `fn floor_div_f32(a: f32, b: f32) -> f32 {
  let quotient = a / b;
  if (b == 0.0f) { return quotient; }
  let rest = rem_f32(a, b);
  let near = (a - rest) / b - select(0.0f, 1.0f, rest != 0.0f && (rest < 0.0f) != (b < 0.0f));
  if (near == 0.0f) { return copysign_f32(0.0f, quotient); }
  let whole = floor(near);
  return select(whole, whole + 1.0f, near - whole > 0.5f);
}`,
    calls: ["rem_f32", "copysign_f32"],
  },
  div_i32: integerDivision("i32"),
  div_u32: integerDivision("u32"),
  rem_i32: integerRemainder("i32"),
  rem_u32: integerRemainder("u32"),
  floor_div_i32: {
    text: `fn floor_div_i32(a: i32, b: i32) -> i32 {
  let rest = rem_i32(a, b);
  return div_i32(a, b) - select(0, 1, rest != 0 && (rest < 0) != (b < 0));
}`,
    calls: ["div_i32", "rem_i32"],
  },
  mod_i32: {
    text: `fn mod_i32(a: i32, b: i32) -> i32 {
  let rest = rem_i32(a, b);
  return select(rest, rest + b, rest != 0 && (rest < 0) != (b < 0));
}`,
    calls: ["rem_i32"],
  },
  /** Shifts of values of `bits` bits; those by less than 0, or by all bits, leave only the sign. */
  shl: {
    text: "fn shl(x: u32, by: i32, bits: i32) -> u32 { return select(0u, x << u32(by & 31), by >= 0 && by < bits); }",
  },
  shr_u32: {
    text: "fn shr_u32(x: u32, by: i32, bits: i32) -> u32 { return select(0u, x >> u32(by & 31), by >= 0 && by < bits); }",
  },
  shr_i32: {
    text: "fn shr_i32(x: i32, by: i32, bits: i32) -> i32 { return x >> select(31u, u32(by & 31), by >= 0 && by < bits); }",
  },
  /** The integer part of a number, wrapped to 32 bits; 0 for NaN and infinity. */
  wrapped: {
    text: `fn wrapped(x: f32) -> u32 {
  let bits = bitcast<u32>(x);
  let by = i32((bits >> 23u) & 255u) - 150;
  let fraction = (bits & 0x7fffffu) | 0x800000u;
  let size = select(shr_u32(fraction, -by, 32), shl(fraction, by, 32), by >= 0);
  return select(size, 0u - size, (bits >> 31u) != 0u);
}`,
    calls: ["shl", "shr_u32"],
  },
  dot_halves: {
    text: `fn dot_halves(a: i32, b: i32) -> i32 {
  return ((a << 16u) >> 16u) * ((b << 16u) >> 16u) + (a >> 16u) * (b >> 16u);
}`,
  },
  add_long: {
    text: `fn add_long(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let low = a.x + b.x;
  return vec2<u32>(low, a.y + b.y + select(0u, 1u, low < a.x));
}`,
  },
  neg_long: {
    text: "fn neg_long(a: vec2<u32>) -> vec2<u32> { return add_long(~a, vec2<u32>(1u, 0u)); }",
    calls: ["add_long"],
  },
  sub_long: {
    text: "fn sub_long(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> { return add_long(a, neg_long(b)); }",
    calls: ["add_long", "neg_long"],
  },
  mul_long: {
    text: `fn mul_long(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let a0 = a.x & 65535u;
  let a1 = a.x >> 16u;
  let b0 = b.x & 65535u;
  let b1 = b.x >> 16u;
  let low = a0 * b0;
  let middle = a1 * b0 + (low >> 16u);
  let other = a0 * b1 + (middle & 65535u);
  let high = a1 * b1 + (middle >> 16u) + (other >> 16u);
  return vec2<u32>((other << 16u) | (low & 65535u), high + a.x * b.y + a.y * b.x);
}`,
  },
  abs_long: {
    text: "fn abs_long(a: vec2<u32>) -> vec2<u32> { return select(a, neg_long(a), (a.y >> 31u) != 0u); }",
    calls: ["neg_long"],
  },
  less_long: {
    text: `fn less_long(a: vec2<u32>, b: vec2<u32>) -> bool {
  return select(a.x < b.x, bitcast<i32>(a.y) < bitcast<i32>(b.y), a.y != b.y);
}`,
  },
  less_ulong: {
    text: "fn less_ulong(a: vec2<u32>, b: vec2<u32>) -> bool { return select(a.x < b.x, a.y < b.y, a.y != b.y); }",
  },
  shl_long: {
    text: `fn shl_long(a: vec2<u32>, count: vec2<u32>) -> vec2<u32> {
  if (count.y != 0u || count.x > 63u) { return vec2<u32>(0u, 0u); }
  if (count.x == 0u) { return a; }
  if (count.x > 31u) { return vec2<u32>(0u, a.x << (count.x & 31u)); }
  return vec2<u32>(a.x << count.x, (a.y << count.x) | (a.x >> (32u - count.x)));
}`,
  },
  /** `fill` is the word of bits that come in from above. */
  shr_long: {
    text: `fn shr_long(a: vec2<u32>, count: vec2<u32>, fill: u32) -> vec2<u32> {
  if (count.y != 0u || count.x > 63u) { return vec2<u32>(fill, fill); }
  if (count.x == 0u) { return a; }
  let by = count.x & 31u;
  if (count.x > 31u) { return vec2<u32>(select((a.y >> by) | (fill << (32u - by)), a.y, by == 0u), fill); }
  return vec2<u32>((a.x >> by) | (a.y << (32u - by)), (a.y >> by) | (fill << (32u - by)));
}`,
  },
  long_from_i32: {
    text: "fn long_from_i32(x: i32) -> vec2<u32> { return vec2<u32>(bitcast<u32>(x), bitcast<u32>(x >> 31u)); }",
  },
  long_from_f32: {
    text: `fn long_from_f32(x: f32) -> vec2<u32> {
  let bits = bitcast<u32>(x);
  let by = i32((bits >> 23u) & 255u) - 150;
  let fraction = vec2<u32>((bits & 0x7fffffu) | 0x800000u, 0u);
  let size = select(vec2<u32>(shr_u32(fraction.x, -by, 32), 0u), shl_long(fraction, vec2<u32>(u32(max(by, 0)), 0u)), by >= 0);
  return select(size, neg_long(size), (bits >> 31u) != 0u);
}`,
    calls: ["shr_u32", "shl_long", "neg_long"],
  },
  f64_from_f32: {
    text: `fn f64_from_f32(x: f32) -> vec2<u32> {
  let bits = bitcast<u32>(x);
  let sign = bits & 0x80000000u;
  var exponent = i32((bits >> 23u) & 255u);
  var fraction = bits & 0x7fffffu;
  if (exponent == 0 && fraction == 0u) { return vec2<u32>(0u, sign); }
  if (exponent == 255) { return vec2<u32>(0u, sign | 0x7ff00000u | select(0u, 0x80000u, fraction != 0u)); }
  if (exponent == 0) {
    let zeros = i32(countLeadingZeros(fraction)) - 8;
    fraction = (fraction << u32(zeros)) & 0x7fffffu;
    exponent = 1 - zeros;
  }
  return vec2<u32>(fraction << 29u, sign | (u32(exponent + 896) << 20u) | (fraction >> 3u));
}`,
  },
  /** Rounds to the nearest, ties to even. */
  f32_from_f64: {
    text: `fn f32_from_f64(x: vec2<u32>) -> f32 {
  let sign = x.y & 0x80000000u;
  let exponent = i32((x.y >> 20u) & 0x7ffu) - 896;
  let is_nan = exponent == 1151 && ((x.y & 0xfffffu) != 0u || x.x != 0u);
  if (exponent >= 255) { return bitcast<f32>((sign | 0x7f800000u | select(0u, 0x400000u, is_nan)) | arguments.zero); }
  if (exponent < -24) { return bitcast<f32>(sign); }
  let fraction = 0x800000u | ((x.y & 0xfffffu) << 3u) | (x.x >> 29u);
  // The bits that are cut off: those of the lower word, and of subnormal results some of the fraction.
  let cut = u32(max(1 - exponent, 0));
  let kept = fraction >> cut;
  let lost = fraction & ((1u << cut) - 1u);
  let low = x.x & 0x1fffffffu;
  let half = select(0x10000000u, 1u << (max(cut, 1u) - 1u), cut > 0u);
  let rest = select(low, lost, cut > 0u);
  let is_above = rest > half || (rest == half && ((cut > 0u && low != 0u) || (kept & 1u) != 0u));
  return bitcast<f32>(sign | ((u32(max(exponent - 1, 0)) << 23u) + kept + select(0u, 1u, is_above)));
}`,
  },
  /** Rounds once: the upper 32 bits that count, the last of which also stands for all lower ones, are converted. */
  f32_from_ulong: {
    text: `fn f32_from_ulong(a: vec2<u32>) -> f32 {
  if (a.y == 0u) { return f32(a.x); }
  let zeros = countLeadingZeros(a.y);
  let top = shl_long(a, vec2<u32>(zeros, 0u));
  return f32(top.y | select(0u, 1u, top.x != 0u)) * bitcast<f32>((159u - zeros) << 23u);
}`,
    calls: ["shl_long"],
  },
  f32_from_long: {
    text: `fn f32_from_long(a: vec2<u32>) -> f32 {
  let size = f32_from_ulong(abs_long(a));
  return select(size, -size, (a.y >> 31u) != 0u);
}`,
    calls: ["f32_from_ulong", "abs_long"],
  },
} as const satisfies Readonly<Record<string, Helper>>;

export type HelperName = keyof typeof helpers;

/** Returns the texts of these functions and of those that they call, callees first. */
export function helperTexts(names: Iterable<HelperName>): string[] {
  const texts = new Map<HelperName, string>();
  const add = (name: HelperName): void => {
    if (texts.has(name)) return;
    const { text, calls = [] }: Helper = helpers[name];
    for (const callee of calls) add(callee as HelperName);
    texts.set(name, text);
  };
  for (const name of names) add(name);
  return [...texts.values()];
}
