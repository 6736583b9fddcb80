/**
 * A model as one compiled function, for the commands `build` and `graph`. `--input x=4x3x224x224` fixes the sizes of an input, `x=[n, 3, 224, 224]`
 * names some, and `sr=16000` or `x=FILE.npy` makes it a constant; `--where` has the bounds of named sizes.
 */
import { noGrad } from "../../autograd/scopes.ts";
import { StridewiseError } from "../../base/errors.ts";
import { type Dim, dim } from "../../graph/dims.ts";
import {
  type CompiledModel,
  loadOnnx,
  OnnxError,
  type OnnxInput,
  type OnnxModel,
  type OnnxPort,
} from "../../onnx/index.ts";
import type { DeclaredSize } from "../../onnx/value-type.ts";
import { UsageError } from "../arguments.ts";
import type { Invocation } from "../command.ts";
import { randomInput } from "../load-function.ts";
import type { ModelIo } from "../model-command.ts";
import { namesIn } from "../symbols.ts";
import { requireFile } from "./files.ts";
import { readValue, splitInput, unknownInput } from "./model-inputs.ts";

/** The sizes of an input as declared or as typed. */
type Sizes = readonly DeclaredSize[];

interface Chosen {
  readonly sizes: Map<string, Sizes>;
  readonly values: Record<string, OnnxInput>;
}

/** Loads and compiles a model. With `isBounded`, every named size needs a largest value. */
export async function compileModel(
  path: string,
  name: string,
  invocation: Invocation,
  io: ModelIo,
  isBounded: boolean,
): Promise<{ readonly name: string; readonly compiled: CompiledModel; readonly about: readonly string[] }> {
  requireFile(path);
  const signal = io.signal();
  const model = await loadOnnx(path);
  const { sizes, values } = await readChoices(model, path, invocation.options.get("input") ?? [], io);
  signal.throwIfAborted();
  const ports = model.inputs.filter((port) => !Object.hasOwn(values, port.name) && port.type.kind !== "optional");
  const dims = new Map<string, Dim | number>();
  const shapes = ports.map((port) => shapeOf(name, port, sizes.get(port.name), dims, invocation, isBounded));
  const unused = [...invocation.facts.keys()].find((each) => !dims.has(each));
  if (unused !== undefined)
    throw new UsageError(
      `--where: no input has the size ${unused}. The sizes are ${[...dims.keys()].join(", ") || "all fixed"}.`,
    );
  const compiled = model.compiled({
    shapes: Object.fromEntries(ports.map((port, k) => [port.name, shapes[k]])),
    values,
  });
  const inputs = ports.map(({ type }, k) => randomInput({ dtype: type.dtype ?? "float32", shape: shapes[k] }));
  try {
    io.interruptible(() => noGrad(() => compiled(...inputs)));
  } catch (error) {
    if (!(error instanceof StridewiseError)) throw error;
    throw new OnnxError(`${name}: ${path} is not one compiled program: ${error.message}`);
  }
  const base = path.replace(/^.*[\\/]/, "").replace(/\.onnx$/i, "");
  const typeOf = ({ type }: OnnxPort, k: number): string =>
    `${type.dtype}[${shapes[k].map((size) => (typeof size === "number" ? size : size.name)).join(", ")}]`;
  const about = [
    ...ports.map((port, k) => `input ${k}: ${port.name}, ${typeOf(port, k)}`),
    `outputs: ${model.outputs.map((port) => port.name).join(", ")}`,
  ];
  return { name: base.replaceAll(/[^\w.-]/g, "_") || "model", compiled, about };
}

async function readChoices(model: OnnxModel, path: string, texts: readonly string[], io: ModelIo): Promise<Chosen> {
  const sizes = new Map<string, Sizes>();
  const values: Record<string, OnnxInput> = {};
  for (const text of texts) {
    const where = `--input ${text}`;
    const [name = "", value] = splitInput(model, text);
    const port = model.input(name);
    if (port === undefined) throw unknownInput(where, name, model, path);
    const typed = port.type.shape?.length === 0 ? null : sizesIn(value);
    if (typed === null) {
      const reading = { say: (line: string) => io.err(`${line}\n`), signal: io.signal() };
      values[name] = await readValue(port, value, where, reading);
    } else if (port.type.shape !== null && typed.length !== port.type.shape.length)
      throw new UsageError(
        `${where}: the input "${name}" is ${port.type.text}, which has ${port.type.shape.length} axes.`,
      );
    else sizes.set(name, typed);
  }
  return { sizes, values };
}

/** Parses `4x3x224x224` or `[n, 3, 224, 224]`; null for other texts. */
function sizesIn(text: string): Sizes | null {
  if (/^\d+(x\d+)*$/.test(text)) return text.split("x").map(Number);
  const match = /^\[\s*((?:[A-Za-z]\w*|\d+)(?:\s*,\s*(?:[A-Za-z]\w*|\d+))*)\s*\]$/.exec(text);
  return match === null
    ? null
    : match[1].split(",").map((size) => (/^\s*\d+\s*$/.test(size) ? Number(size) : size.trim()));
}

function shapeOf(
  who: string,
  { name, type }: OnnxPort,
  typed: Sizes | undefined,
  dims: Map<string, Dim | number>,
  { facts }: Invocation,
  isBounded: boolean,
): readonly (number | Dim)[] {
  if (type.kind !== "tensor")
    throw new UsageError(
      `${who}: the input "${name}" is ${type.text}. A compiled model has tensors as inputs; fix it by --input.`,
    );
  const sizes = typed ?? type.shape;
  if (sizes === null)
    throw new UsageError(
      `${who}: the model does not declare the sizes of "${name}". Pass them: --input ${name}=1x3x224x224.`,
    );
  return sizes.map((size, axis) => {
    if (typeof size === "number") return size;
    const label = symbolOf(size ?? `${name}_${axis}`);
    const known = dims.get(label);
    if (known !== undefined) return known;
    const { min = 1, max = Infinity, divisibleBy = 1 } = facts.get(label) ?? {};
    if (isBounded && max === Infinity)
      throw new UsageError(
        `${who}: the size ${label} of "${name}" (${type.text}) has no upper bound. Pass --where '1<=${label}<=64', or fix it: --where ${label}=1.`,
      );
    const created = min === max ? min : dim(label, { min, max, multipleOf: divisibleBy });
    dims.set(label, created);
    return created;
  });
}

/** A name of a size that --where and modules accept. */
function symbolOf(text: string): string {
  const name = text.replaceAll(/\W/g, "_").replace(/^(?=[^A-Za-z])/, "n");
  return namesIn(name).length === 1 ? name : `n${name}`;
}
