/**
 * Calls of formulas without a cached program: outputs are allocated or checked, operands are brought to common axes, and inputs that an output
 * would overwrite are copied to the workspace first.
 */

import { lowerDenseCopy } from "../kernel/copy.ts";
import type { Kernel } from "../kernel/ir/kernel.ts";
import type { Operand } from "../kernel/operand.ts";
import { kernelFor, lowerMap } from "../kernel/program/lower-map.ts";
import { overlapOf } from "../kernel/program/overlap.ts";
import type { FlatLayout } from "../layout/flat.ts";
import type { Value } from "../storage/dtype.ts";
import { clone } from "../tensor/clone.ts";
import { copyAll } from "../tensor/copy-all.ts";
import type { Allocate, PlannedCall } from "../tensor/dispatch/operator.ts";
import { isFlat, isStaticTensor, sizesOf } from "../tensor/geometry.ts";
import { setNames, unifyNames } from "../tensor/names.ts";
import { bumpVersion, checkNoPartialOverlap, checkOutputsDisjoint, checkWritable } from "../tensor/operand.ts";
import { scope } from "../tensor/scope.ts";
import { storageOf, type Tensor } from "../tensor/tensor.ts";
import { wholeMemory } from "../tensor/whole-memory.ts";
import { commonAxes, commonShape } from "./common-axes.ts";
import type { FormulaPrograms } from "./formula-programs.ts";
import type { Variant } from "./formula-variant.ts";
import { freshOutput } from "./fresh-output.ts";
import { checkOutputShape } from "./meta-output.ts";

/** The program cache of a call, and the arguments that are its key: operands first, in their order. */
export interface CachedCall {
  readonly programs: FormulaPrograms;
  readonly args: readonly unknown[];
  /** True if the arguments are the operands and perhaps `out`; then numbers among them are bound. */
  readonly isBound: boolean;
}

/** Plans the computation of the outputs: those that are passed, or new ones. */
export function planVariant(
  variant: Variant,
  inputs: readonly Tensor[],
  outputs: readonly Tensor[] | null,
  scalars: readonly Value[],
  isBound = false,
  allocate?: Allocate,
): PlannedCall & Pick<Prepared, "finish"> {
  const { outputs: results, operands, finish } = prepare(variant, inputs, outputs, outputs === null, allocate);
  return {
    results,
    scalars,
    lower(builder) {
      const count = results.length;
      const ready = operands.map((operand, k) =>
        k >= count && needsCopy(operands, count, k) ? lowerDenseCopy(builder, operand) : operand,
      );
      lowerMap(builder, variant.kernel, ready, isBound ? null : scalars);
    },
    finish,
  };
}

/** Computes the outputs: those that are passed, or new ones. */
export function runVariant(
  variant: Variant,
  inputs: readonly Tensor[],
  outputs: readonly Tensor[] | null,
  scalars: readonly Value[],
  { programs, args, isBound }: CachedCall,
): readonly Tensor[] {
  // The scope frees temporary tensors, and the outputs of a call that throws.
  return scope(() => {
    const { results, lower, finish } = planVariant(variant, inputs, outputs, scalars, isBound);
    programs.buildFor({ results, scalars, lower, args, isList: results.length > 1 }, isBound ? variant : null);
    finish();
    return results;
  });
}

/** The operands of a call, ready to run. */
interface Prepared {
  readonly outputs: readonly Tensor[];
  readonly operands: readonly Operand[];
  /** Copies temporary outputs to the real ones. */
  finish(): void;
}

/** Returns the kernel IR that computes a variant over these operands. */
export function kernelOfVariant(
  variant: Variant,
  inputs: readonly Tensor[],
  outputs: readonly Tensor[] | null,
): Kernel {
  const { kernel } = variant;
  const { operands, outputs: results } = prepare(variant, inputs, outputs, outputs === null);
  if (outputs === null) for (const t of results) t.endWith("allocated to see its layout");
  return kernelFor(kernel, operands);
}

function prepare(
  { who, kernel, inputNames: names }: Variant,
  inputs: readonly Tensor[],
  passed: readonly Tensor[] | null,
  isFresh: boolean,
  allocate?: Allocate,
): Prepared {
  for (const t of inputs) storageOf(t, who);
  const shape = inputs.length === 0 && passed !== null ? sizesOf(passed[0]) : commonShape(who, inputs, names);
  if (passed !== null && !isFresh) checkOutputs(who, passed, inputs, shape);
  const outputs = passed ?? kernel.spec.outputs.map((dtype) => freshOutput(dtype, shape, inputs, allocate));
  nameAxes(who, outputs, inputs, isFresh);
  const targets = outputs.slice();
  let sources = inputs.slice();
  let axes = commonAxes(who, [...targets, ...sources], shape);
  if (axes === null) {
    // Without a common refinement, or with a swizzle, nested tensors are replaced by flat copies.
    sources = sources.map((t) => (isFlat(t) ? t : clone(t, "contiguous")));
    for (const [k, t] of targets.entries()) if (!isFlat(t)) targets[k] = freshOutput(t.dtype, shape, []);
    axes = commonAxes(who, [...targets, ...sources], shape) as NonNullable<typeof axes>;
  }
  const fresh = isFresh ? targets.length : 0;
  const operands = operandsOf(who, [...targets, ...sources], axes, fresh);
  const finish = (): void => {
    targets.forEach((target, k) => {
      if (target !== outputs[k]) copyAll(target, outputs[k], who);
    });
    if (!isFresh) for (const output of outputs) bumpVersion(output);
  };
  return { outputs, operands, finish };
}

/** Returns the tensors as operands over common axes. The first `fresh` are new, and count as static if the others are. */
function operandsOf(
  who: string,
  tensors: readonly Tensor[],
  { sizes, strides, starts }: FlatLayout,
  fresh: number,
): Operand[] {
  const isStatic = tensors.every((t, k) => t.rank === 0 || k < fresh || isStaticTensor(t));
  return tensors.map((t, k) => ({
    storage: wholeMemory(t, who),
    dtype: t.dtype,
    offset: starts[k],
    shape: sizes,
    stride: strides[k],
    isStatic,
  }));
}

function checkOutputs(
  who: string,
  outputs: readonly Tensor[],
  inputs: readonly Tensor[],
  shape: readonly number[],
): void {
  for (const output of outputs) {
    checkWritable(output, who);
    checkOutputShape(who, output, shape);
    for (const input of inputs) checkNoPartialOverlap(output, input, who);
  }
  checkOutputsDisjoint(outputs, who, inputs);
}

/** True if an input must be copied first: an output overlaps it, and not exactly in place. */
function needsCopy(operands: readonly Operand[], outputs: number, input: number): boolean {
  for (let k = 0; k < outputs; k++) if (overlapOf(operands[k], operands[input]) === "across") return true;
  return false;
}

/** Names the axes of new outputs. Throws if names contradict each other. */
function nameAxes(who: string, outputs: readonly Tensor[], inputs: readonly Tensor[], isFresh: boolean): void {
  const names = unifyNames(who, ...(isFresh ? inputs : [...inputs, ...outputs]));
  if (isFresh && names !== null) for (const output of outputs) setNames(who, output, names);
}
