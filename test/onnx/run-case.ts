/** Runs one case of the onnx project's format, and compares its outputs. */
import { join } from "node:path";
import { noGrad, Tensor, type Value } from "../../src/index.ts";
import { OnnxError } from "../../src/onnx/error.ts";
import { prepareModel } from "../../src/onnx/load.ts";
import { readModel, readOptional, readSequence, readTensor } from "../../src/onnx/proto/read.ts";
import type { NodeProto, OptionalProto, SequenceProto, TypeProto } from "../../src/onnx/proto/types.ts";
import { readTensorValue } from "../../src/onnx/tensor-elements.ts";
import { describeOnnxValue, type OnnxValue, TextTensor, ValueSequence } from "../../src/onnx/values.ts";

export interface CaseResult {
  readonly status: "passed" | "failed" | "skipped";
  readonly reason: string;
}

/** Operators whose outputs are random: their shapes and dtypes are compared. */
const randomOperators = new Set([
  "Bernoulli",
  "RandomNormal",
  "RandomNormalLike",
  "RandomUniform",
  "RandomUniformLike",
  "Multinomial",
]);

/** True for nodes with random outputs. Dropout is random if it has the input that asks for training. */
const isRandomNode = ({ opType, input }: NodeProto): boolean =>
  randomOperators.has(opType) || (opType === "Dropout" && input.length > 2);

/**
 * The tolerances of the onnx project's own runner; the absolute one is multiplied by the largest element of an output, if that is above 1, because the
 * rounding errors of a transform are proportional to it.
 */
const tolerance = { relative: 1e-3, absolute: 1e-7 };

export async function runCase(
  folder: string,
  read: (path: string) => Uint8Array,
  list: (path: string) => readonly string[],
): Promise<CaseResult> {
  try {
    const bytes = read(join(folder, "model.onnx"));
    const proto = readModel(bytes);
    const isRandom = proto.graph?.node.some(isRandomNode) === true;
    for (const isCompiled of [false, true]) {
      const model = prepareModel(proto, { compile: isCompiled });
      const ports = proto.graph?.input.map((each) => each.type) ?? [];
      const results = proto.graph?.output.map((each) => each.type) ?? [];
      for (const set of list(folder).filter((name) => name.startsWith("test_data_set_"))) {
        const files = list(join(folder, set));
        const load = (kind: string, types: readonly (TypeProto | undefined)[]): OnnxValue[] =>
          types.flatMap((type, k) =>
            files.includes(`${kind}_${k}.pb`) ? [readValue(read(join(folder, set, `${kind}_${k}.pb`)), type)] : [],
          );
        const inputs = load("input", ports);
        const expected = load("output", results);
        const feeds = Object.fromEntries(
          (proto.graph?.input ?? []).flatMap(({ name }, k) => (k < inputs.length ? [[name, inputs[k]]] : [])),
        );
        const rounds = isCompiled ? 2 : 1;
        for (let round = 0; round < rounds; round++) {
          const outputs = model.run(feeds);
          for (const [k, { name }] of model.outputs.entries()) {
            if (k >= expected.length) continue;
            const difference = differenceOf(outputs[name] ?? null, expected[k], isRandom);
            if (difference !== null)
              return {
                status: "failed",
                reason: `${isCompiled ? `compiled ${round}` : "eager"}: ${name}: ${difference}`,
              };
          }
        }
      }
      model.dispose();
    }
    return { status: "passed", reason: "" };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const unknown = /operators that are not supported: (.*)/.exec(message);
    if (unknown !== null)
      return { status: "skipped", reason: `operator ${unknown[1].replaceAll(/ \(\d+ times\)/g, "")}` };
    const isOwn = error instanceof OnnxError;
    return {
      status: "failed",
      reason: isOwn
        ? message
        : String((error as Error).stack)
            .split("\n")
            .slice(0, 4)
            .join(" "),
    };
  }
}

function readValue(bytes: Uint8Array, type: TypeProto | undefined): OnnxValue {
  if (type?.sequenceType !== undefined) return sequenceValue(readSequence(bytes));
  if (type?.optionalType !== undefined) return optionalValue(readOptional(bytes));
  return readTensorValue(readTensor(bytes));
}

const sequenceValue = (proto: SequenceProto): OnnxValue =>
  new ValueSequence([
    ...proto.tensorValues.map(readTensorValue),
    ...proto.sequenceValues.map(sequenceValue),
    ...proto.optionalValues.map(optionalValue),
  ]);

function optionalValue(proto: OptionalProto): OnnxValue {
  if (proto.tensorValue !== undefined) return readTensorValue(proto.tensorValue);
  if (proto.sequenceValue !== undefined) return sequenceValue(proto.sequenceValue);
  return proto.optionalValue === undefined ? null : optionalValue(proto.optionalValue);
}

/** Returns what differs; null if the values agree. */
export function differenceOf(value: OnnxValue, expected: OnnxValue, isRandom = false): string | null {
  if (expected === null || value === null)
    return value === expected ? null : `got ${describeOnnxValue(value)}, expected ${describeOnnxValue(expected)}`;
  if (expected instanceof ValueSequence) {
    if (!(value instanceof ValueSequence) || value.items.length !== expected.items.length)
      return `got ${describeOnnxValue(value)}, expected ${describeOnnxValue(expected)}`;
    for (const [k, each] of expected.items.entries()) {
      const difference = differenceOf(value.items[k], each);
      if (difference !== null) return `[${k}]: ${difference}`;
    }
    return null;
  }
  if (expected instanceof TextTensor) {
    if (!(value instanceof TextTensor)) return `got ${describeOnnxValue(value)}, expected text`;
    const same = `${value.shape}` === `${expected.shape}` && value.data.every((each, k) => each === expected.data[k]);
    return same ? null : `got [${value.data.slice(0, 8)}], expected [${expected.data.slice(0, 8)}]`;
  }
  if (!(expected instanceof Tensor)) return "a map is expected";
  if (!(value instanceof Tensor)) return `got ${describeOnnxValue(value)}, expected a tensor`;
  if (value.dtype !== expected.dtype) return `dtype ${value.dtype}, expected ${expected.dtype}`;
  if (`${value.shape}` !== `${expected.shape}`) return `shape [${value.shape}], expected [${expected.shape}]`;
  if (isRandom) return null;
  return noGrad(() => {
    const isComplex = String(value.dtype).startsWith("complex");
    const isLong = value.dtype === "int64" || value.dtype === "uint64";
    const list = (t: Tensor): (number | bigint)[] => {
      if (isComplex) return toParts(t).flat();
      const flat = t.reshape([-1]).toArray({ bigint: isLong }) as Value[];
      return isLong ? (flat as bigint[]) : flat.map(Number);
    };
    const [a, b] = [list(value), list(expected)];
    const largest = b.reduce<number>((max, each) => {
      const size = Math.abs(Number(each));
      return Number.isFinite(size) ? Math.max(max, size) : max;
    }, 1);
    for (let k = 0; k < a.length; k++)
      if (!isNear(a[k], b[k], largest)) return `element ${k} is ${a[k]}, expected ${b[k]} (of [${value.shape}])`;
    return null;
  });
}

/** Integers of 64 bits must be equal. */
function isNear(a: number | bigint, b: number | bigint, largest: number): boolean {
  if (a === b || Object.is(a, b)) return true;
  if (typeof a === "bigint" || typeof b === "bigint") return false;
  return Math.abs(a - b) <= tolerance.absolute * largest + tolerance.relative * Math.abs(b);
}

const toParts = (t: Tensor): number[][] =>
  (t.reshape([-1]).toArray() as { re: number; im: number }[]).map(({ re, im }) => [re, im]);
