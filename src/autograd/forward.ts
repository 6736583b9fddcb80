/**
 * Forward mode: inside a level every call comes here, runs below, and gives its results tangents if an argument has one. The tangent is the op
 * itself where it is linear, the derived formula of a formula, a rule of the op, or the transposed gradient; composite ops are seen as the ops
 * they call. Tangents are computed by ops, so they have gradients, and outside of scopes: they live as long as their tensors.
 *
 * An op states in which arguments it is linear. It has one term for each group of arguments in which it is jointly linear.
 */
import { getOrCompute, once } from "../base/lazy.ts";
import { add } from "../ops/elementwise/arithmetic.ts";
import { zeros } from "../tensor/create/create-ops.ts";
import { type KeySet, keySet } from "../tensor/dispatch/keys.ts";
import { type Arguments, type Operator, setFallback, withKeys } from "../tensor/dispatch/operator.ts";
import { sizesOf } from "../tensor/geometry.ts";
import { Tensor } from "../tensor/tensor.ts";
import { viewFacts } from "../tensor/views/view-facts.ts";
import { clone, to } from "../tensor/views/view-ops.ts";
import { allWrittenBy, isDifferentiable, tensorsOf, withoutOut } from "./arguments.ts";
import { checkCaptured } from "./captured.ts";
import { AutogradError } from "./error.ts";
import { formulaTangents } from "./forward-formula.ts";
import { inLevelScope, isForward, setTangent, tangentOf, writeTangent } from "./forward-level.ts";
import { transposedTangents } from "./forward-transposed.ts";
import { isInferenceModeEnabled } from "./scopes.ts";

const key = /* @__PURE__ */ keySet("forward");

const install = /* @__PURE__ */ once(() => {
  setFallback("forward", forward);
  return null;
});

/** Runs a function without computing tangents. */
export const withoutTangents = <T>(fn: () => T): T => withKeys({ exclude: key }, fn);

/** Runs a function with tangents. Forward mode is installed here, so programs that do not use it do not load it. */
export function withTangents<T>(fn: () => T): T {
  install();
  return withKeys({ include: key, allow: key }, fn);
}

function forward(op: Operator, keys: KeySet, args: Arguments): unknown {
  const redispatch = (): unknown => op.callWith(keys & ~key, args);
  if (!isForward() || isInferenceModeEnabled()) return redispatch();
  const [written, own] = [allWrittenBy(op, args), withoutOut(args)];
  const moves = tensorsOf(own).some((t) => tangentOf(t) !== null);
  if (!moves && written.every((t) => tangentOf(t) === null)) return withoutTangents(redispatch);
  const composed = op.kernelFor("autograd");
  if (composed !== null && written.length === 0) return composed(...(args as never[]));
  return withoutTangents(() =>
    written.length > 0 ? write(op, own, written, moves, redispatch) : make(op, args, redispatch),
  );
}

function make(op: Operator, args: Arguments, redispatch: () => unknown): unknown {
  const result = redispatch();
  const results = tensorsOf([result]);
  if (!results.some(isDifferentiable)) return result;
  const inputs = tensorsOf(args);
  const tangents = inLevelScope(() => tangentsOf(op, args, results, results));
  results.forEach((t, k) => {
    const tangent = tangents[k];
    // A result that is an argument has its own tangent.
    if (tangent != null && isDifferentiable(t) && !inputs.includes(t)) setTangent(t, tangent);
  });
  return result;
}

/** A call that writes: tangents are computed first, from the values before the write. */
function write(
  op: Operator,
  args: Arguments,
  written: readonly Tensor[],
  moves: boolean,
  redispatch: () => unknown,
): unknown {
  if (moves) for (const t of written) checkCaptured(op.name, t);
  let tangents: readonly (Tensor | null)[] = [];
  let fault: unknown;
  try {
    if (moves && written.some(isDifferentiable)) tangents = inLevelScope(() => tangentsOf(op, args, written, null));
  } catch (error) {
    fault = error;
  }
  // The op itself reports wrong arguments.
  const result = redispatch();
  if (fault !== undefined) throw fault;
  inLevelScope(() => {
    written.forEach((t, k) => {
      if (!isDifferentiable(t)) return;
      const tangent = tangents[k];
      writeTangent(t, tangent == null ? zeros(sizesOf(t), { dtype: t.dtype }) : to(tangent, t.dtype));
    });
  });
  return result;
}

/** The tangents of results; `like` are tensors with their shapes and dtypes, and `results` is null before a write. */
function tangentsOf(
  op: Operator,
  args: Arguments,
  like: readonly Tensor[],
  results: readonly Tensor[] | null,
): readonly (Tensor | null)[] {
  const { body, gradient, facts, name } = op;
  if (body !== null && gradient === null) {
    let computed = results;
    const resultsOf = (): readonly Tensor[] => {
      computed ??= tensorsOf([op.call(args)]);
      return computed;
    };
    return formulaTangents(body(args), like, resultsOf, tangentOf);
  }
  if (facts.tangent !== undefined && results !== null)
    return facts.tangent(tangentOf(args[0] as Tensor) as Tensor, results, args);
  const linear = linearTangents(op, args, results, tangentOf);
  if (linear !== null) return linear;
  if (gradient === null)
    throw new AutogradError(
      `${name}: forward mode is not implemented. Detach the argument, or define the tangent: defineFunction({ forward, backward, jvp })`,
    );
  return transposedTangents(op, args, tangentOf);
}

/** Arguments by index, and options by name, in which an op is jointly linear. */
type Group = readonly (number | string)[];

/** The parsed groups of each text. */
const known = /* @__PURE__ */ new Map<string, readonly Group[]>();

/** The groups that the fact `linear` states. */
function groupsOf(text: string): readonly Group[] {
  return getOrCompute(known, text, () =>
    text === "none" ? [] : text.split("|").map((group) => group.split(",").map(indexOrName)),
  );
}

const indexOrName = (word: string): number | string => (/\d/.test(word) ? Number(word) : word);

/** The arguments with those of a group replaced by tangents, or zeros where there is none. */
function inGroup(args: Arguments, group: Group, tangentOf: (t: Tensor) => Tensor | null): unknown[] {
  const moved = (arg: unknown): unknown => {
    if (arg instanceof Tensor) return tangentOf(arg) ?? zeros(sizesOf(arg), { dtype: arg.dtype });
    if (Array.isArray(arg)) return arg.map(moved);
    return arg === undefined ? arg : 0;
  };
  return args.map((arg, k) => {
    if (group.includes(k)) return moved(arg);
    if (typeof arg !== "object" || arg === null || arg instanceof Tensor || Array.isArray(arg)) return arg;
    const named = Object.keys(arg).filter((key) => group.includes(key));
    return named.length === 0 ? arg : { ...arg, ...Object.fromEntries(named.map((key) => [key, 0])) };
  });
}

/** The tangents of the results of a call that is linear in all arguments with tangents; an empty list if they are 0, null if it is not linear. */
function linearTangents(
  op: Operator,
  args: Arguments,
  results: readonly Tensor[] | null,
  tangentOf: (t: Tensor) => Tensor | null,
): readonly (Tensor | null)[] | null {
  const isView = results?.[0] !== undefined && args[0] instanceof Tensor && results[0].source === args[0].source;
  const linear =
    op.facts.linear ?? viewFacts[op.name]?.linear ?? (op.gradient === null && op.body === null && isView ? "0" : null);
  if (linear === null) return null;
  const terms = groupsOf(linear);
  const movesAt = (index: number): boolean => tensorsOf([args[index]]).some((t) => tangentOf(t) !== null);
  const isCovered = args.every((_, k) => !movesAt(k) || terms.some((group) => group.includes(k)));
  if (terms.length > 0 && !isCovered) return null;
  const tangents = terms
    .filter((group) => group.some((index) => typeof index === "number" && movesAt(index)))
    .map((group) => {
      const moved = inGroup(args, group, tangentOf);
      if (op.isInPlace) moved[0] = clone(moved[0] as Tensor);
      return tensorsOf([op.call(moved)]);
    });
  if (tangents.length === 0) return [];
  return tangents.reduce((a, b) => a.map((each, k) => (isDifferentiable(each) ? add(each, b[k] as never) : each)));
}
