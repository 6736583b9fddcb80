/**
 * The kernels and programs of a formula: one variant for each kind of operands.
 */

import { getOrCompute } from "../base/lazy.ts";
import type { MapKernel } from "../kernel/map/map.ts";
import { getDefaultDType } from "../storage/promotion.ts";
import type { Allocate, PlannedCall } from "../tensor/dispatch/operator.ts";
import { setNames, unifyNames } from "../tensor/names.ts";
import { Tensor } from "../tensor/tensor.ts";
import { commonShape } from "./common-axes.ts";
import type { Formula } from "./formula/node.ts";
import { FormulaPrograms } from "./formula-programs.ts";
import { type CachedCall, planVariant, runVariant } from "./formula-run.ts";
import {
  boundScalars,
  type FormulaOperand,
  makeVariant,
  numberType,
  type Variant,
  variantKey,
} from "./formula-variant.ts";
import { metaOutput } from "./meta-output.ts";

export class FormulaKernels {
  readonly formula: Formula;
  /** The argument of each operand: `nan_` in a formula is the argument `nan`, not the number. */
  readonly names: readonly string[];
  /** Programs of calls with operands in the formula's order. */
  readonly programs: FormulaPrograms;
  readonly #variants = new Map<string, Variant>();
  readonly #kernels = new Map<string, MapKernel>();

  constructor(formula: Formula) {
    this.formula = formula;
    this.programs = new FormulaPrograms(formula.operands.length);
    this.names = formula.operands.map((name) => name.replace(/_$/, ""));
  }

  /** Computes the outputs, new ones or those that are passed, from operands in the formula's order. */
  run(operands: readonly FormulaOperand[], outputs: readonly Tensor[] | null): readonly Tensor[] {
    const { programs } = this;
    const args = outputs === null ? operands : [...operands, { out: outputs[0] }];
    return this.runCached(operands, outputs) ?? this.build(operands, outputs, { programs, args, isBound: true });
  }

  /** Does the same if a program is cached; otherwise returns undefined. */
  runCached(operands: readonly FormulaOperand[], outputs: readonly Tensor[] | null): readonly Tensor[] | undefined {
    if (outputs !== null && outputs.length > 1) return undefined;
    const { programs } = this;
    const out = outputs === null ? null : outputs[0];
    const results =
      programs.runDense(operands, out) ?? programs.run(out === null ? operands : [...operands, { out }], out);
    return results instanceof Tensor ? [results] : results;
  }

  /** Does the same for a call without a cached program. */
  build(operands: readonly FormulaOperand[], outputs: readonly Tensor[] | null, call: CachedCall): readonly Tensor[] {
    const variant = this.variantFor(operands, outputs);
    return runVariant(variant, this.inputsOf(variant, operands), outputs, boundScalars(variant, operands), call);
  }

  /** Plans the computation of the outputs without running it. */
  plan(operands: readonly FormulaOperand[], outputs: readonly Tensor[] | null, allocate?: Allocate): PlannedCall {
    const variant = this.variantFor(operands, outputs);
    const inputs = this.inputsOf(variant, operands);
    return planVariant(variant, inputs, outputs, boundScalars(variant, operands), false, allocate);
  }

  /** Returns the outputs without elements. */
  runOnMeta(operands: readonly FormulaOperand[], outputs: readonly Tensor[] | null): readonly Tensor[] {
    const { who } = this.formula;
    const variant = this.variantFor(operands, outputs);
    const inputs = this.inputsOf(variant, operands);
    const shape = commonShape(who, inputs, variant.inputNames);
    return variant.kernel.spec.outputs.map((dtype, k) => {
      const result = metaOutput(who, dtype, shape, inputs, outputs?.[k] ?? null);
      const names = unifyNames(who, ...inputs, result);
      if (names !== null && outputs === null) setNames(who, result, names);
      return result;
    });
  }

  /** Returns the variant for operands of these kinds, and for outputs if their dtypes differ from those of new ones. */
  variantFor(operands: readonly FormulaOperand[], outputs: readonly Tensor[] | null): Variant {
    const { formula } = this;
    const { who } = formula;
    const kinds = formula.operands.map((name, k) => variantKey(who, name, operands[k]));
    const variant = this.#variantOf(kinds);
    const isUsual = outputs === null || variant.kernel.spec.outputs.every((dtype, k) => outputs[k]?.type === dtype);
    return isUsual ? variant : this.#variantOf([...kinds, ...outputs.map((out) => numberType(who, out))]);
  }

  #variantOf(kinds: readonly string[]): Variant {
    const defaultDType = getDefaultDType();
    const key = `${defaultDType} ${kinds}`;
    return getOrCompute(this.#variants, key, () => makeVariant(this.formula, kinds, defaultDType, this.#kernels));
  }

  /** Returns the operands that are tensors, in the order of the kernel. */
  inputsOf({ inputs }: Variant, operands: readonly FormulaOperand[]): readonly Tensor[] {
    return inputs.map((k) => operands[k] as Tensor);
  }
}
