/**
 * Checks of the arguments of optimizers and schedules. Errors name the class, the option, its value and the valid values.
 */
import { StridewiseError, Tensor } from "../index.ts";

/** The error of an invalid argument of an optimizer, a schedule or a clipping function. */
export class OptimError extends StridewiseError {
  override readonly name: string = "OptimError";
}

/** Describes a value in a few words. */
export function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "function") return "a function";
  if (value instanceof Promise) return "a promise. Await it first";
  if (Symbol.for("stridewise.tensor") in Object(value) && !(value instanceof Tensor))
    return "a tensor that comes from another copy of stridewise (see npm ls stridewise)";
  if (value instanceof Tensor)
    return value.isDisposed ? "a tensor that was disposed" : `a tensor of shape [${value.shape}]`;
  if (Array.isArray(value)) return `[${value.map(shown).join(", ")}]`;
  if (typeof value !== "object" || value === null) return String(value);
  return Object.keys(value).length === 0 ? "{}" : `{ ${Object.keys(value).join(", ")} }`;
}

/** The valid range of a number. */
export interface Bounds {
  /** The smallest valid value. Default: 0. */
  readonly min?: number;
  /** The largest valid value. */
  readonly max?: number;
  /** An exclusive upper bound. */
  readonly below?: number;
  readonly integer?: boolean;
}

/** Throws unless the value is a finite number within the bounds. `remedy` completes the message for an omitted value. */
export function checkNumber(
  who: string,
  name: string,
  value: unknown,
  bounds: Bounds = {},
  remedy = `Pass it by name: { ${name} }`,
): void {
  const { min = 0, max = Infinity, below = Infinity, integer = false } = bounds;
  const fits = typeof value === "number" && Number.isFinite(value) && value >= min && value <= max && value < below;
  if (fits && (!integer || Number.isInteger(value))) return;
  throw new OptimError(
    `${who}: ${name} must be ${describeBounds(bounds)}, got ${shown(value)}${value === undefined ? `. ${remedy}` : ""}`,
  );
}

function describeBounds({ min = 0, max = Infinity, below = Infinity, integer = false }: Bounds): string {
  const noun = integer ? "integer" : "number";
  const article = integer ? "an" : "a";
  if (below < Infinity) return `${article} ${noun} in [${min}, ${below})`;
  if (max < Infinity) return `${article} ${noun} from ${min} to ${max}`;
  if (min === 0) return `a non-negative ${noun}`;
  if (min === 1 && integer) return "a positive integer";
  return min === -Infinity ? `${article} ${noun}` : `${article} ${noun} of at least ${min}`;
}

/** Throws unless both decay rates are in [0, 1). */
export function checkBetas(who: string, betas: readonly [number, number]): void {
  if (!Array.isArray(betas) || betas.length !== 2)
    throw new OptimError(`${who}: betas must be two numbers, as in [0.9, 0.999], got ${shown(betas)}`);
  checkNumber(who, "betas[0]", betas[0], { below: 1 });
  checkNumber(who, "betas[1]", betas[1], { below: 1 });
}

/** Describes a value where tensors are expected, and how to get them from it. */
export function describeParams(value: unknown): string {
  if (value instanceof Tensor) return "one tensor. Write [w]";
  if (typeof value === "function") return "a function. Call it: model.parameters()";
  const isModel = typeof (value as { parameters?: unknown } | null)?.parameters === "function";
  if (isModel) return `${(value as object).constructor.name}. Write model.parameters()`;
  return Array.isArray(value) ? "a list. Write model.parameters()" : shown(value);
}

/** Throws unless the options are an object with known names only. Others would be ignored silently. */
export function checkNames(who: string, options: unknown, known: object): void {
  if (options !== undefined && (typeof options !== "object" || options === null))
    throw new OptimError(`${who}: options must be an object, such as { lr: 0.01 }, got ${shown(options)}`);
  for (const name of Object.keys(options ?? {}))
    if (!Object.hasOwn(known, name))
      throw new OptimError(`${who}: there is no option ${name}; the options are ${Object.keys(known).join(", ")}`);
}
