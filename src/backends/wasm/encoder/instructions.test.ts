/**
 * Every instruction is valid with the types in its name and with no other result, and well-known codes are right.
 */
import { afterAll, describe, expect, test } from "vitest";
import { configure } from "../options.ts";
import { encodingOf, type Immediate, type Instruction, instructions, type Op, type ValueType } from "./instructions.ts";
import { encodeModule, type Signature } from "./module.ts";

afterAll(() => {
  configure({ relaxedSimd: false });
});

const signature = (params: ValueType[], results: ValueType[]): Signature => ({ params, results });

/** The types in the name of a numeric, vector or memory instruction. */
function signatureOf(op: string): Signature {
  const [type, name] = [op.slice(0, op.indexOf(".")), op.slice(op.indexOf(".") + 1)];
  if (op.startsWith("memory."))
    return {
      size: signature([], ["i32"]),
      grow: signature(["i32"], ["i32"]),
      copy: signature(["i32", "i32", "i32"], []),
      fill: signature(["i32", "i32", "i32"], []),
    }[name] as Signature;
  const scalar = ["i32", "i64", "f32", "f64"].includes(type) ? (type as ValueType) : undefined;
  return scalar ? scalarSignature(name, scalar) : vectorSignature(name, type);
}

function scalarSignature(name: string, t: ValueType): Signature {
  if (name === "const") return signature([], [t]);
  if (name.startsWith("load")) return signature(["i32"], [t]);
  if (name.startsWith("store")) return signature(["i32", t], []);
  const from = /_(i32|i64|f32|f64)(_[su])?$/.exec(name)?.[1] as ValueType | undefined;
  if (from) return signature([from], [t]);
  if (name === "eqz") return signature([t], ["i32"]);
  if (/^(eq|ne|[lg][te])(_[su])?$/.test(name)) return signature([t, t], ["i32"]);
  const isUnary = /^(clz|ctz|popcnt|abs|neg|ceil|floor|trunc|nearest|sqrt|extend\d+_s)$/.test(name);
  return signature(isUnary ? [t] : [t, t], [t]);
}

function vectorSignature(name: string, shape: string): Signature {
  const lane: ValueType = shape.startsWith("f") ? (shape.slice(0, 3) as ValueType) : shape === "i64x2" ? "i64" : "i32";
  if (name === "const") return signature([], ["v128"]);
  if (name === "splat") return signature([lane], ["v128"]);
  if (name.startsWith("extract_lane")) return signature(["v128"], [lane]);
  if (name === "replace_lane") return signature(["v128", lane], ["v128"]);
  if (/^load.*_lane$/.test(name)) return signature(["i32", "v128"], ["v128"]);
  if (name.startsWith("load")) return signature(["i32"], ["v128"]);
  if (name.startsWith("store")) return signature(["i32", "v128"], []);
  if (/^(any_true|all_true|bitmask)$/.test(name)) return signature(["v128"], ["i32"]);
  if (/^sh[lr]/.test(name) && name !== "shuffle") return signature(["v128", "i32"], ["v128"]);
  if (/bitselect|madd/.test(name)) return signature(["v128", "v128", "v128"], ["v128"]);
  const isUnary = /^(not|abs|neg|popcnt|sqrt|ceil|floor|nearest|trunc.*|convert.*|demote.*|promote.*|extend_.*)$/;
  return signature(isUnary.test(name) ? ["v128"] : ["v128", "v128"], ["v128"]);
}

function immediatesOf(op: string): Immediate[] {
  const sixteen = Array.from({ length: 16 }, (_, i) => i);
  switch (encodingOf(op as Op).immediates) {
    case "memory":
      return [0, 300];
    case "lane memory":
      return [0, 300, 1];
    case "lane":
      return [1];
    case "bytes":
      return [sixteen];
    case "none":
    case "zero":
    case "zeros":
      return [];
    default:
      return [7];
  }
}

/** Functions that use the instructions which no name explains, each as [code, params, results]. */
const others: Readonly<Record<string, readonly [Instruction[], ValueType[], ValueType[]]>> = {
  unreachable: [[["unreachable"]], [], ["i32"]],
  nop: [[["nop"]], [], []],
  block: [[["block", -1], ["local.get", 0], ["end"]], ["i32"], ["i32"]],
  loop: [[["loop", -1], ["local.get", 0], ["end"]], ["i32"], ["i32"]],
  if: [[["local.get", 0], ["if"], ["nop"], ["end"]], ["i32"], []],
  else: [[["local.get", 0], ["if", -4], ["f64.const", 1], ["else"], ["f64.const", 2], ["end"]], ["i32"], ["f64"]],
  end: [[["block"], ["end"]], [], []],
  br: [
    [
      ["local.get", 0],
      ["br", 0],
    ],
    ["i32"],
    ["i32"],
  ],
  br_if: [
    [
      ["local.get", 0],
      ["br_if", 0],
    ],
    ["i32"],
    [],
  ],
  br_table: [[["block"], ["local.get", 0], ["br_table", [0, 1, 0], 1], ["end"]], ["i32"], []],
  return: [[["local.get", 0], ["return"]], ["i32"], ["i32"]],
  call: [
    [
      ["local.get", 0],
      ["call", 0],
    ],
    ["f64"],
    ["f64"],
  ],
  call_indirect: [
    [
      ["local.get", 0],
      ["i32.const", 0],
      ["call_indirect", 0],
    ],
    ["f64"],
    ["f64"],
  ],
  drop: [[["local.get", 0], ["drop"]], ["i32"], []],
  select: [[["local.get", 0], ["local.get", 0], ["i32.const", 1], ["select"]], ["v128"], ["v128"]],
  "local.get": [[["local.get", 0]], ["i32"], ["i32"]],
  "local.set": [
    [
      ["local.get", 0],
      ["local.set", 0],
    ],
    ["i32"],
    [],
  ],
  "local.tee": [
    [
      ["local.get", 0],
      ["local.tee", 0],
    ],
    ["i32"],
    ["i32"],
  ],
  "global.get": [[["global.get", 0]], [], ["i32"]],
  "global.set": [
    [
      ["local.get", 0],
      ["global.set", 0],
    ],
    ["i32"],
    [],
  ],
};

function isValid(code: Instruction[], params: readonly ValueType[], results: readonly ValueType[]): boolean {
  const bytes = encodeModule({
    name: "one",
    types: [{ params: ["f64"], results: ["f64"] }],
    imports: [
      { module: "env", name: "memory", kind: "memory", shared: true, initial: 1, maximum: 1 },
      { module: "env", name: "counter", kind: "global", type: "i32", mutable: true },
      { module: "env", name: "f", kind: "function", params: ["f64"], results: ["f64"] },
      { module: "env", name: "table", kind: "table", initial: 1 },
    ],
    functions: [{ name: "one", params, results, locals: [], code }],
    exports: [],
  });
  return WebAssembly.validate(bytes);
}

test("every instruction is valid with the types in its name, and with no other result", () => {
  expect(configure({ relaxedSimd: true }).relaxedSimd).toBe(true);
  const types: readonly ValueType[] = ["i32", "i64", "f32", "f64", "v128"];
  for (const op of instructions().keys()) {
    const other = others[op];
    const { params, results } = other ? signature(other[1], other[2]) : signatureOf(op);
    const gets = params.map((_, i): Instruction => ["local.get", i]);
    const code: Instruction[] = other ? other[0] : [...gets, [op as Op, ...immediatesOf(op)]];
    expect(isValid(code, params, results), `${op} (${params}) -> (${results})`).toBe(true);
    if (op === "unreachable") continue;
    for (const wrong of types.filter((type) => type !== results[0]))
      expect(isValid(code, params, [wrong]), `${op} gives no ${wrong}`).toBe(false);
  }
});

test("no code belongs to two instructions", () => {
  const codes = [...instructions().values()].map(({ code }) => code);
  expect(new Set(codes).size).toBe(codes.length);
});

describe("codes of the specification", () => {
  test.each<[Op, number]>([
    ["call_indirect", 0x11],
    ["select", 0x1b],
    ["global.set", 0x24],
    ["i64.load32_u", 0x35],
    ["i64.store32", 0x3e],
    ["memory.grow", 0x40],
    ["i32.ge_u", 0x4f],
    ["i64.ge_u", 0x5a],
    ["f64.ge", 0x66],
    ["i32.rotr", 0x78],
    ["i64.rem_u", 0x82],
    ["f32.copysign", 0x98],
    ["f64.max", 0xa5],
    ["i64.trunc_f64_u", 0xb1],
    ["f64.promote_f32", 0xbb],
    ["i64.extend32_s", 0xc4],
    ["i64.trunc_sat_f64_u", 0xfc007],
    ["memory.fill", 0xfc00b],
    ["v128.load64_splat", 0xfd00a],
    ["i8x16.swizzle", 0xfd00e],
    ["f64x2.replace_lane", 0xfd022],
    ["i32x4.ge_u", 0xfd040],
    ["f64x2.ge", 0xfd04c],
    ["v128.any_true", 0xfd053],
    ["v128.load64_zero", 0xfd05d],
    ["i8x16.narrow_i16x8_u", 0xfd066],
    ["i8x16.sub_sat_u", 0xfd073],
    ["f64x2.trunc", 0xfd07a],
    ["i16x8.extend_high_i8x16_u", 0xfd08a],
    ["i16x8.mul", 0xfd095],
    ["i16x8.extmul_high_i8x16_s", 0xfd09d],
    ["i32x4.mul", 0xfd0b5],
    ["i64x2.mul", 0xfd0d5],
    ["i64x2.ge_s", 0xfd0db],
    ["f32x4.sqrt", 0xfd0e3],
    ["f32x4.pmax", 0xfd0eb],
    ["f64x2.pmax", 0xfd0f7],
    ["f64x2.convert_low_i32x4_u", 0xfd0ff],
    ["f32x4.relaxed_madd", 0xfd105],
    ["f64x2.relaxed_nmadd", 0xfd108],
  ])("%s", (op, code) => {
    expect(encodingOf(op).code.toString(16)).toBe(code.toString(16));
  });
});

test("an unknown name is a type error, and throws", () => {
  // @ts-expect-error a misspelt name
  const wrong: Op = "f32x4.ad";
  expect(() => encodingOf(wrong)).toThrow('encodingOf: there is no instruction "f32x4.ad"');
});
