/**
 * The regions of a tensor: for each coordinate of the axes up to `lastDim`, the elements of the axes after it, which must be contiguous in
 * row-major order.
 */
import { ShapeError } from "../../base/errors.ts";
import { coalesce } from "../../layout/algebra/coalesce.ts";
import { formatLayout } from "../../layout/format.ts";
import { isInt, knownValue } from "../../layout/int.ts";
import type { Layout } from "../../layout/layout.ts";
import { leaves, type Nested } from "../../layout/tuple.ts";
import { type Axis, properAxisOf } from "../../tensor/axes.ts";
import { flatStrides, formsOf, isFlat, sizeOf, sizesOf } from "../../tensor/geometry.ts";
import { describeBriefly, type Tensor } from "../../tensor/tensor.ts";

/** The starts of all regions, as modes in row-major order, and the shape of one; plain data that can be posted to workers. */
export interface RegionList {
  readonly sizes: readonly number[];
  readonly strides: readonly number[];
  /** The storage offset of the first region. */
  readonly start: number;
  /** Array elements of one element: 2 for complex numbers. */
  readonly parts: number;
  readonly count: number;
  /** Elements from one region to the next along axis `lastDim`. */
  readonly stride: number;
  /** Sizes of the axes of a region. */
  readonly restShape: readonly number[];
}

/** Returns the regions after an axis; throws if they are not contiguous. */
export function regionsOf(t: Tensor, who: string, lastDim: Axis, parts: number): RegionList {
  const axis = properAxisOf(who, t, lastDim);
  const shape = sizesOf(t);
  const forms = isFlat(t) ? null : formsOf(t, who);
  const strides = forms === null ? flatStrides(t) : forms.map((form) => numberOf(coalesce(form).stride));
  const restShape = shape.slice(axis + 1);
  if (t.size > 0) checkContiguous(t, who, axis, shape, strides, forms);
  const stride = strides[axis];
  if (stride === undefined)
    throw new ShapeError(
      `${who}: axis ${axis} of ${describeBriefly(t)} is ${formatLayout(forms?.[axis] as Layout)} and has no single stride. Take a copy first: clone("contiguous")`,
    );
  const [sizes, steps] = leadingModes(shape, strides as number[], forms, axis + 1);
  // A tensor without elements has no regions.
  const count = t.size === 0 ? 0 : sizeOf(sizes);
  return { sizes, strides: steps, start: t.start, parts, count, stride, restShape };
}

const numberOf = (leaf: unknown): number | undefined => (isInt(leaf) ? knownValue(leaf) : undefined);

function checkContiguous(
  t: Tensor,
  who: string,
  axis: number,
  shape: readonly number[],
  strides: readonly (number | undefined)[],
  forms: readonly Layout[] | null,
): void {
  let dense = 1;
  for (let k = shape.length - 1; k > axis; k--) {
    const size = shape[k];
    if (size === 1) continue;
    if (strides[k] !== dense)
      throw new ShapeError(
        `${who}: a region spans the axes after ${axis} of ${describeBriefly(t)}, which must be contiguous: ` +
          `axis ${k} has ${strides[k] === undefined ? `the layout ${formatLayout(forms?.[k] as Layout)}` : `stride ${strides[k]}`}, not stride ${dense}. ` +
          "Loop over contiguous(), or choose a later axis",
      );
    dense *= size;
  }
}

/** The first modes split into leaves, so that row-major order counts the elements of a nested mode as the layout does. */
function leadingModes(
  shape: readonly number[],
  strides: readonly number[],
  forms: readonly Layout[] | null,
  count: number,
): readonly [sizes: number[], strides: number[]] {
  if (forms === null) return [shape.slice(0, count), strides.slice(0, count)];
  const leavesOf = (valueOf: (form: Layout) => unknown): number[] =>
    forms.slice(0, count).flatMap((form) =>
      leaves(valueOf(form) as Nested<unknown>)
        .map((leaf) => numberOf(leaf) as number)
        .reverse(),
    );
  return [leavesOf((form) => form.shape), leavesOf((form) => form.stride)];
}

/** Calls `use` with the position of every region in the tensor's window, in row-major order. */
export function eachRegion({ sizes, strides, start, parts, count }: RegionList, use: (position: number) => void): void {
  const digits = sizes.map(() => 0);
  let offset = start;
  for (let done = 0; done < count; done++) {
    use(offset * parts);
    for (let d = sizes.length - 1; d >= 0; d--) {
      const next = digits[d] + 1;
      offset += strides[d];
      if (next < sizes[d]) {
        digits[d] = next;
        break;
      }
      digits[d] = 0;
      offset -= next * strides[d];
    }
  }
}
