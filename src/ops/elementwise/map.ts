/**
 * Elementwise ops, each one line: a signature and a formula. The formula says what is computed, and with which dtypes; shapes are
 * broadcast. From it follow the kernels of all backends, the shape and dtype on the meta device, `out`, and the in-place form.
 */

import { callBits, keyShift } from "../../tensor/dispatch/keys.ts";
import { DispatchError, guarded, Operator, seen } from "../../tensor/dispatch/operator.ts";
import { Tensor } from "../../tensor/tensor.ts";
import { parseFormula } from "../formula/parse.ts";
import { FormulaKernels } from "../formula-kernels.ts";
import type { FormulaOperand } from "../formula-variant.ts";
import { Repeats } from "../repeats.ts";
import { type Given, parseSignature, readArguments, type Signature } from "../signature.ts";
import { chosenFormulas, type Gradients } from "./chosen-gradient.ts";
import { Quick } from "./quick.ts";

/** A formula, or how the arguments choose one. */
export type Body = string | ((values: Readonly<Record<string, unknown>>) => string);

/** The arguments of a call: their values by name, the kernels that these choose, and its operands and outputs in the formula's order. */
interface Reading {
  readonly values: Given["values"];
  readonly kernels: FormulaKernels;
  readonly given: readonly FormulaOperand[];
  readonly outputs: readonly Tensor[] | null;
}

/** The formulas of one op and what was compiled of them. */
class MapOp {
  readonly signature: Signature;
  readonly operator: Operator;
  readonly quick = new Quick();
  readonly repeats = new Repeats();
  /** How many arguments it needs. */
  readonly needed: number;
  readonly #body: Body;
  readonly #kernels = new Map<string, FormulaKernels>();

  constructor(signature: Signature, body: Body, gradients: Gradients | null) {
    this.signature = signature;
    this.#body = body;
    this.needed = signature.positional.filter(({ fallback }) => fallback === undefined).length;
    this.operator = new Operator(signature.name, "elementwise");
    this.operator.setUsual((...args: unknown[]) => this.#onCpu(args));
    this.operator.setKernel("meta", (...args: unknown[]) => this.#onMeta(args));
    if (gradients === null) return;
    this.operator.body = chosenFormulas(gradients, typeof body === "string", (args) => {
      const { values, kernels, given } = this.#read(args);
      return { formula: kernels.formula, given, values, isPlain: this.#isPlain(args, kernels) };
    });
  }

  #onCpu(args: readonly unknown[]): Tensor {
    const { kernels, given, outputs } = this.#read(args);
    const [result] = kernels.run(given, outputs, (made, work) => this.repeats.learn(args, made, false, work)) as [
      Tensor,
    ];
    // Options, or an argument more, may have chosen another formula than the short way is for.
    if (this.#isPlain(args, kernels)) this.quick.learn(kernels.variantFor(given, null));
    return result;
  }

  #onMeta(args: readonly unknown[]): Tensor {
    const { kernels, given, outputs } = this.#read(args);
    return kernels.runOnMeta(given, outputs)[0] as Tensor;
  }

  /** What the arguments of a call say. */
  #read(args: readonly unknown[]): Reading {
    const { values, out } = readArguments(this.signature, args);
    const kernels = this.#kernelsFor(values);
    return { values, kernels, given: this.#operandsOf(kernels, values), outputs: out && [out] };
  }

  /** True if all arguments are operands, and the formula names them in this order. */
  #isPlain(args: readonly unknown[], { formula: { operands } }: FormulaKernels): boolean {
    return args.length === this.needed && operands.every((name, k) => name === this.signature.positional[k]?.name);
  }

  #kernelsFor(values: Given["values"]): FormulaKernels {
    const text = typeof this.#body === "string" ? this.#body : this.#body(values);
    let kernels = this.#kernels.get(text);
    if (kernels === undefined) {
      kernels = new FormulaKernels(parseFormula(text, this.signature.name));
      this.#kernels.set(text, kernels);
    }
    return kernels;
  }

  #operandsOf({ names }: FormulaKernels, values: Given["values"]): readonly FormulaOperand[] {
    const given = names.map((name) => values[name] as FormulaOperand);
    if (!given.some((operand) => operand instanceof Tensor))
      throw new DispatchError(`${this.signature.name}: no argument is a tensor. Make one: tensor(...)`);
    return given;
  }
}

/** What every op is: a function with its operator. */
export interface OpFunction {
  readonly operator: Operator;
}

/**
 * An elementwise op; `F` says what it takes and gives. Its gradient follows from the formula; where that would be unstable, or PyTorch
 * defines another one, `gradients` has the formula for an operand, over the operands, the gradient g and the result y.
 */
export function map<F extends OpFunction>(signature: string, body: Body, gradients: Gradients | null = {}): F {
  const { operator, quick, repeats, needed } = new MapOp(parseSignature(signature), body, gradients);
  const short = (x: unknown, other: unknown, out: Tensor | null): Tensor | null => {
    if (!(x instanceof Tensor) || !(other === null || other instanceof Tensor)) return null;
    let bits = callBits(x);
    if (other !== null) bits |= callBits(other);
    if (out !== null) bits |= callBits(out);
    return ((bits >>> keyShift) & seen) | guarded ? null : quick.run(x, other, out, operator);
  };
  const long = (args: unknown[]): unknown =>
    (guarded === 0 && operator.isPlain ? repeats.run(args) : undefined) ?? operator.call(args);
  const call = (...args: unknown[]): unknown => {
    const out = args.length === needed ? null : onlyOut(args, needed);
    return (out === undefined ? null : short(args[0], needed === 1 ? null : args[1], out)) ?? long(args);
  };
  operator.direct = call as never;
  return Object.assign(call as unknown as F, { operator });
}

/**
 * `map` for a file whose ops are all methods of tensors: each enters the list when it is made. A bundle with tensors has all of them, so
 * these calls are not marked as free to drop.
 */
export function mapInto(list: OpFunction[]): typeof map {
  return (...rule) => {
    const op = map<never>(...rule);
    list.push(op);
    return op;
  };
}

/** The tensor for the result, if nothing else is given behind so many arguments. */
function onlyOut(args: readonly unknown[], count: number): Tensor | undefined {
  const options = args[count];
  if (args.length !== count + 1 || typeof options !== "object") return undefined;
  let out: Tensor | undefined;
  for (const key in options)
    if (key === "out" && (options as { out?: unknown }).out instanceof Tensor) out = (options as { out: Tensor }).out;
    else return undefined;
  return out;
}
