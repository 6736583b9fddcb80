/**
 * A row of the comparison: one piece of work, and how each contestant does it. All contestants receive the same float32
 * inputs, computed by one formula, and each result is compared with `expected` before any time counts. Adapters in
 * `../peers` turn an entry of `does` into something that runs; a row knows neither processes nor clocks.
 */

/** The arrays of a row as one library holds them. Inputs that the row does not name are not allocated. */
export interface Arrays<A> {
  readonly x: A;
  readonly y: A;
  /** Memory for the result, allocated once, for libraries that can write to it. */
  readonly out: A;
}

/** Prepares once and returns the measured call, which returns its result. */
export type Body<Library, A> = (library: Library, arrays: Arrays<A>) => () => unknown;

/** Statements of Python: `once` before, `each` for every call. They see x, y and out, and may assign out. */
export interface Statements {
  readonly once?: string;
  readonly each: string;
}

/** An ONNX graph from x (and y) to out: nodes in order, and the constants that they name. */
export interface OnnxGraph {
  readonly nodes: readonly OnnxNode[];
  readonly floats?: Readonly<Record<string, number>>;
  readonly integers?: Readonly<Record<string, readonly number[]>>;
  /** Large constants; their values are computed only where the model is encoded. */
  readonly tensors?: Readonly<Record<string, { readonly shape: Shape; readonly values: () => Float32Array }>>;
  /** Whether each run returns a new result, even though there is memory for one. */
  readonly fresh?: boolean;
}

/** One operation, with the kinds of attributes needed so far: integers from 0, lists of them, and strings. */
export interface OnnxNode {
  readonly op: string;
  readonly from: readonly string[];
  readonly to: string | readonly string[];
  readonly attributes?: Readonly<Record<string, number | readonly number[] | string>>;
}

/** A model in a file. Every library calls it with the same inputs; the result is one of its outputs. */
export interface ModelFile {
  /** Returns null if the file is not here. */
  readonly path: () => string | null;
  readonly inputs: Readonly<Record<string, ModelInput>>;
  readonly output: string;
}

export interface ModelInput {
  readonly dtype: "float32" | "int64";
  readonly shape: Shape;
  /** The element with a number in row-major order. */
  readonly element: (index: number) => number;
}

/** The reason why a peer is absent from a row. */
export interface Absent {
  readonly absent: string;
}

export type Stridewise = typeof import("stridewise") & {
  readonly nn: typeof import("stridewise/nn");
  readonly optim: typeof import("stridewise/optim");
};
type Tensorflow = typeof import("@tensorflow/tfjs-core");
type Jax = typeof import("@jax-js/jax");
type NumpyTs = typeof import("numpy-ts");
export type JaxArray = import("@jax-js/jax").numpy.Array;

/** The program of each contestant. */
export interface Does {
  readonly stridewise: Body<Stridewise, import("stridewise").Tensor> | ModelFile;
  /** Stridewise once more, as its own peer, in rows about threads. */
  readonly "one-thread": Body<Stridewise, import("stridewise").Tensor>;
  /** Stridewise without compile, in rows about compiled functions. */
  readonly eager: Body<Stridewise, import("stridewise").Tensor>;
  /** Stridewise with a kernel from a formula, fused by hand. */
  readonly kernel: Body<Stridewise, import("stridewise").Tensor>;
  readonly numpy: Statements;
  readonly torch: Statements;
  readonly "tfjs-wasm": Body<Tensorflow, import("@tensorflow/tfjs-core").Tensor>;
  readonly "tfjs-cpu": Body<Tensorflow, import("@tensorflow/tfjs-core").Tensor>;
  readonly "jax-js": Body<Jax, JaxArray>;
  readonly "ort-web": OnnxGraph | ModelFile;
  readonly "ort-node": OnnxGraph | ModelFile;
  readonly "numpy-ts": Body<NumpyTs, import("numpy-ts").NDArray>;
  readonly js: Body<null, Float32Array>;
}

export type Contestant = keyof Does;
/**
 * The order in which contestants load and are listed: those named by the library's targets first, the slowest to load
 * last.
 */
export const contestants: readonly Contestant[] = [
  "stridewise",
  "one-thread",
  "eager",
  "kernel",
  "numpy",
  "js",
  "tfjs-wasm",
  "jax-js",
  "ort-web",
  "ort-node",
  "numpy-ts",
  "tfjs-cpu",
  "torch",
];

type Shape = readonly number[];

export interface Row {
  readonly name: string;
  readonly title: string;
  readonly unit: "ms" | "ns";
  readonly inputs: Readonly<Partial<Record<"x" | "y", Shape>>>;
  readonly result: Shape;
  /** The tolerance of results, relative to the larger of the expected value and 1. Default: 2e-6. */
  readonly tolerance?: number;
  /** The version of Node that runs Stridewise, if it differs from this one. */
  readonly node?: 24;
  /** The number of threads of each library. Default: 1. */
  readonly threads?: number;
  /** Returns why the row cannot run here; null if it can. */
  readonly missing?: () => string | null;
  /** Calls of at least this length together come before the first turn, for work of much code. Default: 200. */
  readonly warmMilliseconds?: number;
  /** The element of the result at a coordinate. Default: that of the first contestant's result. */
  readonly expected?: (at: readonly number[], input: (name: "x" | "y", at: readonly number[]) => number) => number;
  readonly does: { readonly [Name in Contestant]?: Does[Name] | Absent } & Pick<Does, "stridewise">;
}

/** BENCH_SCALE shrinks the rows, to try them out: 0.01 is a hundredth of the elements. */
const scale = Number(process.env.BENCH_SCALE ?? 1);
/** The number of elements at this scale. */
export const elements = (count: number): number => Math.max(64, Math.round(count * scale));
/** The side of a square, at this scale. */
export const side = (length: number): number => Math.max(8, Math.round(length * Math.sqrt(scale)));

/** The values of the inputs: element i is ((i * factor) mod 4096) / 1024 - 2, exact in float32. */
export const factors = { x: 7919, y: 3571 } as const;
export const element = (name: "x" | "y", index: number): number => (Math.imul(index, factors[name]) & 4095) / 1024 - 2;

export const product = (shape: Shape): number => shape.reduce((total, size) => total * size, 1);

/**
 * Calls a compiled function until it runs its program, so that the first call of the row, whose result is checked, is
 * neither the eager one nor the one that is traced. Throws if no call was compiled.
 */
export function warm<F extends (...args: never[]) => import("stridewise").Tensor>(
  compiled: import("stridewise").Compiled<F>,
  ...args: Parameters<F>
): F {
  for (let call = 0; call < 3; call++) compiled(...args).dispose();
  compiled.graph();
  return compiled;
}

/** An input of a model as a typed array. */
export function elementsOf({ dtype, shape, element }: ModelInput): Float32Array | BigInt64Array {
  const count = product(shape);
  return dtype === "int64"
    ? BigInt64Array.from({ length: count }, (_, index) => BigInt(element(index)))
    : Float32Array.from({ length: count }, (_, index) => element(index));
}

/** An input as a typed array. */
export function filled(name: "x" | "y", shape: Shape): Float32Array {
  const values = new Float32Array(product(shape));
  for (let i = 0; i < values.length; i++) values[i] = element(name, i);
  return values;
}

/** Returns the arrays of a row, each created by the library's own function from values and a shape. */
export function arraysOf<A>(row: Row, make: (values: Float32Array, shape: number[]) => A): Arrays<A> {
  const arrays: Record<string, A> = {};
  for (const [name, shape] of Object.entries(row.inputs))
    arrays[name] = make(filled(name as "x" | "y", shape), [...shape]);
  arrays.out = make(new Float32Array(product(row.result)), [...row.result]);
  return arrays as unknown as Arrays<A>;
}
