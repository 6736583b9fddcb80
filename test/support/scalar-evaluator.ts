/**
 * Evaluates scalar values of primitive functions on float32, float64, int32, uint32 and bool: a list of steps over
 * numbered slots, each node once. Independent of the backends, so that their results can be compared with it.
 */
import type { CallScalar, Scalar } from "../../src/kernel/ir/scalar.ts";

const float = new Float32Array(1);
const word = new Int32Array(float.buffer);

const narrow: Readonly<Record<string, (value: number) => number>> = {
  float32: Math.fround,
  float64: (value) => value,
  int32: (value) => value | 0,
  uint32: (value) => value >>> 0,
  bool: (value) => (value === 0 ? 0 : 1),
};

function toEven(x: number): number {
  const low = Math.floor(x);
  const rounded = x - low < 0.5 || (x - low === 0.5 && low % 2 === 0) ? low : low + 1;
  return Number.isFinite(x) ? rounded : x;
}

const meanings: Readonly<Record<string, (a: number, b: number, c: number) => number>> = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  div: (a, b) => a / b,
  eq: (a, b) => Number(a === b),
  ne: (a, b) => Number(a !== b),
  lt: (a, b) => Number(a < b),
  le: (a, b) => Number(a <= b),
  gt: (a, b) => Number(a > b),
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
  shiftLeft: (a, b) => a << b,
  copysign: (a, b) => (b < 0 || Object.is(b, -0) ? -Math.abs(a) : Math.abs(a)),
  // biome-ignore lint/complexity/useMathMinMax: NaN is passed over.
  larger: (a, b) => (a < b ? b : a),
  neg: (a) => -a,
  abs: Math.abs,
  sqrt: Math.sqrt,
  floor: Math.floor,
  trunc: Math.trunc,
  round: toEven,
  select: (a, b, c) => (a !== 0 ? b : c),
  pow: (a, b) => a ** b,
  exp: Math.exp,
};

function meaningOf(node: CallScalar): (a: number, b: number, c: number) => number {
  const dtype = node.args[0]?.dtype ?? node.dtype;
  if (node.fn === "mul") return dtype.includes("int") ? Math.imul : (a, b) => a * b;
  if (node.fn === "shiftRight") return dtype === "uint32" ? (a, b) => a >>> b : (a, b) => a >> b;
  const meaning = meanings[node.fn];
  if (meaning === undefined) throw new Error(`${node.fn} is not a primitive function.`);
  return meaning;
}

function castOf(from: string, to: string, how: "value" | "bits"): (a: number) => number {
  if (how === "value" || (from !== "float32" && to !== "float32")) return narrow[to] as (a: number) => number;
  if (from === "float32")
    return (a) => {
      float[0] = a;
      return to === "uint32" ? (word[0] as number) >>> 0 : (word[0] as number);
    };
  return (a) => {
    word[0] = a | 0;
    return float[0] as number;
  };
}

/** The value as a function of the parameters with these names. */
export function evaluator(root: Scalar, parameters: readonly string[]): (...values: number[]) => number {
  const slots: number[] = parameters.map(() => 0);
  const slotOf = new Map<Scalar, number>();
  const steps: (() => void)[] = [];
  const visit = (node: Scalar): number => {
    const known = slotOf.get(node);
    if (known !== undefined) return known;
    let slot = slots.length;
    if (node.kind === "parameter") slot = parameters.indexOf(node.name);
    else if (node.kind === "constant") slots.push(Number(node.value));
    else if (node.kind === "call" || node.kind === "cast") {
      const [a = 0, b = 0, c = 0] = (node.kind === "call" ? node.args : [node.of]).map(visit);
      const meaning = node.kind === "call" ? meaningOf(node) : castOf(node.of.dtype, node.dtype, node.how);
      const round = narrow[node.dtype] as (value: number) => number;
      slot = slots.length;
      slots.push(0);
      steps.push(() => {
        slots[slot] = round(meaning(slots[a] as number, slots[b] as number, slots[c] as number));
      });
    } else throw new Error(`a ${node.kind} has no value here.`);
    slotOf.set(node, slot);
    return slot;
  };
  const result = visit(root);
  return (...values) => {
    for (let i = 0; i < parameters.length; i++) slots[i] = values[i] as number;
    for (const step of steps) step();
    return slots[result] as number;
  };
}
