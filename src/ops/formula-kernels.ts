/**
 * A formula and what was compiled of it so far: one variant for each kind of operands. The one used last is tried first.
 */

import { remember } from "../base/remember.ts";
import type { MapKernel } from "../kernel/map/map.ts";
import type { DType, Value } from "../storage/dtype.ts";
import { getDefaultDType } from "../storage/promotion.ts";
import { setNames, unifyNames } from "../tensor/names.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { commonShape } from "./common-axes.ts";
import type { Formula } from "./formula/node.ts";
import { type Build, runVariant } from "./formula-run.ts";
import { type FormulaOperand, kindOf, makeVariant, scalarValue, type Variant } from "./formula-variant.ts";
import { metaOutput } from "./meta-output.ts";

const noScalars: readonly Value[] = [];

export class FormulaKernels {
  readonly formula: Formula;
  /** The arguments that its operands are: nan_ in a formula is the argument of that name, and not the number. */
  readonly names: readonly string[];
  readonly #variants = new Map<string, Variant>();
  readonly #kernels = new Map<string, MapKernel>();
  #last: Variant | null = null;

  constructor(formula: Formula) {
    this.formula = formula;
    this.names = formula.operands.map((name) => name.replace(/_$/, ""));
  }

  /** Computes the outputs, given or new ones, from operands in the formula's order. */
  run(given: readonly FormulaOperand[], outputs: readonly Tensor[] | null, build?: Build): readonly Tensor[] {
    const variant = this.variantFor(given, outputs);
    return runVariant(variant, this.inputsOf(variant, given), outputs, this.scalarsOf(variant, given), build);
  }

  /** The outputs without elements. */
  runOnMeta(given: readonly FormulaOperand[], outputs: readonly Tensor[] | null): readonly Tensor[] {
    const { who } = this.formula;
    const variant = this.variantFor(given, outputs);
    const inputs = this.inputsOf(variant, given);
    const shape = commonShape(who, inputs, variant.inputNames);
    return variant.kernel.spec.outputs.map((dtype, k) => {
      const result = metaOutput(who, dtype as DType, shape, inputs, outputs?.[k] ?? null);
      const names = unifyNames(who, ...inputs, result);
      if (names !== null && outputs === null) setNames(who, result, names);
      return result;
    });
  }

  /** The variant for operands of these kinds. */
  variantFor(given: readonly FormulaOperand[], outputs: readonly Tensor[] | null): Variant {
    const last = this.#last;
    if (last !== null && this.#fits(last, given, outputs)) return last;
    const { formula } = this;
    const [variants, kernels] = [this.#variants, this.#kernels];
    const { who } = formula;
    const kinds = formula.operands.map((name, k) => kindOf(who, name, given[k] as FormulaOperand));
    for (const output of outputs ?? []) kinds.push(output.dtype);
    const defaultDType = getDefaultDType();
    const key = `${defaultDType} ${kinds}`;
    this.#last = remember(variants, key, () => makeVariant(formula, kinds, defaultDType, kernels));
    return this.#last;
  }

  /** The operands that are tensors, in the order of the kernel. */
  inputsOf({ takesAll, inputs: places }: Variant, given: readonly FormulaOperand[]): readonly Tensor[] {
    if (takesAll) return given as readonly Tensor[];
    const inputs: Tensor[] = [];
    for (let k = 0; k < places.length; k++) inputs.push(given[places[k] as number] as Tensor);
    return inputs;
  }

  /** The operands that are numbers, in the order of the kernel; refuses those that their dtype cannot hold. */
  scalarsOf({ takesAll, scalars: uses }: Variant, given: readonly FormulaOperand[]): readonly Value[] {
    if (takesAll) return noScalars;
    const { who, operands } = this.formula;
    const scalars: Value[] = [];
    for (let k = 0; k < uses.length; k++) {
      const { operand, dtype } = uses[k] as { operand: number; dtype: DType };
      scalars.push(scalarValue(who, operands[operand] as string, given[operand] as Value, dtype));
    }
    return scalars;
  }

  #fits(variant: Variant, given: readonly FormulaOperand[], outputs: readonly Tensor[] | null): boolean {
    const { kinds } = variant;
    const { who, operands } = this.formula;
    for (let k = 0; k < given.length; k++)
      if (kindOf(who, operands[k] as string, given[k] as FormulaOperand) !== kinds[k]) return false;
    if (variant.defaultDType !== getDefaultDType()) return false;
    if (outputs === null) return kinds.length === given.length;
    for (let k = 0; k < outputs.length; k++) if ((outputs[k] as Tensor).type !== kinds[given.length + k]) return false;
    return true;
  }
}
