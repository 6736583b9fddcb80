/**
 * Little work of a new kernel, done function by function with kernels that exist, because making a kernel takes longer than that.
 *
 * A step is one function or cast over dense operands, with a kernel of its own that all maps share; what lies between two steps is in
 * temporary bytes. Every value is rounded to its dtype in either way, so the results are the same bits. A map is made into a program of
 * its own when it is called often or with many elements, and where its functions are new: a step's kernel is worth making only for
 * a function that other maps have, too.
 */
import { remember } from "../../base/remember.ts";
import { type DType, dtypes, type Value } from "../../storage/dtype.ts";
import type { Memory } from "../../storage/memory.ts";
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
import { MapKernel } from "../map/map.ts";
import { classOf } from "../plan/form.ts";
import { presentCall } from "./call.ts";
import { spoilRecording } from "./recording.ts";
import { ifRoom } from "./temporary.ts";

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

let kinds: Map<string, StepKind> | null = null;
/** The steps of maps that were asked for; null if a map has none. */
const known = new WeakMap<MapKernel, Steps | null>();

/** `runDense` of `run-map.ts`. */
type Run = (kernel: MapKernel, count: number, classes: number) => void;

/** The steps of a map, if `count` dense elements of it are better done so; null else. */
export function stepsFor(kernel: MapKernel, count: number): Steps | null {
  if (count > stepping.elements || kernelBackend().stepsFirst !== true) return null;
  const own = remember(known, kernel, stepsOf);
  const isNow = own !== null && own.calls > 0 && own.elements >= count;
  return isNow && own.steps.every(({ kind }) => kind.wanted >= stepping.sharing) ? own : null;
}

/**
 * Computes `count` elements of a map that has no program yet, whose operands are as `runDense` has them, if that is better done in
 * steps. False, and nothing is done, if a program is to be made.
 */
export function runSteps(kernel: MapKernel, count: number, classes: number, run: Run): boolean {
  const own = stepsFor(kernel, count);
  if (own === null) return false;
  const { steps } = own;
  own.calls--;
  own.elements -= count;
  const chunk = Math.min(count, stepping.chunk);
  let bytes = 0;
  const places: number[] = [];
  for (const { itemsize } of steps) {
    places.push(bytes);
    bytes += Math.ceil((chunk * itemsize) / 16) * 16;
  }
  spoilRecording();
  return ifRoom(bytes, (memory, start) => {
    const call = presentCall();
    const given = {
      memories: call.memories.slice(),
      addresses: call.addresses.slice(),
      scalars: call.scalars.slice(),
      classes,
    };
    const temporary = { memory, addresses: places.map((place) => start + place) };
    const moves = operandsOf(kernel).map((dtype, k) => classOf(classes, k) * dtypes[dtype].itemsize);
    for (let at = 0; at < count; at += chunk) {
      for (const step of steps) runStep(step, steps, Math.min(chunk, count - at), given, temporary, run);
      for (let k = 0; k < moves.length; k++) (given.addresses[k] as number) += chunk * (moves[k] as number);
    }
  });
}

const operandsOf = ({ spec }: MapKernel): DType[] => [...spec.outputs, ...spec.inputs];

/** The call of the whole map, at the present elements. */
interface Given {
  readonly memories: readonly Memory[];
  readonly addresses: number[];
  readonly scalars: readonly Value[];
  readonly classes: number;
}

/** Where the values of steps are. */
interface Temporary {
  readonly memory: Memory;
  readonly addresses: readonly number[];
}

function runStep(
  step: Step,
  steps: readonly Step[],
  count: number,
  given: Given,
  temporary: Temporary,
  run: Run,
): void {
  const call = presentCall();
  const { memories, addresses } = call;
  const { kind, sources, scalars, place } = step;
  const isLast = place === steps.length - 1;
  memories[0] = isLast ? (given.memories[0] as Memory) : temporary.memory;
  addresses[0] = (isLast ? given.addresses[0] : temporary.addresses[place]) as number;
  let own = 0;
  for (let k = sources.length - 1; k >= 0; k--) {
    const source = sources[k] as Source;
    const isGiven = source >= 0;
    memories[k + 1] = isGiven ? (given.memories[source] as Memory) : temporary.memory;
    addresses[k + 1] = (isGiven ? given.addresses[source] : temporary.addresses[-1 - source]) as number;
    own = (own << 2) | (isGiven ? classOf(given.classes, source) : 1);
  }
  for (let k = 0; k < scalars.length; k++) {
    const scalar = scalars[k] as ConstantScalar | number;
    call.scalars[k] = typeof scalar === "number" ? (given.scalars[scalar] as Value) : scalar.value;
  }
  run(kind.kernel, count, (own << 2) | 1);
}

/** The steps of a map; null if it has other values than functions of its operands, or so few or so many that they do not pay. */
function stepsOf({ spec }: MapKernel): Steps | null {
  if (spec.outputs.length !== 1 || spec.isMasked === true) return null;
  let isSteps = true;
  const inputs = spec.inputs.map((dtype, k) => namedScalar(dtype, `${k}`));
  const scalars = spec.scalars.map((dtype, k) => parameterScalar(dtype, `${k}`));
  const [root] = spec.body(inputs, scalars, () => {
    isSteps = false;
    return namedScalar("int32", "number");
  }) as [Scalar];
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
  kinds ??= new Map();
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
      return [value.kind === "call" ? callScalar(value.fn, ...given) : { ...value, of: given[0] as Scalar }];
    },
  });
}
