/**
 * Random views of a tensor and of its plain model. Each rule takes random numbers and returns a pair, or null if it
 * does not apply; the caller skips views that the tensor rejects because no stride exists.
 */
import { _ } from "../../src/layout/coord.ts";
import { type Index, range } from "../../src/tensor/access/indexing.ts";
import type { Tensor } from "../../src/tensor/tensor.ts";
import {
  diagonalOf,
  expanded,
  type Grid,
  grid,
  permuted,
  picked,
  reshaped,
  selected,
  sliceIndices,
  windowsOf,
} from "./grids.ts";

/** A random integer below the bound. */
export type Pick = (below: number) => number;
export type Pair = readonly [Tensor, Grid];
type Rule = (t: Tensor, g: Grid, pick: Pick) => Pair | null;

const largest = 96;

/** A random order of the axes. */
function shuffled(rank: number, pick: Pick): number[] {
  const order = Array.from({ length: rank }, (_unused, axis) => axis);
  for (let i = rank - 1; i > 0; i--) {
    const j = pick(i + 1);
    [order[i], order[j]] = [order[j] as number, order[i] as number];
  }
  return order;
}

/** Returns the axis, counted from the end half of the time. */
const signed = (axis: number, rank: number, pick: Pick): number => (pick(2) === 0 ? axis : axis - rank);
const sizeAt = (g: Grid, axis: number): number => g.shape[axis] as number;

/** A random shape for this number of elements. */
function factored(size: number, pick: Pick): number[] {
  const shape: number[] = [];
  let rest = size;
  while (shape.length < 6 && (rest > 1 || pick(3) === 0)) {
    const divisors = Array.from({ length: rest }, (_unused, i) => i + 1).filter((d) => rest % d === 0);
    const size = divisors[pick(divisors.length)] as number;
    shape.push(size);
    rest /= size;
  }
  if (rest > 1) shape.push(rest);
  return shape;
}

/** A random shape with the same number of elements: any shape with a size of 0, if there are none. */
function regrouped(g: Grid, pick: Pick): number[] {
  if (g.cells.length > 0) return factored(g.cells.length, pick);
  const shape = Array.from({ length: 1 + pick(3) }, () => pick(4));
  return shape.with(pick(shape.length), 0);
}

interface Slice {
  readonly start: number | null;
  readonly stop: number | null;
  readonly step: number;
}

function randomSlice(size: number, pick: Pick): Slice {
  const bound = (): number | null => (pick(3) === 0 ? null : pick(2 * size + 3) - size - 1);
  return { start: bound(), stop: bound(), step: pick(2) === 0 ? 1 : [-3, -2, -1, -1, 2, 3][pick(6)]! };
}

const sliced = (g: Grid, axis: number, { start, stop, step }: Slice): Grid =>
  picked(g, axis, sliceIndices(sizeAt(g, axis), start, stop, step));

const between = (first: number, count: number): number[] => Array.from({ length: count }, (_unused, i) => first + i);

/** One of the pieces of an axis, and its offset. */
function piece(pieces: readonly Tensor[], g: Grid, axis: number, at: number): Pair {
  let first = 0;
  for (const before of pieces.slice(0, at)) first += before.shape[axis] as number;
  const chosen = pieces[at] as Tensor;
  return [chosen, picked(g, axis, between(first, chosen.shape[axis] as number))];
}

/** Rules for tensors with at least one axis. */
const onAxis: Readonly<Record<string, (t: Tensor, g: Grid, axis: number, named: number, pick: Pick) => Pair | null>> = {
  select: (t, g, axis, named, pick) => {
    if (sizeAt(g, axis) === 0) return null;
    const at = pick(sizeAt(g, axis));
    return [t.select(named, signed(at, sizeAt(g, axis), pick)), selected(g, axis, at)];
  },
  narrow: (t, g, axis, named, pick) => {
    const first = pick(sizeAt(g, axis) + 1);
    const length = pick(sizeAt(g, axis) - first + 1);
    return [t.narrow(named, first, length), picked(g, axis, between(first, length))];
  },
  slice: (t, g, axis, named, pick) => {
    const slice = randomSlice(sizeAt(g, axis), pick);
    return [t.slice(named, slice.start, slice.stop, slice.step), sliced(g, axis, slice)];
  },
  split: (t, g, axis, named, pick) => {
    const pieces = t.split(1 + pick(3), named);
    return piece(pieces, g, axis, pick(pieces.length));
  },
  chunk: (t, g, axis, named, pick) => {
    const pieces = t.chunk(1 + pick(4), named);
    return piece(pieces, g, axis, pick(pieces.length));
  },
  tensorSplit: (t, g, axis, named, pick) => {
    const pieces = t.tensorSplit(1 + pick(4), named);
    return piece(pieces, g, axis, pick(pieces.length));
  },
  unbind: (t, g, axis, named, pick) => {
    if (sizeAt(g, axis) === 0) return null;
    const at = pick(sizeAt(g, axis));
    return [t.unbind(named)[at] as Tensor, selected(g, axis, at)];
  },
  unfold: (t, g, axis, named, pick) => {
    const size = pick(sizeAt(g, axis) + 1);
    const step = 1 + pick(3);
    const windows = windowsOf(g, axis, size, step);
    return windows.cells.length > largest ? null : [t.unfold(named, size, step), windows];
  },
  unflatten: (t, g, axis, named, pick) => {
    if (sizeAt(g, axis) === 0) return null;
    const parts = factored(sizeAt(g, axis), pick);
    return parts.length === 0 ? null : [t.unflatten(named, parts), reshaped(g, g.shape.toSpliced(axis, 1, ...parts))];
  },
  flatten: (t, g, axis, named, pick) => {
    const last = axis + pick(g.shape.length - axis);
    const merged = g.shape.slice(axis, last + 1).reduce((a, b) => a * b, 1);
    return [t.flatten(named, last), reshaped(g, g.shape.toSpliced(axis, last - axis + 1, merged))];
  },
  diagonal: (t, g, axis, named, pick) => {
    if (g.shape.length < 2) return null;
    const second = (axis + 1 + pick(g.shape.length - 1)) % g.shape.length;
    const offset = pick(5) - 2;
    return [t.diagonal(offset, named, second), diagonalOf(g, offset, axis, second)];
  },
  movedim: (t, g, axis, named, pick) => {
    const to = pick(g.shape.length);
    const others = g.shape.map((_size, i) => i).filter((i) => i !== axis);
    return [t.movedim(named, signed(to, g.shape.length, pick)), permuted(g, others.toSpliced(to, 0, axis))];
  },
  transpose: (t, g, axis, named, pick) => {
    const second = pick(g.shape.length);
    const order = g.shape.map((_size, i) => (i === axis ? second : i === second ? axis : i));
    return [t.transpose(named, second), permuted(g, order)];
  },
  squeezeOne: (t, g, axis, named) => [
    t.squeeze(named),
    sizeAt(g, axis) === 1 ? reshaped(g, g.shape.toSpliced(axis, 1)) : g,
  ],
};

/** Rules for any tensor. */
const onAny: Readonly<Record<string, Rule>> = {
  permute: (t, g, pick) => {
    const order = shuffled(g.shape.length, pick);
    const named = order.map((axis) => signed(axis, order.length, pick));
    return [t.permute(named), permuted(g, order)];
  },
  reversed: (t, g) => [
    t.T,
    permuted(
      g,
      g.shape.map((_size, i) => g.shape.length - 1 - i),
    ),
  ],
  squeeze: (t, g) => [
    t.squeeze(),
    reshaped(
      g,
      g.shape.filter((size) => size !== 1),
    ),
  ],
  unsqueeze: (t, g, pick) => {
    const axis = pick(g.shape.length + 1);
    return [t.unsqueeze(signed(axis, g.shape.length + 1, pick)), reshaped(g, g.shape.toSpliced(axis, 0, 1))];
  },
  expand: (t, g, pick) => {
    const own = g.shape.map((size) => (size === 1 && pick(2) === 0 ? pick(4) : size));
    const shape = [...Array.from({ length: pick(3) }, () => 1 + pick(2)), ...own];
    if (shape.reduce((a, b) => a * b, 1) > largest) return null;
    const added = shape.length - own.length;
    const requested = shape.map((size, i) => (i >= added && size === g.shape[i - added] && pick(2) === 0 ? -1 : size));
    return [t.expand(requested), expanded(g, shape)];
  },
  view: (t, g, pick) => {
    const shape = regrouped(g, pick);
    return [t.view(shape), reshaped(g, shape)];
  },
  reshape: (t, g, pick) => {
    const shape = regrouped(g, pick);
    const inferred =
      g.cells.length > 0 && shape.length > 0 && pick(2) === 0 ? shape.with(pick(shape.length), -1) : shape;
    return [t.reshape(inferred), reshaped(g, shape)];
  },
  at: (t, g, pick) => indexedAt(t, g, pick),
  clone: (t, g, pick) => [t.clone((["preserve", "contiguous"] as const)[pick(2)]), g],
  contiguous: (t, g) => [t.contiguous(), g],
  detach: (t, g) => [t.detach(), g],
};

/** `at` with a random item for each axis: integers, `_`, ranges, new axes, and "..." for some of them. */
function indexedAt(t: Tensor, g: Grid, pick: Pick): Pair | null {
  const items: Index[] = [];
  let model = g;
  let axis = 0;
  const dots = pick(2) === 0 ? pick(g.shape.length + 1) : -1;
  const skipped = dots < 0 ? 0 : pick(g.shape.length - dots + 1);
  for (let i = 0; i <= g.shape.length; i++) {
    if (i === dots) {
      items.push("...");
      axis += skipped;
      i += skipped;
    }
    if (pick(6) === 0) {
      items.push(null);
      model = reshaped(model, model.shape.toSpliced(axis++, 0, 1));
    }
    if (i >= g.shape.length) break;
    const size = sizeAt(model, axis);
    const kind = pick(3);
    if (kind === 0 && size > 0) {
      const at = pick(size);
      items.push(signed(at, size, pick));
      model = selected(model, axis, at);
    } else if (kind === 1) {
      const slice = randomSlice(size, pick);
      items.push(range(slice.start, slice.stop, slice.step));
      model = sliced(model, axis++, slice);
    } else {
      items.push(_);
      axis++;
    }
  }
  return [(t.at as (...items: Index[]) => Tensor)(...items), model];
}

export const ruleNames = [...Object.keys(onAxis), ...Object.keys(onAny)];

/** The named view of both, or null if it does not apply. */
export function step(name: string, t: Tensor, g: Grid, pick: Pick): Pair | null {
  const rule = onAny[name];
  if (rule) return rule(t, g, pick);
  if (g.shape.length === 0) return null;
  const axis = pick(g.shape.length);
  return (onAxis[name] as NonNullable<(typeof onAxis)[string]>)(t, g, axis, signed(axis, g.shape.length, pick), pick);
}

/** The elements of the tensor, read one by one. */
export const gridOf = (t: Tensor): Grid =>
  grid(t.shape as readonly number[], (index) => Number(index.length === 0 ? t.item() : t.get(...index)));
