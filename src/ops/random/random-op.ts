/**
 * How random ops are defined: the parameters of a distribution with the rules that they keep, and what fills an array from a draw.
 * A parameter is a number, or a tensor with one for each element. A draw takes one number of its generator and counts elements in
 * row-major order, whatever the layout; dtypes that are no float32 or float64 get the rounded values of one.
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
import { bumpVersion, checkNoOverlap, checkTensor, checkWritable, mayMeet } from "../../tensor/operand.ts";
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
import { parseSignature, readArguments } from "../signature.ts";

export type Floats = Float32Array | Float64Array;

/** What an argument may be. */
export type Argument = number | Tensor;
export interface GeneratorOption {
  /** Where the random numbers come from; the default one unless given. */
  readonly generator?: Generator | null | undefined;
}

/** A condition on the values of a parameter, and the sentence for a value that breaks it. */
export type Rule = readonly [holds: (value: number) => boolean, sentence: (value: number) => string];

/** A distribution as an op. */
export interface Distribution extends Pick<OpFacts, "linear"> {
  /** The signature, without the generator, which all have. */
  readonly signature: string;
  /** The names of the parameters in the order in which `fill` takes them. */
  readonly parameters: readonly string[];
  readonly rules?: Readonly<Record<string, Rule>>;
  /** Says what is wrong with the parameters together. */
  readonly fault?: (...parameters: never[]) => string | null;
  /** Whose values stand in for those of a parameter that is null. */
  readonly instead?: Readonly<Record<string, string>>;
  /** What is filled: floats only, unless told. */
  readonly kinds?: readonly string[];
  /** Takes the parameters, the range of elements, and how many random bits the dtype holds. */
  readonly fill: (target: Floats, draw: RandomDraw, ...parameters: never[]) => void;
}

/** Random bits of a float that is rounded later. */
const significantBits: Readonly<Partial<Record<DType, number>>> = { float16: 11, bfloat16: 8 };

type Given = Readonly<Record<string, unknown>> & GeneratorOption;

const withGenerator = (signature: string): string =>
  signature.includes(";")
    ? signature.replace(/\)$/, ", generator = null)")
    : signature.replace(/\)$/, "; generator = null)");

/** The number of the draw that an op makes. */
export const nextDraw = (generator: Generator | null | undefined): RandomDraw =>
  (generator ?? defaultGenerator()).nextDraw();

function checkDType(who: string, dtype: DType, kinds: readonly string[] = ["float"]): void {
  const { category } = dtypes[dtype];
  if (!kinds.includes(category))
    throw new DTypeError(
      `${who}: dtype must be ${kinds.includes("integer") ? "real" : "floating point"}, got ${dtype}. Convert it: to('float32')`,
    );
}

/** Refuses values that break a rule; those of tensors are looked at one by one. */
function checkRule(who: string, [holds, sentence]: Rule, values: Parameter): void {
  const list = typeof values === "number" ? [values] : values;
  for (let i = 0; i < list.length; i++) if (!holds(list[i])) throw new StridewiseError(`${who}: ${sentence(list[i])}`);
}

/** Lets `fill` write the elements of a tensor in row-major order, as floats. */
export function fillFloats(t: Tensor, who: string, fill: (target: Floats) => void): void {
  const isFloat = t.dtype === "float32" || t.dtype === "float64";
  const isDense = isFloat && t.isContiguous();
  // Integers of 32 bits and more need the wider float.
  const wide = isFloat ? t.dtype : t.itemsize > 2 ? "float64" : "float32";
  const dense = isDense ? t : fresh(wide, sizesOf(t));
  if (t.size === 0) return;
  fill(elementsIn(dense, who, true) as Floats);
  if (!isDense) copyAll(dense, t, who);
}

/** Fills a tensor from a distribution; parameters are checked before anything is drawn or written. */
function draw(
  who: string,
  t: Tensor,
  { parameters, rules = {}, instead = {}, fill }: Distribution,
  given: Given,
): void {
  const shape = sizesOf(t);
  const dense = parameters.map((name) => {
    const value = (given[name] ?? given[instead[name]]) as Argument;
    if (value instanceof Tensor) {
      const one = denseOf(expand(value, shape), null, "float64");
      return mayMeet(t, one) ? clone(one) : one;
    }
    if (typeof value === "number") return value;
    throw new StridewiseError(`${who}: ${name} is a number or a tensor, got ${describeValue(value)}`);
  });
  const values = (): Parameter[] =>
    dense.map((one) => (one instanceof Tensor ? (elementsIn(one, who) as Float64Array) : one));
  for (const [k, value] of values().entries()) {
    const rule = rules[parameters[k]];
    if (rule !== undefined) checkRule(who, rule, value);
  }
  const next = nextDraw(given.generator);
  fillFloats(t, who, (target) =>
    fill(target, next, ...([...values(), 0, target.length, significantBits[t.dtype] ?? 24] as never[])),
  );
}

function checkFault(who: string, { fault, parameters }: Distribution, given: Given): void {
  const text = fault?.(...parameters.map((name) => given[name] as never)) ?? null;
  if (text !== null) throw new StridewiseError(`${who}: ${text}`);
}

/** The op that fills a tensor, which is given back; complex numbers are filled if `fillComplex` says how. */
export function drawInPlace<F extends OpFunction>(
  distribution: Distribution,
  fillComplex?: (parts: Tensor, given: Given, who: string) => void,
): F {
  const signature = parseSignature(withGenerator(distribution.signature));
  const { name } = signature;
  const read = (args: readonly unknown[]): { x: Tensor; given: Given } => {
    const { values, out } = readArguments(signature, args);
    if (out !== null) throw new StridewiseError(`${name}: there is no option out, the tensor itself is filled`);
    const x = values.x as Tensor;
    checkTensor(name, x);
    checkWritable(x, name);
    checkNoOverlap(x, name);
    const isComplex = isComplexDType(x.dtype) && fillComplex !== undefined;
    if (!isComplex) checkDType(name, x.dtype, distribution.kinds);
    checkFault(name, distribution, values);
    return { x, given: values };
  };
  const kernels = {
    cpu(...args: unknown[]) {
      const { x, given } = read(args);
      if (isComplexDType(x.dtype) && fillComplex !== undefined) fillComplex(viewAsReal(x), given, name);
      else draw(name, x, distribution, given);
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

/** The op that gives a new tensor, of the common shape of the parameters and the dtype of the first that is a tensor. */
export function drawNew<F extends OpFunction>(distribution: Distribution): F {
  const signature = withGenerator(distribution.signature);
  const { name } = parseSignature(signature);
  return routineOp<F, Given>(
    signature,
    (given): Result => {
      const { out: _, ...values } = given;
      const tensors = Object.values(values).filter((one) => one instanceof Tensor);
      for (const t of tensors) checkDType(name, t.dtype);
      checkFault(name, distribution, given);
      const shape = tensors.reduce<Sizes>((all, t) => broadcastSizes(name, all, shapeOf(t)), []);
      return { dtype: tensors[0].dtype, shape, names: unifyNames(name, ...tensors) };
    },
    ([result], given) => draw(name, result, distribution, given),
    { random: "values", linear: distribution.linear },
  );
}

/** Fills the parts of a tensor of complex numbers, seen as pairs. */
export function fillParts(parts: Tensor, given: Given, who: string, fill: Distribution["fill"]): void {
  const next = nextDraw(given.generator);
  fillFloats(parts, who, (target) => fill(target, next));
}
