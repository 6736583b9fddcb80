/**
 * The programs of a module. With fixed sizes there is one. Dimensions by `dim` are arguments: the function is lowered for several sizes, and every
 * number of its program becomes a formula over the dimensions. Where the steps change with a size, the range of sizes is split, and each part has
 * a separate program.
 *
 * Up to 512 combinations of sizes are all lowered, so their formulas are proved. In a larger range the formulas are checked at further sizes (some
 * drawn at random with a fixed seed, and those next to the steps of rounded quotients), but not proved.
 */
import type { InstanceData } from "../graph/compile/build-instance.ts";
import type { CompiledSource } from "../graph/compile/source.ts";
import { Dim } from "../graph/dims.ts";
import { GraphError } from "../graph/ir.ts";
import { fitColumns } from "./fit.ts";
import { argumentTypes, type LoweredCall, lowerCall } from "./lower-call.ts";
import { numbersIn, pathOf, skeletonOf, withFormulas } from "./numbers.ts";
import type { ModuleParts } from "./parts.ts";
import type { Numeric, PlanSymbol, PlanVariant } from "./plan.ts";
import type { Formula } from "./polynomials.ts";
import {
  allOf,
  type Box,
  boundaryBetween,
  changesOf,
  countOf,
  halves,
  heldOut,
  isWholeBox,
  samplesOf,
  splitAt,
} from "./sizes.ts";

/** A program. */
interface Variant {
  /** The range of each size; empty if the program is found in the table. */
  readonly ranges: readonly (readonly [min: number, max: number])[];
  readonly variant: PlanVariant<Numeric>;
  /** The formulas as text, by their numbers in the plan. */
  readonly expressions: readonly string[];
}

export interface Variants {
  readonly symbols: readonly PlanSymbol[];
  readonly all: readonly Variant[];
  /** The index of the program for each combination of sizes, the last size fastest; null if programs have ranges. */
  readonly table: readonly number[] | null;
  /** The types of arguments and outputs as text, such as `float32[n, 8]`. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** The program for the largest sizes, which has the dtypes and the structure of all others. */
  readonly main: PlanVariant<Numeric>;
}

type Source = CompiledSource & { readonly data: InstanceData };

/** The maximum number of combinations of sizes that are all lowered. */
const maxEnumerated = 512;

/** The maximum number of programs. */
const maxVariants = 64;

/** Lowers a call for sizes of its symbols. */
interface Lowering {
  readonly symbols: readonly PlanSymbol[];
  at(sizes: readonly number[]): LoweredCall & { readonly skeleton: string; readonly numbers: readonly number[] };
}

/** Returns the programs of a module. `fixed` are sizes of dimensions that are not arguments. */
export function variantsOf(
  who: string,
  source: Source,
  parts: ModuleParts,
  fixed: Readonly<Record<string, number>>,
): Variants {
  const types = argumentTypes(source.data.args);
  const dims = new Map<string, Dim>();
  for (const shape of source.shapes ?? [])
    for (const size of shape) if (size instanceof Dim && !Object.hasOwn(fixed, size.name)) dims.set(size.name, size);
  const symbols = [...dims.values()].map((each) => symbolOf(who, each));
  const shapesAt = (sizes: readonly number[]): number[][] =>
    types.map(({ shape }, k) =>
      shape.map((size, axis) => {
        const declared = source.shapes?.[k]?.[axis];
        if (!(declared instanceof Dim)) return size;
        return fixed[declared.name] ?? sizes[symbols.findIndex(({ name }) => name === declared.name)];
      }),
    );
  const cache = new Map<string, ReturnType<Lowering["at"]>>();
  const lowering: Lowering = {
    symbols,
    at(sizes) {
      let known = cache.get(`${sizes}`);
      if (known === undefined) {
        const lowered = lowerCall(who, source, shapesAt(sizes), parts);
        known = { ...lowered, skeleton: skeletonOf(lowered.variant), numbers: numbersIn(lowered.variant) };
        cache.set(`${sizes}`, known);
      }
      return known;
    },
  };
  const box: Box = symbols.map(({ min, max, multipleOf }) => ({ min, max, step: multipleOf }));
  if (countOf(box) <= maxEnumerated) {
    const { all, table } = enumerated(who, lowering, box);
    const largest = all[table[table.length - 1]];
    return { symbols, all, table: symbols.length === 0 ? null : table, ...typesOf(source, largest) };
  }
  const all = split(who, lowering, box);
  const largest = all.reduce((a, b) => (a.ranges.some(([, max], k) => max < b.ranges[k][1]) ? b : a));
  return { symbols, all, table: null, ...typesOf(source, largest) };
}

function symbolOf(who: string, { name, min, max, multipleOf }: Dim): PlanSymbol {
  if (max === Infinity)
    throw new GraphError(
      `${who}: the dimension ${name} has no largest size, up to which the program is checked. Declare one: dim("${name}", { max: 1024 })`,
    );
  const up = (size: number): number => Math.ceil(size / multipleOf) * multipleOf;
  return { name, min: up(Math.max(1, min)), max: Math.floor(max / multipleOf) * multipleOf, multipleOf };
}

/** Lowers all sizes of a box. Sizes with the same steps have one program, if their numbers have formulas; otherwise several. */
function enumerated(who: string, lowering: Lowering, box: Box): { readonly all: Variant[]; readonly table: number[] } {
  const points = allOf(box);
  const groups = new Map<string, number[]>();
  points.forEach((sizes, k) => {
    const { skeleton } = lowering.at(sizes);
    const group = groups.get(skeleton);
    if (group === undefined) groups.set(skeleton, [k]);
    else group.push(k);
  });
  const names = lowering.symbols.map(({ name }) => name);
  const lists = [...groups.values()].reverse();
  const all: Variant[] = [];
  const table: number[] = [];
  for (let list = lists.pop(); list !== undefined; list = lists.pop()) {
    const sizes = list.map((k) => points[k]);
    const [first] = sizes;
    const { numbers, variant } = lowering.at(first);
    const columns = numbers.map((_, k) => sizes.map((each) => lowering.at(each).numbers[k]));
    const formulas = fitColumns(columns, { names, sizes, isWhole: true });
    if (typeof formulas === "number") {
      const half = Math.ceil(list.length / 2);
      lists.push(list.slice(half), list.slice(0, half));
      if (all.length + lists.length > maxVariants) throw tooMany(who, lowering, unfitted(lowering.at(first), formulas));
      continue;
    }
    for (const k of list) table[k] = all.length;
    const expressions: string[] = [];
    all.push({ ranges: [], variant: withFormulas(variant, formulas, expressions), expressions });
    if (all.length + lists.length > maxVariants)
      throw tooMany(who, lowering, differenceOf(lowering.at(points[0]), lowering.at(first)));
  }
  return { all, table };
}

/** Returns programs for all parts of a box of sizes. */
function split(who: string, lowering: Lowering, whole: Box): Variant[] {
  const done: Variant[] = [];
  const boxes: Box[] = [whole];
  for (let box = boxes.pop(); box !== undefined; box = boxes.pop()) {
    const fitted = fitBox(lowering, box);
    if (fitted.variant !== null) done.push(fitted.variant);
    else if (fitted.parts.length === 0 || done.length + boxes.length + 2 > maxVariants)
      throw tooMany(who, lowering, fitted.reason);
    else boxes.push(...fitted.parts.toReversed());
  }
  return done;
}

const tooMany = (who: string, { symbols }: Lowering, reason: string): GraphError =>
  new GraphError(
    `${who}: ${reason}. The program has more than ${maxVariants} forms in the range of ${symbols.map(({ name }) => name).join(", ")}. Declare a smaller range or a multiple (dim), or pass a size: { sizes: { ${symbols[0].name}: 8 } }`,
  );

/** A program for a box; or the parts in which to look for one, and the reason. */
type FittedBox =
  | { readonly variant: Variant }
  | { readonly variant: null; readonly parts: readonly Box[]; readonly reason: string };

function fitBox(lowering: Lowering, box: Box): FittedBox {
  const samples = samplesOf(box);
  const first = lowering.at(samples[0]);
  const names = lowering.symbols.map(({ name }) => name);
  for (const sizes of samples.slice(1)) {
    const other = lowering.at(sizes);
    if (other.skeleton === first.skeleton) continue;
    const isSame = (at: readonly number[]): boolean => lowering.at(at).skeleton === first.skeleton;
    const parts = partsBetween(box, samples, isSame);
    return { variant: null, parts, reason: differenceOf(first, other) };
  }
  const columns = first.numbers.map((_, k) => samples.map((sizes) => lowering.at(sizes).numbers[k]));
  const formulas = fitColumns(columns, { names, sizes: samples, isWhole: isWholeBox(box) });
  if (typeof formulas === "number") return { variant: null, parts: halves(box), reason: unfitted(first, formulas) };
  if (!isWholeBox(box))
    for (const sizes of checksOf(box, samples, formulas)) {
      const { skeleton, numbers } = lowering.at(sizes);
      const wrong =
        skeleton === first.skeleton ? numbers.findIndex((value, k) => !Object.is(formulas[k].at(sizes), value)) : 0;
      if (wrong >= 0) return { variant: null, parts: halves(box), reason: unfitted(first, wrong) };
    }
  const expressions: string[] = [];
  const variant = withFormulas(first.variant, formulas as readonly Formula[], expressions);
  return { variant: { ranges: box.map(({ min, max }) => [min, max]), variant, expressions } };
}

/** The sizes at which formulas are checked: some at random, and those next to the steps of rounded formulas. */
function checksOf(
  box: Box,
  samples: readonly (readonly number[])[],
  formulas: readonly Formula[],
): (readonly number[])[] {
  const rounded = new Map(formulas.filter(({ text }) => /Math|%/.test(text)).map((formula) => [formula.text, formula]));
  const changes = [...rounded.values()].flatMap((formula) => changesOf(box, formula.at));
  return [...new Map([...heldOut(box, samples), ...changes].map((sizes) => [String(sizes), sizes])).values()];
}

/** Splits a box where the steps change along one size; in half if no two samples differ in one size only. */
function partsBetween(
  box: Box,
  samples: readonly (readonly number[])[],
  isSame: (sizes: readonly number[]) => boolean,
): readonly Box[] {
  for (const a of samples)
    for (const b of samples) {
      const differing = a.flatMap((size, k) => (size === b[k] ? [] : [k]));
      const [axis] = differing;
      if (differing.length !== 1 || a[axis] > b[axis] || isSame(a) === isSame(b)) continue;
      return splitAt(box, axis, boundaryBetween(a, b, axis, box[axis].step, isSame));
    }
  return halves(box);
}

/** The first step that two programs do not share. */
function differenceOf(a: LoweredCall, b: LoweredCall): string {
  const at = a.names.findIndex((name, k) => name !== b.names[k] || skeletonText(a, k) !== skeletonText(b, k));
  const name = a.names[at] ?? b.names[a.names.length] ?? "a constant";
  return `the steps of ${name} change with the sizes`;
}

const skeletonText = ({ variant }: LoweredCall, step: number): string =>
  JSON.stringify(variant.steps[step] ?? null, (_key, value) => (typeof value === "number" ? 0 : value));

function unfitted({ variant, names }: LoweredCall, index: number): string {
  const [list, at] = pathOf(variant, index);
  return `${list === "steps" ? `a number of ${names[Number(at)]}` : `a number of the ${list}`} is not a formula of the sizes`;
}

/** The types of arguments and outputs, with the names of dimensions: those of the program for the largest sizes. */
function typesOf({ shapes }: Source, { variant, expressions }: Variant): Pick<Variants, "inputs" | "outputs" | "main"> {
  const sizeText = (size: Numeric): string =>
    typeof size === "number" ? String(size) : expressions[size[0]].replaceAll("s.", "");
  const inputs = variant.inputs.map(({ dtype, shape }, k) => {
    const sizes = shape.map((size, axis) => {
      const declared = shapes?.[k]?.[axis];
      return declared instanceof Dim && typeof size !== "number" ? declared.name : sizeText(size);
    });
    return `${dtype}[${sizes.join(", ")}]`;
  });
  const outputs = variant.outputs.map(({ dtype, shape }) => `${dtype}[${shape.map(sizeText).join(", ")}]`);
  return { inputs, outputs, main: variant };
}
