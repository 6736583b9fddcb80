/**
 * A model as one compiled function, for standalone modules and drawings. Its program may not be cut: a node that needs elements of tensors which
 * are computed from inputs, such as NonZero, throws an error that names it.
 */
import { type Compiled, compiledFunction } from "../graph/compile/compile.ts";
import { isTracing } from "../graph/control/control.ts";
import type { InputShape } from "../graph/dims.ts";
import { Tensor } from "../index.ts";
import type { Block } from "./block.ts";
import { OnnxError } from "./error.ts";
import type { Entry } from "./frame.ts";
import { absent, type Runner } from "./runner.ts";
import { describeOnnxValue, type OnnxInput, type OnnxValue } from "./values.ts";

export interface CompiledModelOptions {
  /** The shapes of inputs, with dimensions by `dim`. Default: the declared ones, where names stand for any size. */
  readonly shapes?: Readonly<Record<string, InputShape>> | undefined;
  /** Inputs with fixed values, which are not arguments of the function. */
  readonly values?: Readonly<Record<string, OnnxInput>> | undefined;
}

/** A function of the tensors of a model's inputs, in their order. It returns the outputs by name. */
export type CompiledModel = Compiled<(...inputs: Tensor[]) => Readonly<Record<string, Tensor>>>;

/** Returns a model as a function of the inputs that `values` does not have. The first call compiles it. */
export function compiledModel(
  runner: Runner,
  block: Block,
  values: ReadonlyMap<string, OnnxValue>,
  shapes: readonly InputShape[] | undefined,
): CompiledModel {
  const names = block.inputs.filter((name) => !values.has(name));
  const model = (...inputs: Tensor[]): Readonly<Record<string, Tensor>> => {
    const entries = block.inputs.map((name): Entry => {
      const value = values.get(name);
      if (value === undefined) return { value: inputs[names.indexOf(name)], stability: "computed" };
      return value === null ? absent : { value, stability: "known" };
    });
    const before = runner.isTracing;
    runner.isTracing = isTracing();
    try {
      runner.begin();
      const results = runner.runBlock(block, entries, null);
      return Object.fromEntries(block.outputs.map((name, k) => [name, ownTensor(name, results[k], inputs)]));
    } finally {
      runner.isTracing = before;
    }
  };
  return compiledFunction(model, { inputs: shapes }, false);
}

function ownTensor(name: string, { value, stability }: Entry, inputs: readonly Tensor[]): Tensor {
  if (!(value instanceof Tensor))
    throw new OnnxError(
      `compiled: the output "${name}" is ${describeOnnxValue(value)}; a compiled model returns tensors only`,
    );
  return stability === "computed" && !inputs.includes(value) ? value : value.clone();
}
