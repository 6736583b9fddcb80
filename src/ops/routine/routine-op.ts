/**
 * The definition of routine ops by a signature: arguments are read by name, and unknown options throw. Several results are an object with
 * names.
 */

import { StridewiseError } from "../../base/errors.ts";
import type { OpFacts } from "../../tensor/dispatch/facts.ts";
import type { Backward, RecordedCall } from "../../tensor/dispatch/gradient.ts";
import { Tensor } from "../../tensor/tensor.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { needsValues } from "../meta-output.ts";
import { compositeOp, op, type Result, structuredOp } from "../op.ts";
import { readArguments, Signature } from "../signature.ts";

type Arguments = readonly unknown[];
type Options = Readonly<Record<string, unknown>>;

const hasOut = (arg: unknown): arg is Options =>
  typeof arg === "object" && arg !== null && !(arg instanceof Tensor) && "out" in arg;

interface Reader<V> {
  readonly signature: Signature;
  readonly read: (args: Arguments) => V;
}

/** Parses a signature and returns it with a function that reads arguments by name, `out` included. */
function reader<V>(text: string, takesOut = false): Reader<V> {
  const signature = new Signature(text, takesOut);
  return {
    signature,
    read(args) {
      const { values, out } = readArguments(signature, args, true);
      return { ...values, out } as V;
    },
  };
}

/** The facts of a routine op, and its gradient. */
interface RoutineFacts<V> extends OpFacts {
  readonly gradient?: (args: V, call: RecordedCall) => Backward | null;
}

/** Defines a structured op by a signature. */
export function routineOp<F extends OpFunction, V>(
  text: string,
  infer: (args: V) => Result | readonly Result[],
  fill: (results: readonly Tensor[], args: V) => void,
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

/** Defines a composite op by a signature; it accepts `out` only if the signature has it. */
export function routineOfOps<F extends OpFunction, V>(text: string, compute: (args: V) => unknown): F {
  const { signature, read } = reader<V>(text);
  return compositeOp<F>(signature, (...args: unknown[]) => {
    if (!signature.known.includes("out")) refuseOut(signature.name, args);
    return compute(read(args));
  });
}

/** Defines an op by a signature whose results have shapes that depend on values. */
export function routineOfValues<F extends OpFunction, V>(text: string, compute: (args: V) => unknown): F {
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

/** Throws if there is an option `out`. */
export function refuseOut(name: string, args: Arguments): void {
  if (args.some((arg) => hasOut(arg) && arg.out !== undefined))
    throw new StridewiseError(`${name}: there is no option out. Copy the result: copy_(...)`);
}

/** Wraps an op so that its results, and `out`, are objects with these names. */
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
