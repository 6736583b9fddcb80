/**
 * Ops that are linear in some of their arguments, which is a fact of their definition: their tangents are the op itself, of tangents. An
 * op that is linear in several arguments alone has a term for each, and one that is linear in several jointly has one.
 */
import { remember } from "../base/remember.ts";
import { add } from "../ops/elementwise/arithmetic.ts";
import { zeros } from "../tensor/create/create.ts";
import type { Arguments, Operator } from "../tensor/dispatch/operator.ts";
import { sizesOf } from "../tensor/geometry.ts";
import { Tensor } from "../tensor/tensor.ts";
import { viewFacts } from "../tensor/views/view-facts.ts";
import { clone } from "../tensor/views/view-ops.ts";
import { isDifferentiable, tensorsOf } from "./arguments.ts";

/** Calls an op as users do, by its short way if it has one. */
export const callOp = (op: Operator, args: Arguments): unknown => op.call(args);

/** Arguments by index, and options by name, in which an op is linear jointly. */
type Group = readonly (number | string)[];

/** The groups of each text that was read. */
const known = /* @__PURE__ */ new Map<string, readonly Group[]>();

/** The groups that the fact `linear` states. */
function groupsOf(text: string): readonly Group[] {
  return remember(known, text, () =>
    text === "none" ? [] : text.split("|").map((group) => group.split(",").map(indexOrName)),
  );
}

const indexOrName = (word: string): number | string => (/\d/.test(word) ? Number(word) : word);

/** The arguments with those of a group as tangents, and zeros for what has none. */
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

/**
 * The tangents of the results of a call that is linear in all arguments with tangents; an empty list where nothing passes, null if the
 * call is not of this kind.
 */
export function linearTangents(
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
  const movesAt = (place: number): boolean => tensorsOf([args[place]]).some((t) => tangentOf(t) !== null);
  const isCovered = args.every((_, k) => !movesAt(k) || terms.some((group) => group.includes(k)));
  if (terms.length > 0 && !isCovered) return null;
  const found = terms
    .filter((group) => group.some((place) => typeof place === "number" && movesAt(place)))
    .map((group) => {
      const moved = inGroup(args, group, tangentOf);
      if (op.isInPlace) moved[0] = clone(moved[0] as Tensor);
      return tensorsOf([callOp(op, moved)]);
    });
  if (found.length === 0) return [];
  return found.reduce((a, b) => a.map((each, k) => (isDifferentiable(each) ? add(each, b[k] as never) : each)));
}
