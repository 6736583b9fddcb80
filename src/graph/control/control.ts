/**
 * Control flow by the values of tensors: `cond`, `whileLoop` and `scan`. An eager call reads the predicate and runs the functions, so that autograd
 * records it like any code. While a function is traced, the tracer takes the call: it becomes one node of the graph, with the functions as regions.
 */
import { noGrad } from "../../autograd/scopes.ts";
import { checkFunction, wrongKind } from "../../base/arguments.ts";
import { ShapeError } from "../../base/errors.ts";
import { runtime, withField } from "../../base/runtime.ts";
import { isNonzero } from "../../kernel/element.ts";
import { where } from "../../ops/elementwise/choose.ts";
import { ne } from "../../ops/elementwise/comparison.ts";
import { stack } from "../../ops/movement/join.ts";
import { checkOptions } from "../../ops/signature.ts";
import { zeros } from "../../tensor/create/create-ops.ts";
import { defaultGenerator } from "../../tensor/create/generator.ts";
import { keySet } from "../../tensor/dispatch/keys.ts";
import { keysOf } from "../../tensor/dispatch/operator.ts";
import { readAt } from "../../tensor/elements.ts";
import { showShape, sizesOf } from "../../tensor/geometry.ts";
import { Tensor } from "../../tensor/tensor.ts";
import { reshape, select } from "../../tensor/views/view-ops.ts";
import { checkSame, checkSameState, type Leaf, leavesOf, withLeaves } from "./containers.ts";

export interface ScanLoopOptions {
  /** True to run from the last row of `xs` to the first one. Row t of the outputs still belongs to row t of `xs`. Default: false. */
  readonly reverse?: boolean | undefined;
}

/** Takes calls while a function is traced. If the result is null, the call runs eagerly. */
export interface ControlTracer {
  cond(predicate: Tensor, thenFn: () => unknown, elseFn: () => unknown): { readonly result: unknown } | null;
  whileLoop(condFn: (state: unknown) => unknown, bodyFn: (state: unknown) => unknown, state: unknown): unknown;
  scan(
    fn: (carry: unknown, x: unknown) => readonly [unknown, unknown],
    carry: unknown,
    xs: unknown,
    reverse: boolean,
  ): { readonly result: [unknown, unknown] } | null;
}

const tracing = /* @__PURE__ */ runtime.own("graph/control/control", { tracer: null as ControlTracer | null });

/** Runs `fn` with a tracer of control flow. */
export function withControlTracer<T>(tracer: ControlTracer, fn: () => T): T {
  return withField(tracing, "tracer", tracer, fn);
}

/** True while a function is traced. */
export const isTracing = (): boolean => tracing.tracer !== null;

/** True if a tensor represents the samples of a `vmap`. */
const isBatched = (t: Tensor): boolean => (keysOf(t) & keySet("batched")) !== 0;

/**
 * Returns `thenFn(...operands)` if the predicate is true, and `elseFn(...operands)` otherwise. The predicate is a boolean or a tensor of one element,
 * which is true unless it is zero. In a compiled function only the chosen branch is computed in each call; both are traced, and must return the same
 * structure with the same dtypes and shapes. Inside `vmap`, a predicate that differs between samples selects elements of both results.
 */
export function cond<A extends readonly unknown[], R>(
  predicate: Tensor | boolean,
  thenFn: (...operands: A) => R,
  elseFn: (...operands: A) => R,
  ...operands: A
): R {
  checkFunction("cond", thenFn);
  checkFunction("cond", elseFn);
  if (typeof predicate === "boolean") return (predicate ? thenFn : elseFn)(...operands);
  checkPredicate("cond", "the predicate", predicate);
  if (isBatched(predicate))
    return selected(
      predicate,
      () => thenFn(...operands),
      () => elseFn(...operands),
    );
  const traced = tracing.tracer?.cond(
    predicate,
    () => thenFn(...operands),
    () => elseFn(...operands),
  );
  if (traced != null) return traced.result as R;
  return (isNonzero(readAt(predicate, 0)) ? thenFn : elseFn)(...operands);
}

/** Runs both branches, and selects the elements of one of them. */
export function selected<R>(predicate: Tensor, thenFn: () => R, elseFn: () => R): R {
  const [one, other] = [thenFn(), elseFn()];
  checkBranches(one, other);
  const others = leavesOf("cond", "result", other);
  const test = predicateOf(predicate);
  const results = leavesOf("cond", "result", one).map(({ tensor }, k) => where(test, tensor, others[k].tensor));
  return withLeaves(one, results as Tensor[]) as R;
}

/** A predicate as a 0-d bool tensor. */
export const predicateOf = (t: Tensor): Tensor => reshape(t.dtype === "bool" ? t : (ne(t, 0) as Tensor), []) as Tensor;

/** Throws unless both branches returned the same structure of equal dtypes and shapes. */
export const checkBranches = (one: unknown, other: unknown): void =>
  checkSame(
    "cond",
    "result",
    one,
    other,
    " in the first branch, but in the second one ",
    "Return the same structure, dtypes and shapes from both: convert with to(dtype), or expand",
  );

/**
 * Runs `state = bodyFn(state)` as long as `condFn(state)` is true, and returns the last state: a tensor, or a list or plain object of tensors. The state
 * keeps its structure, dtypes and shapes. In a compiled function the loop runs inside the program; its end may depend on values.
 */
export function whileLoop<S>(condFn: (state: S) => Tensor | boolean, bodyFn: (state: S) => S, initialState: S): S {
  checkFunction("whileLoop", condFn);
  checkFunction("whileLoop", bodyFn);
  leavesOf("whileLoop", "state", initialState);
  if (tracing.tracer !== null)
    return tracing.tracer.whileLoop(
      condFn as (state: unknown) => unknown,
      bodyFn as (state: unknown) => unknown,
      initialState,
    ) as S;
  let state = initialState;
  while (isTrue(condFn(state))) {
    const next = bodyFn(state);
    checkSameState("whileLoop", "state", state, next);
    state = next;
  }
  return state;
}

function isTrue(condition: Tensor | boolean): boolean {
  if (typeof condition === "boolean") return condition;
  checkPredicate("whileLoop", "the result of condFn", condition);
  return isNonzero(readAt(condition, 0));
}

/** Throws unless a value is a tensor of one element. */
export function checkPredicate(who: string, what: string, value: unknown): asserts value is Tensor {
  if (!(value instanceof Tensor)) throw wrongKind(who, `${what} to be a boolean or a tensor of one element`, value);
  if (value.size !== 1)
    throw new ShapeError(
      `${who}: ${what} must have one element, got shape ${showShape(value)}. Reduce it: all() or any()`,
    );
}

/**
 * Calls `[carry, y] = fn(carry, x)` for each row x of `xs` along the first axis, and returns the last carry and the outputs y, stacked along a new first
 * axis. `initialCarry`, `xs` and y are tensors, or lists or plain objects of tensors; the carry keeps its structure, dtypes and shapes. In a compiled
 * function the loop is one node of the graph, whatever the number of rows. If there are none, `fn` is called with zeros, for the shapes of y.
 */
export function scan<C, X, Y>(
  fn: (carry: C, x: X) => readonly [carry: C, y: Y],
  initialCarry: C,
  xs: X,
  options: ScanLoopOptions = {},
): [carry: C, ys: Y] {
  checkFunction("scan", fn);
  checkOptions("scan", options, "reverse");
  const { reverse = false } = options;
  leavesOf("scan", "carry", initialCarry);
  const inputs = leavesOf("scan", "xs", xs);
  const length = rowsOf(inputs);
  const step = fn as unknown as (carry: unknown, x: unknown) => readonly [unknown, unknown];
  const traced = tracing.tracer?.scan(step, initialCarry, xs, reverse);
  if (traced != null) return traced.result as [C, Y];
  if (length === 0) return [initialCarry, emptyOutputs(step, initialCarry, xs, inputs) as Y];
  let carry: unknown = initialCarry;
  let first: unknown = null;
  const rows: (readonly Tensor[])[] = [];
  for (let k = 0; k < length; k++) {
    const t = reverse ? length - 1 - k : k;
    const result = checkStep(
      step(
        carry,
        withLeaves(
          xs,
          inputs.map(({ tensor }) => select(tensor, 0, t)),
        ),
      ),
    );
    checkSameState("scan", "carry", carry, result[0]);
    const outputs = leavesOf("scan", "y", result[1]);
    if (k === 0) first = result[1];
    else
      checkSame(
        "scan",
        "y",
        first,
        result[1],
        " in the first iteration, but later ",
        "Return equal dtypes and shapes for each row",
      );
    carry = result[0];
    rows.push(outputs.map(({ tensor }) => tensor));
  }
  if (reverse) rows.reverse();
  const stacked = rows[0].map((_, j) => stack(rows.map((row) => row[j])) as Tensor);
  return [carry as C, withLeaves(first, stacked) as Y];
}

/** Throws unless the function of `scan` returned a pair. */
export function checkStep(result: unknown): readonly [unknown, unknown] {
  if (!Array.isArray(result) || result.length !== 2) throw wrongKind("scan", "fn to return [carry, y]", result);
  return result as [unknown, unknown];
}

/** The number of rows of all inputs of a scan. */
export function rowsOf(inputs: readonly Leaf[]): number {
  if (inputs.length === 0)
    throw new ShapeError(
      "scan: xs has no tensors, so the number of iterations is unknown. Pass one with a row for each iteration: arange(n)",
    );
  const [{ tensor: first, path }] = inputs;
  for (const { tensor, path: other } of inputs) {
    if (tensor.rank === 0)
      throw new ShapeError(`scan: ${other} has no axes, but scan runs over the first axis. Repeat it: expand([n])`);
    if (sizesOf(tensor)[0] !== sizesOf(first)[0])
      throw new ShapeError(
        `scan: ${path} has ${sizesOf(first)[0]} rows and ${other} ${sizesOf(tensor)[0]}. Pass tensors with equal first axes`,
      );
  }
  return sizesOf(first)[0];
}

/** The outputs of a scan over no rows: `fn` runs once with zeros, without recording or drawing random numbers. */
function emptyOutputs(
  fn: (carry: unknown, x: unknown) => readonly [unknown, unknown],
  carry: unknown,
  xs: unknown,
  inputs: readonly Leaf[],
): unknown {
  const generator = defaultGenerator();
  const before = generator.getState();
  try {
    const rows = inputs.map(({ tensor }) => zeros(sizesOf(tensor).slice(1), { dtype: tensor.dtype }) as Tensor);
    const [, y] = checkStep(noGrad(() => fn(carry, withLeaves(xs, rows))));
    const outputs = leavesOf("scan", "y", y).map(
      ({ tensor }) => zeros([0, ...sizesOf(tensor)], { dtype: tensor.dtype }) as Tensor,
    );
    return withLeaves(y, outputs);
  } finally {
    generator.setState(before);
  }
}
