/**
 * Flat modes as plain numbers, for the places where values decide. Coordinate strides are packed into one number,
 * each component in its own band, wide enough that sums and multiples within the domain never spill over.
 */
import { isBasis, ScaledBasis, type StrideLeaf } from "./basis.ts";
import type { Mode } from "./coalesce.ts";
import { type Int, isStaticInt, knownValue } from "./int.ts";
import { refuse } from "./trace.ts";

export interface Encoding {
  readonly sizes: readonly number[];
  readonly strides: readonly number[];
  readonly allStatic: boolean;
  /** The stride that an encoded number stands for. */
  decode(value: number, mark: (n: number) => Int): StrideLeaf;
}

const isStaticStride = (stride: StrideLeaf): boolean => isStaticInt(isBasis(stride) ? stride.value : stride);

/** The modes as numbers; undefined (or a refusal in the name of `who`) when a symbol is among them. */
export function encodeModes(modes: readonly Mode[]): Encoding | undefined;
export function encodeModes(modes: readonly Mode[], who: string): Encoding;
export function encodeModes(modes: readonly Mode[], who?: string): Encoding | undefined {
  const missing = (what: unknown): undefined => {
    if (who !== undefined)
      throw refuse(who, "missing fact", { value: what }, `the value of ${String(what)} must be known`);
    return undefined;
  };
  const sizes: number[] = [];
  const strides: number[] = [];
  const paths: string[] = [];
  for (const mode of modes) {
    const size = knownValue(mode.size);
    const stride = knownValue(isBasis(mode.stride) ? mode.stride.value : mode.stride);
    if (size === undefined) return missing(mode.size);
    if (stride === undefined) return missing(mode.stride);
    sizes.push(size);
    strides.push(stride);
    const path = isBasis(mode.stride) ? mode.stride.path.join() : "";
    if (!paths.includes(path)) paths.push(path);
  }
  const allStatic = modes.every((mode) => isStaticInt(mode.size) && isStaticStride(mode.stride));
  if (paths.length === 1 && paths[0] === "") return { sizes, strides, allStatic, decode: (value, mark) => mark(value) };
  const reach = sizes.reduce((total, size, i) => total + size * Math.abs(strides[i] as number), 1);
  const band = 2 ** Math.ceil(Math.log2(reach) + 4);
  if (band ** paths.length > 2 ** 53)
    return missing(`${paths.length} coordinate strides of reach ${reach} (too large to compare)`);
  const bandOf = (i: number): number => {
    const stride = (modes[i] as Mode).stride;
    return band ** paths.indexOf(isBasis(stride) ? stride.path.join() : "");
  };
  return {
    sizes,
    strides: strides.map((stride, i) => stride * bandOf(i)),
    allStatic,
    decode(value, mark) {
      const power = value === 0 ? 0 : paths.findIndex((_path, p) => Math.abs(value) < band ** (p + 1) / 2);
      const unit = band ** power;
      if (value % unit !== 0)
        throw refuse(
          who ?? "composition",
          "mixed coordinates",
          { value },
          "a step of the result would move in two coordinates at once, which no stride can",
        );
      const path = paths[power] as string;
      return path === "" ? mark(value / unit) : new ScaledBasis(mark(value / unit), path.split(",").map(Number));
    },
  };
}

/** The offset of an index in flat modes: towards zero for negative indices, open at the end. */
export function offsetOfIndex(encoding: Encoding, index: number): number {
  const { sizes, strides } = encoding;
  const last = sizes.length - 1;
  let rest = index;
  let offset = 0;
  for (let t = 0; t < last; t++) {
    const size = sizes[t] as number;
    const digit = rest % size;
    offset += digit * (strides[t] as number);
    rest = (rest - digit) / size;
  }
  return offset + rest * (strides[last] as number);
}
