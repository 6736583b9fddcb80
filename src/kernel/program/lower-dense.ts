/**
 * Lowers an elementwise kernel over dense operands: one launch; or, for little work of a new kernel, a launch of an existing kernel for each
 * function, because compiling a kernel takes longer than that.
 *
 * A step is one function or cast, with a kernel that all maps share; intermediate values are in the workspace. Every value is rounded to its
 * dtype in both cases, so the results have the same bits. A map gets its own kernel when it is called often or with many elements, or
 * when its functions are new: the kernel of a step is worth compiling only for a function that several maps have.
 */
import { getOrCompute } from "../../base/lazy.ts";
import { type DType, dtypes, type Value } from "../../storage/dtype.ts";
import { type KernelBackend, kernelBackend } from "../backend.ts";
import {
  type CallScalar,
  type CastScalar,
  type ConstantScalar,
  call as callScalar,
  namedScalar,
  parameterScalar,
  type Scalar,
} from "../ir/scalar.ts";
import { buildMap } from "../map/build.ts";
import { MapKernel } from "../map/map.ts";
import type { ElementStorage } from "../operand.ts";
import type { LoopNest } from "../plan/loop-nest.ts";
import type { ProgramBuilder } from "./builder.ts";
import type { KernelEntry } from "./kernels.ts";
import type { DenseLaunch } from "./program.ts";

/** The form of a line. */
export const loopNest1d = (classes: number): LoopNest => ({ kind: "line", classes, second: 0, isTransposing: false });

/** The classes of operands that are all dense. */
export const denseClasses = ({ operands }: MapKernel): number => (4 ** operands - 1) / 3;

/** The kernel for dense operands, or one element for all where the class of an operand, two bits each, is 0. */
export const kernel1d = (kernel: MapKernel, classes = denseClasses(kernel)): KernelEntry =>
  kernel.entry(2 * classes, () => buildMap(kernel.spec, loopNest1d(classes)));

/** Returns the launch of a map over up to `maxDense` dense elements. */
export const denseLaunch = (kernel: MapKernel): DenseLaunch => ({
  kernel: kernel1d(kernel),
  buffers: kernel.operands,
});

/** Adds the steps that compute `count` elements of dense operands, 1 to `maxDense`. Scalars of null are bound when the program runs. */
export function lowerDenseMap(
  builder: ProgramBuilder,
  kernel: MapKernel,
  count: number,
  operands: readonly DenseOperand[],
  scalars: readonly Value[] | null,
): void {
  let classes = 0;
  for (let k = operands.length - 1; k >= 0; k--) classes = classes * 4 + Number(operands[k].isDense);
  if (!kernel.isCompiled(2 * classes) && lowerSteps(builder, kernel, count, operands, scalars ?? builder.scalars))
    return;
  const { unit } = builder.tiling;
  builder.launch({
    kernel: kernel1d(kernel, classes),
    buffers: operands,
    sizes: [count, unit],
    scalars,
    units: Math.ceil(count / unit),
    unitSize: Math.min(count, unit),
  });
}

/** An operand with adjacent elements, or a single element that is broadcast. */
export interface DenseOperand {
  readonly storage: ElementStorage;
  readonly start: number;
  readonly itemsize: number;
  readonly isDense: boolean;
}

/** The limits up to which a map is computed in steps. */
export const stepping = {
  /** Elements in one call, and in all calls. */
  elements: 2 ** 17,
  total: 2 ** 18,
  /** The number of calls. */
  calls: 32,
  /** The number of functions. */
  functions: 12,
  /** The number of maps that must have each function. */
  sharing: 2,
  /** Elements that go through all steps before the next ones, so that intermediate values stay in the cache. */
  chunk: 1024,
};

/** The kernel of one function, and the number of maps that have it. */
interface StepKind {
  readonly kernel: MapKernel;
  maps: number;
}

/** A value that a step reads: operand k of the map is k, the value of step s is -1 - s. */
type Source = number;

interface FunctionStep {
  readonly kind: StepKind;
  readonly sources: readonly Source[];
  /** The scalars of its kernel: constants, and scalars of the map by their number. */
  readonly scalars: readonly (ConstantScalar | number)[];
  /** Bytes of an element of its value. */
  readonly itemsize: number;
  /** Its index among the steps. */
  readonly index: number;
}

/** The steps of a map, the last of which gives the output, and the remaining calls and elements to compute in steps. */
interface FunctionSteps {
  readonly steps: readonly FunctionStep[];
  calls: number;
  elements: number;
}

const kinds = /* @__PURE__ */ new Map<string, StepKind>();
/** The steps of maps; null if a map has none. */
const known = new WeakMap<MapKernel, FunctionSteps | null>();
/** Returns the steps of a map if they are faster than compiling its kernel for `count` dense elements; otherwise null. */
export function stepsFor(
  kernel: MapKernel,
  count: number,
  backend: KernelBackend = kernelBackend(),
): FunctionSteps | null {
  if (count > stepping.elements || backend.stepsFirst !== true) return null;
  const own = getOrCompute(known, kernel, stepsOf);
  const isNow = own !== null && own.calls > 0 && own.elements >= count;
  return isNow && own.steps.every(({ kind }) => kind.maps >= stepping.sharing) ? own : null;
}

/**
 * Adds the steps that compute `count` elements of a map whose kernel is not compiled, if they are faster than compiling it. Otherwise adds
 * nothing and returns false.
 */
export function lowerSteps(
  builder: ProgramBuilder,
  kernel: MapKernel,
  count: number,
  operands: readonly DenseOperand[],
  scalars: readonly Value[],
): boolean {
  const own = stepsFor(kernel, count, builder.backend);
  if (own === null) return false;
  const { steps } = own;
  own.calls--;
  own.elements -= count;
  builder.isCacheable = false;
  const chunk = Math.min(count, stepping.chunk);
  let bytes = 0;
  const offsets = steps.map(({ itemsize }) => {
    const offset = bytes;
    bytes += Math.ceil((chunk * itemsize) / 16) * 16;
    return offset;
  });
  builder.workspace(bytes, (workspace, at) => {
    const values = steps.map(({ itemsize }, k): DenseOperand => {
      const start = (at + offsets[k]) / itemsize;
      return { storage: workspace, start, itemsize, isDense: true };
    });
    /** Adds all steps over some elements of the operands. */
    const lowerChunk = (elements: number, inputs: readonly DenseOperand[]): void => {
      for (const { kind, sources, scalars: own, index } of steps) {
        const isLast = index === steps.length - 1;
        const to = isLast ? inputs[0] : values[index];
        const from = sources.map((source) => (source >= 0 ? inputs[source] : values[-1 - source]));
        const numbers = own.map((scalar) => (typeof scalar === "number" ? scalars[scalar] : scalar.value));
        lowerDenseMap(builder, kind.kernel, elements, [to, ...from], numbers);
      }
    };
    const rounds = Math.floor(count / chunk);
    const advance = operands.map(({ isDense, itemsize }) => (isDense ? chunk * itemsize : 0));
    if (rounds === 1) lowerChunk(chunk, operands);
    else
      builder.pieces(rounds, operands, advance, (storages) =>
        lowerChunk(
          chunk,
          operands.map((operand, k) => ({ ...operand, storage: storages[k], start: 0 })),
        ),
      );
    const rest = count - rounds * chunk;
    if (rest > 0)
      lowerChunk(
        rest,
        operands.map((operand) => ({
          ...operand,
          start: operand.start + (operand.isDense ? rounds * chunk : 0),
        })),
      );
  });
  return true;
}

/** Returns the steps of a map; null if its values are not functions of its operands, or if their number makes steps pointless. */
function stepsOf({ spec }: MapKernel): FunctionSteps | null {
  if (spec.outputs.length !== 1 || spec.isMasked === true) return null;
  let isSteps = true;
  const bodyValues = (): readonly Scalar[] =>
    spec.body(
      spec.inputs.map((dtype, k) => namedScalar(dtype, `${k}`)),
      spec.scalars.map((dtype, k) => parameterScalar(dtype, `${k}`)),
      () => {
        isSteps = false;
        return namedScalar("int32", "number");
      },
    );
  const [root] = (spec.values ?? bodyValues()) as [Scalar];
  const steps: FunctionStep[] = [];
  const sources = new Map<Scalar, Source>();
  const sourceOf = (value: Scalar): Source => {
    const known = sources.get(value);
    if (known !== undefined) return known;
    let source = 0;
    if (value.kind === "named") source = 1 + Number(value.name);
    else if (value.kind === "call" || value.kind === "cast") {
      const step = stepOf(value, sourceOf);
      source = -steps.push({ ...step, index: steps.length });
    } else isSteps = false;
    sources.set(value, source);
    return source;
  };
  sourceOf(root);
  if (!isSteps || steps.length < 2 || steps.length > stepping.functions) return null;
  for (const { kind } of steps) kind.maps++;
  return { steps, calls: stepping.calls, elements: stepping.total };
}

function stepOf(value: CallScalar | CastScalar, sourceOf: (value: Scalar) => Source): Omit<FunctionStep, "index"> {
  const args = value.kind === "call" ? value.args : [value.of];
  const sources: Source[] = [];
  const scalars: (ConstantScalar | number)[] = [];
  let key = value.kind === "call" ? value.fn : `${value.how} ${value.dtype}`;
  for (const arg of args) {
    key += ` ${arg.dtype}`;
    if (arg.kind === "constant" || arg.kind === "parameter") {
      key += "=";
      scalars.push(arg.kind === "constant" ? arg : Number(arg.name));
    } else sources.push(sourceOf(arg));
  }
  const kind = getOrCompute(kinds, key, () => ({ kernel: stepKernel(value, args), maps: 0 }));
  return { kind, sources, scalars, itemsize: dtypes[value.dtype].itemsize };
}

/** Returns the kernel of one function or cast; constant and scalar arguments become its scalars. */
function stepKernel(value: CallScalar | CastScalar, args: readonly Scalar[]): MapKernel {
  const isScalar = args.map(({ kind }) => kind === "constant" || kind === "parameter");
  const dtypesOf = (ofScalars: boolean): DType[] =>
    args.filter((_, k) => isScalar[k] === ofScalars).map(({ dtype }) => dtype);
  return new MapKernel({
    name: value.kind === "call" ? value.fn : `${value.how}_${value.dtype}`,
    outputs: [value.dtype],
    inputs: dtypesOf(false),
    scalars: dtypesOf(true),
    body: (inputs, scalars) => {
      const [left, right] = [[...inputs], [...scalars]];
      const values = args.map((_, k) => (isScalar[k] ? right : left).shift() as Scalar);
      return [value.kind === "call" ? callScalar(value.fn, ...values) : { ...value, of: values[0] }];
    },
  });
}
