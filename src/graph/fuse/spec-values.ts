/**
 * Kernel specs over symbolic values: the number of functions that a kernel calls, and the inputs that a value depends on.
 */
import { getOrCompute } from "../../base/lazy.ts";
import type { Scalar } from "../../kernel/ir/scalar.ts";
import type { MapKernel } from "../../kernel/map/map.ts";
import type { MapWork } from "../../kernel/program/builder.ts";
import type { RowKernel } from "../../kernel/rows/spec.ts";
import type { DType } from "../../storage/dtype.ts";

export type Scalars = readonly Scalar[];

/** The largest number of functions that a fused kernel computes for an element. */
export const maxFunctions = 96;

/** A spec of a map over symbolic inputs; null if it uses the index of an element. */
export function bodyOf({ spec }: MapKernel): ((inputs: Scalars, scalars: Scalars) => Scalars) | null {
  if (spec.body.length > 2) return null;
  return (inputs, scalars) => spec.body(inputs, scalars, noNumber);
}

/** The element index of a fused map, which has none. */
export const noNumber = (): never => {
  throw new Error("a fused map has no element numbers");
};

const sizes = /* @__PURE__ */ new WeakMap<MapKernel, number>();

/** The number of functions that a map computes for an element; casts and loads do not count. */
export function functionsOf({ kernel }: MapWork): number {
  return getOrCompute(sizes, kernel, () => {
    const body = bodyOf(kernel);
    if (body === null) return Number.POSITIVE_INFINITY;
    const { spec } = kernel;
    const values = spec.values ?? body(spec.inputs.map(placeholder), spec.scalars.map(placeholder));
    const seen = new Set<Scalar>();
    let count = 0;
    const visit = (value: Scalar): void => {
      if (seen.has(value)) return;
      seen.add(value);
      if (value.kind === "call") {
        // Functions of several terms cost much more than arithmetic.
        count += cheap.has(value.fn) ? 1 : 8;
        for (const arg of value.args) visit(arg);
      } else if (value.kind === "cast") visit(value.of);
    };
    values.forEach(visit);
    return count;
  });
}

/**
 * True if a row kernel that overwrites input k reads the input again after it has stored a term there (`RowSpec.keeps`).
 */
export function overwritesEarly({ spec }: RowKernel, k: number): boolean {
  if (spec.keeps !== true) return false;
  const inputs = spec.inputs.map(placeholder);
  const scalars = spec.scalars.map(placeholder);
  const known: Scalar[] = [];
  for (const { accumulators, finish } of spec.phases)
    known.push(
      ...finish(
        accumulators.map(({ total }) => placeholder(total, 0)),
        scalars,
        known,
      ),
    );
  const reads = (value: Scalar): boolean =>
    value === inputs[k] ||
    (value.kind === "call" && value.args.some(reads)) ||
    (value.kind === "cast" && reads(value.of));
  return spec.values(inputs, scalars, known, placeholder(spec.outputs[0], 0)).some(reads);
}

const cheap = /* @__PURE__ */ new Set(
  "add sub mul neg abs min max smaller larger select eq ne lt le gt ge and or not div sqrt".split(" "),
);

/** A symbolic value of a dtype. */
export const placeholder = (dtype: DType, k: number): Scalar =>
  ({ kind: "named", dtype, name: `v${k}` }) as unknown as Scalar;
