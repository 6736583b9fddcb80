/** Inputs of models: the same elements in each run, in ranges that suit the names and types of inputs. */
import { full, type Tensor, tensor } from "../../src/index.ts";
import type { OnnxModel, OnnxPort } from "../../src/onnx/index.ts";
import type { InputOptions } from "./model-options.ts";

/** Returns the inputs of a step. `fedBack` has those that earlier outputs give. */
export function inputsOf(
  model: OnnxModel,
  step: number,
  fedBack: ReadonlyMap<string, Tensor>,
  options: InputOptions,
): Record<string, Tensor> {
  const sizes = new Map(options.dims);
  // The tensors of earlier steps say what their dimensions are now.
  for (const { name, type } of model.inputs)
    for (const [axis, size] of (type.shape ?? []).entries()) {
      const known = fedBack.get(name)?.shape[axis] as number | undefined;
      if (typeof size === "string" && known !== undefined) sizes.set(size, known);
    }
  const entries = model.inputs
    .filter(({ type }) => type.kind === "tensor")
    .map((port, k) => [port.name, fedBack.get(port.name) ?? made(port, k, step, sizes, options)] as const);
  return Object.fromEntries(entries);
}

function made(
  { name, type }: OnnxPort,
  index: number,
  step: number,
  sizes: ReadonlyMap<string, number>,
  { ranges, values }: InputOptions,
): Tensor {
  const dtype = type.dtype ?? "float32";
  const shape = (type.shape ?? []).map((size, axis) =>
    typeof size === "number" ? size : (sizes.get(`${name}:${axis}`) ?? sizeOf(size, axis, sizes)),
  );
  const fixed = values.get(name);
  if (fixed !== undefined) return full(shape, fixed[Math.min(step, fixed.length - 1)], { dtype: "float64" }).to(dtype);
  const isExact = dtype === "bool" || /^u?int/.test(dtype);
  if (isExact && /mask/i.test(name) && !ranges.has(name)) return full(shape, 1, { dtype: "float64" }).to(dtype);
  const [low, high] = ranges.get(name) ?? (dtype === "bool" ? [0, 2] : isExact ? [0, 4] : [-1, 1]);
  const elements = new Float64Array(shape.reduce((a, b) => a * b, 1));
  const next = isPicture(shape, dtype) ? pictureElements(shape) : generator(index + 31 * step + 1);
  for (let k = 0; k < elements.length; k++) {
    const value = low + (high - low) * next();
    elements[k] = isExact ? Math.floor(value) : value;
  }
  return tensor(elements)
    .reshape(shape)
    .to(isExact && dtype !== "bool" ? "int64" : dtype)
    .to(dtype) as Tensor;
}

/** The size of a dimension by its name, which may be a sum of names and numbers: `past_sequence_length + 1`. Default: 1 for a batch, else 16. */
function sizeOf(name: string | null, axis: number, sizes: ReadonlyMap<string, number>): number {
  if (name === null) return axis === 0 ? 1 : 16;
  const terms = name.split("+").map((term) => {
    const text = term.trim();
    return sizes.get(text) ?? (/^\d+$/.test(text) ? Number(text) : undefined);
  });
  if (sizes.has(name)) return sizes.get(name) as number;
  if (terms.every((each) => each !== undefined)) return terms.reduce((a, b) => a + b, 0);
  return /batch/i.test(name) ? 1 : 16;
}

const isPicture = (shape: readonly number[], dtype: string): boolean =>
  shape.length === 4 && shape[2] >= 32 && shape[3] >= 32 && /^float|^uint8/.test(dtype);

/**
 * The elements of a picture in [0, 1), in the order of memory: lines of letters above a disc, on a gradient. Networks find nothing in noise, and
 * the relative differences of outputs near 0 say little.
 */
function pictureElements(shape: readonly number[]): () => number {
  const [height, width] = shape.slice(-2);
  const noise = generator(1);
  let k = -1;
  return () => {
    k++;
    const x = (k % width) / width;
    const y = (Math.floor(k / width) % height) / height;
    const plane = Math.floor(k / (width * height)) % shape[1];
    const grain = 0.02 * noise();
    if ((x - 0.5) ** 2 + (y - 0.68) ** 2 < 0.06) return 0.15 + 0.2 * plane + 0.1 * y + grain;
    const line = (y * 10) % 1;
    const isLetter =
      y < 0.4 &&
      x > 0.1 &&
      x < 0.9 &&
      line > 0.3 &&
      line < 0.8 &&
      Math.sin(150 * x) + Math.sin(61 * x + 40 * line) > 0.2;
    return isLetter ? 0.05 + grain : 0.8 + 0.1 * x + grain;
  };
}

/** Uniform numbers in [0, 1). */
function generator(seed: number): () => number {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const mixed = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d);
    return ((mixed ^ (mixed >>> 12)) >>> 0) / 2 ** 32;
  };
}
