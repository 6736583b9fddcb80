/**
 * The definition of random ops: the parameters of a distribution, the rules on them, and a function that fills an array from a draw.
 * A parameter is a number, or a tensor with one value per element. A draw takes one number of its generator and counts elements in
 * row-major order, whatever the layout. Dtypes other than float32 and float64 receive rounded values of one of those.
 */
import { StridewiseError } from "../../base/errors.ts";
import { type DType, DTypeError, dtypes, isComplexDType } from "../../storage/dtype.ts";
import { clone } from "../../tensor/clone.ts";
import { copyAll } from "../../tensor/copy-all.ts";
import { defaultGenerator, type Generator } from "../../tensor/create/generator.ts";
import type { RandomDraw } from "../../tensor/create/random-draw.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import type { OpFacts } from "../../tensor/dispatch/facts.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { unifyNames } from "../../tensor/names.ts";
import { bumpVersion, checkNoSelfOverlap, checkTensor, checkWritable, mayOverlap } from "../../tensor/operand.ts";
import { Tensor } from "../../tensor/tensor.ts";
import { viewAsReal } from "../../tensor/views/views-dtype.ts";
import { expand } from "../../tensor/views/views-shape.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { checkMeta } from "../meta-output.ts";
import { fresh, op, type Result, tensorsIn } from "../op.ts";
import type { Parameter } from "../random-core/uniform-words.ts";
import { denseOf, elementsIn } from "../routine/dense-elements.ts";
import { routineOp } from "../routine/routine-op.ts";
import { broadcastSizes, type Sizes, shapeOf } from "../shape-rules.ts";
import { readArguments, Signature } from "../signature.ts";

type Floats = Float32Array | Float64Array;

/** A parameter as an argument. */
export type Argument = number | Tensor;
export interface GeneratorOption {
  /** The source of the random numbers. Default: the default generator. */
  readonly generator?: Generator | null | undefined;
}

/** A condition on the values of a parameter, and the error text for a value that violates it. */
export type Rule = readonly [holds: (value: number) => boolean, sentence: (value: number) => string];

/** A distribution as an op. */
interface Distribution extends Pick<OpFacts, "linear"> {
  /** The signature, without the option `generator`, which every distribution has. */
  readonly signature: string;
  /** The names of the parameters, in the order of the arguments of `fill`. */
  readonly parameters: readonly string[];
  readonly rules?: Readonly<Record<string, Rule>>;
  /** Returns the error text for parameters that do not fit together, or null. */
  readonly fault?: (...parameters: never[]) => string | null;
  /** The argument whose values replace those of a parameter that is null. */
  readonly instead?: Readonly<Record<string, string>>;
  /** The categories of dtypes that can be filled. Default: floats only. */
  readonly kinds?: readonly string[];
  /** Takes the parameters and the number of random bits that the dtype holds. */
  readonly fill: (target: Floats, draw: RandomDraw, ...parameters: never[]) => void;
}

/** The number of random bits of floats that are rounded later. */
const significantBits: Readonly<Partial<Record<DType, number>>> = { float16: 11, bfloat16: 8 };

type Args = Readonly<Record<string, unknown>> & GeneratorOption;

const withGenerator = (signature: string): string =>
  signature.includes(";")
    ? signature.replace(/\)$/, ", generator = null)")
    : signature.replace(/\)$/, "; generator = null)");

/** Returns the next draw of a generator. */
export const nextDraw = (generator: Generator | null | undefined): RandomDraw =>
  (generator ?? defaultGenerator()).nextDraw();

function checkDType(who: string, dtype: DType, kinds: readonly string[] = ["float"]): void {
  const { category } = dtypes[dtype];
  if (!kinds.includes(category))
    throw new DTypeError(
      `${who}: dtype must be ${kinds.includes("integer") ? "real" : "floating point"}, got ${dtype}. Convert it: to("float32")`,
    );
}

/** Throws if a value violates the rule; the values of tensors are checked one by one. */
function checkRule(who: string, [holds, sentence]: Rule, values: Parameter): void {
  const list = typeof values === "number" ? [values] : values;
  for (let i = 0; i < list.length; i++) if (!holds(list[i])) throw new StridewiseError(`${who}: ${sentence(list[i])}`);
}

/** Calls `fill` to write the elements of a tensor in row-major order, as floats. */
export function fillFloats(t: Tensor, who: string, fill: (target: Floats) => void): void {
  const isFloat = t.dtype === "float32" || t.dtype === "float64";
  const isDense = isFloat && t.isContiguous();
  // Integers of 32 bits and more need float64.
  const wide = isFloat ? t.dtype : t.itemsize > 2 ? "float64" : "float32";
  const dense = isDense ? t : fresh(wide, sizesOf(t));
  if (t.size === 0) return;
  fill(elementsIn(dense, who, true) as Floats);
  if (!isDense) copyAll(dense, t, who);
}

const isArgument = (value: unknown): boolean => typeof value === "number" || value instanceof Tensor;

const notArgument = (who: string, name: string, value: unknown): StridewiseError =>
  new StridewiseError(
    `${who}: ${name} must be a number or a tensor, got ${describeValue(value)}${Array.isArray(value) ? ". Create one: tensor(...)" : ""}`,
  );

/** Fills a tensor from a distribution. Parameters are checked before anything is drawn or written. */
function draw(who: string, t: Tensor, { parameters, rules = {}, instead = {}, fill }: Distribution, args: Args): void {
  const shape = sizesOf(t);
  const dense = parameters.map((name) => {
    const value = (args[name] ?? args[instead[name]]) as Argument;
    if (value instanceof Tensor) {
      const one = denseOf(expand(value, shape), null, "float64");
      return mayOverlap(t, one) ? clone(one) : one;
    }
    if (typeof value === "number") return value;
    throw notArgument(who, name, value);
  });
  const values = (): Parameter[] =>
    dense.map((one) => (one instanceof Tensor ? (elementsIn(one, who) as Float64Array) : one));
  for (const [k, value] of values().entries()) {
    const rule = rules[parameters[k]];
    if (rule !== undefined) checkRule(who, rule, value);
  }
  const next = nextDraw(args.generator);
  fillFloats(t, who, (target) => fill(target, next, ...([...values(), significantBits[t.dtype] ?? 24] as never[])));
}

function checkFault(who: string, { fault, parameters }: Distribution, args: Args): void {
  const text = fault?.(...parameters.map((name) => args[name] as never)) ?? null;
  if (text !== null) throw new StridewiseError(`${who}: ${text}`);
}

/** Defines an op that fills a tensor and returns it. Complex tensors are accepted if there is a `fillComplex`. */
export function drawInPlace<F extends OpFunction>(
  distribution: Distribution,
  fillComplex?: (parts: Tensor, values: Args, who: string) => void,
): F {
  const signature = new Signature(withGenerator(distribution.signature));
  const { name } = signature;
  const read = (args: readonly unknown[]): { x: Tensor; values: Args } => {
    const { values, out } = readArguments(signature, args);
    if (out !== null) throw new StridewiseError(`${name}: there is no option out. The tensor itself is filled`);
    const x = values.x as Tensor;
    checkTensor(name, x);
    checkWritable(x, name);
    checkNoSelfOverlap(x, name);
    const isComplex = isComplexDType(x.dtype) && fillComplex !== undefined;
    if (!isComplex) checkDType(name, x.dtype, distribution.kinds);
    checkFault(name, distribution, values);
    return { x, values };
  };
  const kernels = {
    cpu(...args: unknown[]) {
      const { x, values } = read(args);
      if (isComplexDType(x.dtype) && fillComplex !== undefined) fillComplex(viewAsReal(x), values, name);
      else draw(name, x, distribution, values);
      bumpVersion(x);
      return x;
    },
    meta(...args: unknown[]) {
      checkMeta(name, tensorsIn(args));
      return read(args).x;
    },
  };
  return op<F>(signature, "routine", kernels, { linear: "none", random: "values" });
}

/** Defines an op that returns a new tensor with the broadcast shape of the parameters and the dtype of the first tensor. */
export function drawNew<F extends OpFunction>(distribution: Distribution): F {
  const signature = withGenerator(distribution.signature);
  const { name } = new Signature(signature);
  return routineOp<F, Args>(
    signature,
    (args): Result => {
      const { out: _, ...values } = args;
      const tensors = Object.values(values).filter((one) => one instanceof Tensor);
      const { parameters, instead = {} } = distribution;
      const wrong = [...Object.values(instead), ...parameters].find(
        (one) => args[one] != null && !isArgument(args[one]),
      );
      if (wrong !== undefined) throw notArgument(name, wrong, args[wrong]);
      for (const t of tensors) checkDType(name, t.dtype);
      checkFault(name, distribution, args);
      const shape = tensors.reduce<Sizes>((all, t) => broadcastSizes(name, all, shapeOf(t)), []);
      return { dtype: tensors[0].dtype, shape, names: unifyNames(name, ...tensors) };
    },
    ([result], args) => draw(name, result, distribution, args),
    { random: "values", linear: distribution.linear },
  );
}

/** Fills the real and imaginary parts of a complex tensor, viewed as pairs. */
export function fillParts(parts: Tensor, args: Args, who: string, fill: Distribution["fill"]): void {
  const next = nextDraw(args.generator);
  fillFloats(parts, who, (target) => fill(target, next));
}
