/**
 * Ops that are linear in some of their arguments: their tangents are the op itself, of tangents. An op that is linear in several
 * arguments one by one has as many terms, and one that is in several at once has one.
 */
import { add } from "../ops/elementwise/arithmetic.ts";
import { zeros } from "../tensor/create/create.ts";
import type { Arguments, Operator } from "../tensor/dispatch/operator.ts";
import { sizesOf } from "../tensor/geometry.ts";
import { Tensor } from "../tensor/tensor.ts";
import { clone } from "../tensor/views/view-ops.ts";
import { isDifferentiable, tensorsOf } from "./arguments.ts";

/** Calls an op as users do, by its short way if it has one. */
export const callOp = (op: Operator, args: Arguments): unknown => op.call(args);

/** Arguments by place, and options by name, in which an op is linear at once. */
type Group = readonly (number | string)[];

/** Linear in which arguments: "0|1" one by one, "0,1" at once; "none" if nothing passes. Views, linear in what they are views of, are not listed. */
const table = `
  0 clone at pick flip roll repeat repeatInterleave.number tril triu tril_ triu_ diag diagEmbed blockDiag cat stack channelShuffle pixelShuffle pixelUnshuffle
  0 gather indexSelect take maskedSelect collect spread cleared unfold fold windowSum windowSpread maxUnpool1d maxUnpool2d maxUnpool3d
  0 sum mean cumsum recurrence fftC2C fftC2R fftR2C
  1 embedding linalg.solve
  0,1 copy_ fill_ takeAxes_ asStridedScatter diagonalScatter selectScatter sliceScatter
  0,2 assignAt_ constantPadNd maskedScatter maskedScatter_ indexPut indexPut_ put put_
  0,3 shift scatterAdd scatterAdd_ indexAdd indexAdd_ indexCopy indexCopy_ indexFill indexFill_
  0,value pad
  0|1 matmul convolution convolutionTransposed convolutionWeight
  none detach viewDType emptyLike fullLike zerosBeside randLike randnLike bernoulli bernoulli_ cauchy_ exponential_ geometric_ logNormal_ normal_ random_ uniform_ poisson
`;

let groups: Map<string, readonly Group[]> | null = null;

function groupsOf(name: string): readonly Group[] | null {
  groups ??= new Map(
    table
      .trim()
      .split("\n")
      .flatMap((line) => {
        const [text = "", ...names] = line.trim().split(" ");
        const places = text === "none" ? [] : text.split("|").map((group) => group.split(",").map(placeOf));
        return names.map((each) => [each, places] as const);
      }),
  );
  return groups.get(name) ?? null;
}

const placeOf = (word: string): number | string => (/\d/.test(word) ? Number(word) : word);

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
  let terms = groupsOf(op.name);
  const isView = results?.[0] !== undefined && args[0] instanceof Tensor && results[0].source === args[0].source;
  if (terms === null && op.gradient === null && op.body === null && isView) terms = [[0]];
  if (terms === null) return null;
  const movesAt = (place: number): boolean => tensorsOf([args[place]]).some((t) => tangentOf(t) !== null);
  const isCovered = args.every((_, k) => !movesAt(k) || terms.some((group) => group.includes(k)));
  const isWrite = op.name.endsWith("_");
  if (terms.length > 0 && !isCovered) return null;
  const found = terms
    .filter((group) => group.some((place) => typeof place === "number" && movesAt(place)))
    .map((group) => {
      const moved = inGroup(args, group, tangentOf);
      if (isWrite) moved[0] = clone(moved[0] as Tensor);
      return tensorsOf([callOp(op, moved)]);
    });
  if (found.length === 0) return [];
  return found.reduce((a, b) =>
    a.map((each, k) => (isDifferentiable(each) ? (add(each, b[k] as never) as Tensor) : each)),
  );
}
