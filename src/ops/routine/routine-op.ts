/**
 * How routine ops are defined: by a signature, as elementwise ones are, so that options may be given by name anywhere behind the tensor,
 * and unknown ones are refused; and with several results as an object with names.
 */

import { StridewiseError } from "../../base/errors.ts";
import type { OpFacts } from "../../tensor/dispatch/facts.ts";
import type { Backward, RecordedCall } from "../../tensor/dispatch/gradient.ts";
import { Tensor } from "../../tensor/tensor.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { needsValues } from "../meta-output.ts";
import { compositeOp, op, type Result, structuredOp } from "../op.ts";
import { parseSignature, readArguments, type Signature } from "../signature.ts";

type Arguments = readonly unknown[];
type Options = Readonly<Record<string, unknown>>;

const hasOut = (arg: unknown): arg is Options =>
  typeof arg === "object" && arg !== null && !(arg instanceof Tensor) && "out" in arg;

interface Reader<V> {
  readonly signature: Signature;
  readonly read: (args: Arguments) => V;
}

/** The signature of a text, and what gives arguments their names by it; `out` is one of them if the signature has it. */
function reader<V>(text: string, takesOut = false): Reader<V> {
  const signature = parseSignature(text, takesOut);
  return {
    signature,
    read(args) {
      const { values, out } = readArguments(signature, args, true);
      return { ...values, out } as V;
    },
  };
}

/** What a routine op states, and how gradients pass through it. */
interface RoutineFacts<V> extends OpFacts {
  readonly gradient?: (given: V, call: RecordedCall) => Backward | null;
}

/** A structured op by a signature. */
export function routineOp<F extends OpFunction, V>(
  text: string,
  infer: (given: V) => Result | readonly Result[],
  fill: (results: readonly Tensor[], given: V) => void,
  { gradient, ...facts }: RoutineFacts<V> = {},
): F {
  const { signature, read } = reader<V>(text, true);
  return structuredOp<F, Arguments>(signature, "routine", {
    infer: (...args) => infer(read(args)),
    fill: (results, ...args) => fill(results, read(args)),
    ...facts,
    ...(gradient && { gradient: (call: RecordedCall) => gradient(read(call.args), call) }),
  });
}

/** An op made of other ops by a signature; it takes `out` only if the signature says so. */
export function routineOfOps<F extends OpFunction, V>(text: string, compute: (given: V) => unknown): F {
  const { signature, read } = reader<V>(text);
  return compositeOp<F>(signature, (...args: unknown[]) => {
    if (!signature.known.includes("out")) refuseOut(signature.name, args);
    return compute(read(args));
  });
}

/** An op by a signature whose results have shapes that depend on values. */
export function routineOfValues<F extends OpFunction, V>(text: string, compute: (given: V) => unknown): F {
  const { signature, read } = reader<V>(text);
  const { name } = signature;
  return op<F>(signature, "routine", {
    cpu: (...args: unknown[]) => {
      refuseOut(name, args);
      return compute(read(args));
    },
    meta: needsValues(name),
  });
}

/** Refuses `out`. */
export function refuseOut(name: string, args: Arguments): void {
  if (args.some((arg) => hasOut(arg) && arg.out !== undefined))
    throw new StridewiseError(`${name}: there is no option out. Copy the result: copy_(...)`);
}

/** The op with its list of results as an object of these names, in `out`, too. */
export function withNames<F extends OpFunction>(op: OpFunction, names: readonly string[]): F {
  const call = (...args: unknown[]): unknown => {
    const list = (op as unknown as (...args: unknown[]) => readonly Tensor[])(
      ...args.map((arg) => (hasOut(arg) ? { ...arg, out: listOf(arg.out, names) } : arg)),
    );
    const results: Record<string, unknown> = {};
    for (let k = 0; k < names.length; k++) results[names[k]] = list[k];
    return results;
  };
  return Object.assign(call as unknown as F, { operator: op.operator });
}

const listOf = (out: unknown, names: readonly string[]): unknown =>
  typeof out !== "object" || out === null || Array.isArray(out) ? out : names.map((name) => (out as Options)[name]);
