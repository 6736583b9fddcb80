/**
 * Functions in files of the user, for the commands `build` and `graph`: `model.js#fn` is the export `fn` of a file. A function is compiled by two
 * calls with random inputs of the declared shapes; one that the file has compiled and called twice is used as it is.
 */
import { rand, zeros } from "../api.ts";
import { noGrad } from "../autograd/scopes.ts";
import { StridewiseError } from "../base/errors.ts";
import { compile } from "../graph/compile/compile.ts";
import { findSource } from "../graph/compile/source.ts";
import { type Dim, dim } from "../graph/dims.ts";
import { shortNames } from "../graph/tensor-type.ts";
import { type DType, dtypes, isDType } from "../storage/dtype.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { UsageError } from "./arguments.ts";
import type { Facts } from "./symbols.ts";

/** Imports a file of the user. */
export type ImportModule = (path: string) => Promise<Readonly<Record<string, unknown>>>;

export type CompiledFunction = (...args: never[]) => unknown;

/** A value of --input: a dtype, and sizes with dimensions by their names. */
interface InputType {
  readonly dtype: DType;
  readonly shape: readonly (number | Dim)[];
}

/** Parses `f32[n, 16]`. */
function inputType(text: string, dims: Map<string, Dim>, facts: Facts): InputType {
  const match = /^\s*(\w+)\s*\[([^\]]*)\]\s*$/.exec(text);
  const dtype = match === null ? undefined : ((shortNames as Readonly<Record<string, string>>)[match[1]] ?? match[1]);
  if (match === null || !isDType(dtype))
    throw new UsageError(`--input "${text}" is not a type. Write f32[n, 16]: a dtype and sizes; n is a dimension.`);
  const sizes = match[2].split(",").map((size) => size.trim());
  const shape = (sizes.length === 1 && sizes[0] === "" ? [] : sizes).map((size) => {
    if (/^\d+$/.test(size)) return Number(size);
    if (!/^[a-zA-Z]\w*$/.test(size)) throw new UsageError(`--input "${text}": ${size} must be an integer or a name.`);
    const known = dims.get(size);
    if (known !== undefined) return known;
    const { min = 1, max = Infinity, divisibleBy = 1 } = facts.get(size) ?? {};
    const created = dim(size, { min, max, multipleOf: divisibleBy });
    dims.set(size, created);
    return created;
  });
  return { dtype, shape };
}

/** The usual size of a dimension in the calls that compile a function. */
const usualSize = 8;

const sizeOf = (size: number | Dim): number => {
  if (typeof size === "number") return size;
  const { min, max, multipleOf } = size;
  const up = (at: number): number => Math.ceil(at / multipleOf) * multipleOf;
  return Math.min(up(Math.max(min, usualSize)), Math.floor(max / multipleOf) * multipleOf);
};

/** Returns random numbers, or zeros for integers, of a shape. */
export function randomInput({ dtype, shape }: InputType): Tensor {
  const sizes = shape.map(sizeOf);
  return (dtypes[dtype].category === "float" ? rand(sizes, { dtype }) : zeros(sizes, { dtype })) as Tensor;
}

/** Returns the compiled function that `model.js#fn` names. */
export async function loadFunction(
  spec: string,
  inputs: readonly string[],
  facts: Facts,
  importModule: ImportModule,
): Promise<{ readonly name: string; readonly compiled: CompiledFunction }> {
  const [path, name = "default"] = spec.split("#");
  const exported = (await importFile(path, importModule))[name];
  if (typeof exported !== "function")
    throw new UsageError(
      `${path} has no function ${name}. ${name === "default" ? `Name one: ${path}#fn` : "Export it from the file."}`,
    );
  const fn = exported as CompiledFunction;
  const dims = new Map<string, Dim>();
  const types = inputs.map((text) => inputType(text, dims, facts));
  const isCompiled = findSource(fn) !== undefined;
  if (!isCompiled && "explain" in fn && "graph" in fn)
    throw new UsageError(`${path}#${name} was compiled by another copy of stridewise. Run the command of that copy.`);
  if (types.length === 0) {
    if (findSource(fn)?.last() != null) return { name, compiled: fn };
    throw new UsageError(
      `${path}#${name} was not compiled yet. Pass the types of its tensors: --input "f32[n, 16]", or compile it in the file and call it twice.`,
    );
  }
  const compiled = isCompiled ? fn : compile(fn, { inputs: types.map(({ shape }) => shape) });
  const args = types.map(randomInput);
  const call = (): void => {
    try {
      for (let k = 0; k < 2; k++) (compiled as (...args: unknown[]) => unknown)(...args);
    } catch (error) {
      throw ownError(`${path}#${name}`, error);
    }
  };
  call();
  // A function whose result requires a gradient is compiled only without gradients.
  if (findSource(compiled)?.last() == null) noGrad(call);
  return { name: name === "default" ? fn.name || "main" : name, compiled };
}

async function importFile(path: string, importModule: ImportModule): ReturnType<ImportModule> {
  try {
    return await importModule(path);
  } catch (error) {
    const { code } = Object(error) as { readonly code?: string };
    if (code === "ERR_UNKNOWN_FILE_EXTENSION" || (/\.[cm]?ts$/.test(path) && error instanceof SyntaxError))
      throw new UsageError(
        `this Node cannot run ${path}. Node 22.18 and later runs TypeScript; otherwise run the command with tsx: npx tsx node_modules/stridewise/dist/cli/main.js`,
      );
    if (code === "ERR_MODULE_NOT_FOUND" && String(error).includes(path))
      throw new UsageError(`there is no file ${path}.`);
    throw ownError(path, error);
  }
}

/** The error of code of the user; errors of the library stay as they are. */
const ownError = (what: string, error: unknown): unknown =>
  error instanceof StridewiseError
    ? error
    : new UsageError(`${what} throws ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
