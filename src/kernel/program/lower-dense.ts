/**
 * Lowering an elementwise kernel over dense operands: one launch; or, for little work of a new kernel, a launch for each function with
 * kernels that exist, because compiling one takes longer than that.
 *
 * A step is one function or cast, with a kernel of its own that all maps share; what lies between two steps is in
 * the workspace. Every value is rounded to its dtype in either way, so the results are the same bits. A map gets a kernel of
 * its own when it is called often or with many elements, and where its functions are new: a step's kernel is worth compiling only for
 * a function that other maps have, too.
 */
import { remember } from "../../base/remember.ts";
import { type DType, dtypes, type Value } from "../../storage/dtype.ts";
import { kernelBackend } from "../backend.ts";
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
import type { Form } from "../plan/form.ts";
import { tiling } from "../plan/tiles.ts";
import type { ProgramBuilder } from "./builder.ts";
import type { KernelEntry } from "./kernels.ts";
import type { DenseLaunch } from "./program.ts";

/** The form of a line. */
export const lineForm = (classes: number): Form => ({ kind: "line", classes, second: 0, transposing: false });

/** The classes of operands that are all dense. */
export const denseClasses = ({ operands }: MapKernel): number => (4 ** operands - 1) / 3;

/** The kernel for dense operands, or one element for all where the class of an operand, two bits each, is 0. */
export const lineKernel = (kernel: MapKernel, classes = denseClasses(kernel)): KernelEntry =>
  kernel.entry(2 * classes, () => buildMap(kernel.spec, lineForm(classes)));

/** The launch of a map over any number of dense elements, up to `mostDense`. */
export const denseLaunch = (kernel: MapKernel): DenseLaunch => ({
  kind: "dense",
  kernel: lineKernel(kernel),
  buffers: kernel.operands,
});

/** Adds what computes `count` elements of dense operands, 1 to `mostDense`; scalars of null are those of the call. */
export function lowerDense(
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
  const { unit } = tiling;
  builder.launch({
    kernel: lineKernel(kernel, classes),
    buffers: operands,
    sizes: [count, unit],
    scalars,
    units: Math.ceil(count / unit),
    unitSize: Math.min(count, unit),
  });
}

/** An operand whose elements follow each other, or that is one element for all. */
export interface DenseOperand {
  readonly storage: ElementStorage;
  readonly start: number;
  readonly itemsize: number;
  readonly isDense: boolean;
}

/** How long a map is done in steps. */
export const stepping = {
  /** At most so many elements in a call, and in all calls. */
  elements: 2 ** 17,
  total: 2 ** 18,
  /** At most so many calls. */
  calls: 32,
  /** At most so many functions. */
  functions: 12,
  /** Each function is one of so many maps. */
  sharing: 2,
  /** Elements that go through all steps before the next ones do, so that what lies between is near. */
  chunk: 1024,
};

/** The kernel of one function, and how many maps have it. */
interface StepKind {
  readonly kernel: MapKernel;
  wanted: number;
}

/** What a step reads: operand k of the map is k, the value of step s is -1 - s. */
type Source = number;

interface Step {
  readonly kind: StepKind;
  readonly sources: readonly Source[];
  /** The scalars of its kernel: constants, and scalars of the map by their number. */
  readonly scalars: readonly (ConstantScalar | number)[];
  /** Bytes of an element of its value. */
  readonly itemsize: number;
  /** Its number among the steps. */
  readonly place: number;
}

/** The steps of a map, the last of which gives the output, and how many more calls and elements are done so. */
interface Steps {
  readonly steps: readonly Step[];
  calls: number;
  elements: number;
}

const kinds = /* @__PURE__ */ new Map<string, StepKind>();
/** The steps of maps that were asked for; null if a map has none. */
const known = new WeakMap<MapKernel, Steps | null>();
/** The steps of a map, if `count` dense elements of it are better done so; null else. */
export function stepsFor(kernel: MapKernel, count: number): Steps | null {
  if (count > stepping.elements || kernelBackend().stepsFirst !== true) return null;
  const own = remember(known, kernel, stepsOf);
  const isNow = own !== null && own.calls > 0 && own.elements >= count;
  return isNow && own.steps.every(({ kind }) => kind.wanted >= stepping.sharing) ? own : null;
}

/**
 * Adds the steps that compute `count` elements of a map whose kernel is not compiled, if that is better. False, and nothing is added, if it is
 * to be compiled.
 */
export function lowerSteps(
  builder: ProgramBuilder,
  kernel: MapKernel,
  count: number,
  operands: readonly DenseOperand[],
  scalars: readonly Value[],
): boolean {
  const own = stepsFor(kernel, count);
  if (own === null) return false;
  const { steps } = own;
  own.calls--;
  own.elements -= count;
  builder.isKept = false;
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
    /** All steps over some elements of the operands. */
    const lowerChunk = (elements: number, given: readonly DenseOperand[]): void => {
      for (const { kind, sources, scalars: own, place } of steps) {
        const isLast = place === steps.length - 1;
        const to = isLast ? given[0] : values[place];
        const from = sources.map((source) => (source >= 0 ? given[source] : values[-1 - source]));
        const numbers = own.map((scalar) => (typeof scalar === "number" ? scalars[scalar] : scalar.value));
        lowerDense(builder, kind.kernel, elements, [to, ...from], numbers);
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

/** The steps of a map; null if it has other values than functions of its operands, or so few or so many that they do not pay. */
function stepsOf({ spec }: MapKernel): Steps | null {
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
  const steps: Step[] = [];
  const sources = new Map<Scalar, Source>();
  const sourceOf = (value: Scalar): Source => {
    const found = sources.get(value);
    if (found !== undefined) return found;
    let source = 0;
    if (value.kind === "named") source = 1 + Number(value.name);
    else if (value.kind === "call" || value.kind === "cast") {
      const step = stepOf(value, sourceOf);
      source = -steps.push({ ...step, place: steps.length });
    } else isSteps = false;
    sources.set(value, source);
    return source;
  };
  sourceOf(root);
  if (!isSteps || steps.length < 2 || steps.length > stepping.functions) return null;
  for (const { kind } of steps) kind.wanted++;
  return { steps, calls: stepping.calls, elements: stepping.total };
}

function stepOf(value: CallScalar | CastScalar, sourceOf: (value: Scalar) => Source): Omit<Step, "place"> {
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
  const kind = remember(kinds, key, () => ({ kernel: stepKernel(value, args), wanted: 0 }));
  return { kind, sources, scalars, itemsize: dtypes[value.dtype].itemsize };
}

/** The kernel of one function or cast; arguments that are constants or scalars are scalars of it. */
function stepKernel(value: CallScalar | CastScalar, args: readonly Scalar[]): MapKernel {
  const isScalar = args.map(({ kind }) => kind === "constant" || kind === "parameter");
  const dtypesOf = (wanted: boolean): DType[] =>
    args.filter((_, k) => isScalar[k] === wanted).map(({ dtype }) => dtype);
  return new MapKernel({
    name: value.kind === "call" ? value.fn : `${value.how}_${value.dtype}`,
    outputs: [value.dtype],
    inputs: dtypesOf(false),
    scalars: dtypesOf(true),
    body: (inputs, scalars) => {
      const [left, right] = [[...inputs], [...scalars]];
      const given = args.map((_, k) => (isScalar[k] ? right : left).shift() as Scalar);
      return [value.kind === "call" ? callScalar(value.fn, ...given) : { ...value, of: given[0] }];
    },
  });
}
