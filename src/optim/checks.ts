/**
 * Checks of what users give to optimisers and schedules. Each refusal names the class, the option, its value and what it may be.
 */
import { StridewiseError, Tensor } from "../index.ts";

/** An optimiser, a schedule or a clipping function was given something it cannot work with. */
export class OptimError extends StridewiseError {
  override readonly name: string = "OptimError";
}

/** What was given, in a few words. */
export function told(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "function") return "a function";
  if (value instanceof Promise) return "a promise. Await it first";
  if (Symbol.for("stridewise.tensor") in Object(value) && !(value instanceof Tensor))
    return "a tensor that comes from another copy of stridewise (see npm ls stridewise)";
  if (value instanceof Tensor)
    return value.isDisposed ? "a tensor that was disposed" : `a tensor of shape [${value.shape}]`;
  if (Array.isArray(value)) return `[${value.map(told).join(", ")}]`;
  return typeof value === "object" && value !== null ? `{ ${Object.keys(value).join(", ")} }` : String(value);
}

/** Where a number may lie. */
export interface Bounds {
  /** The least value that is allowed; 0 unless given. */
  readonly least?: number;
  /** The greatest value that is allowed. */
  readonly most?: number;
  /** Every value must be smaller. */
  readonly below?: number;
  readonly integer?: boolean;
}

/** Refuses what is no number within the bounds; NaN never is, and infinity is none either. */
export function checkNumber(who: string, name: string, value: unknown, bounds: Bounds = {}): void {
  const { least = 0, most = Infinity, below = Infinity, integer = false } = bounds;
  const fits = typeof value === "number" && Number.isFinite(value) && value >= least && value <= most && value < below;
  if (fits && (!integer || Number.isInteger(value))) return;
  const upTo = below < Infinity ? ` and below ${below}` : "";
  const end = most < Infinity ? ` to ${most}` : upTo;
  const start = least > -Infinity ? ` from ${least}` : "";
  throw new OptimError(
    `${who}: ${name} is ${integer ? "an integer" : "a number"}${start}${end}, got ${told(value)}${value === undefined ? `. Give it by name: { ${name} }` : ""}`,
  );
}

/** Refuses two decay rates that are not both from 0 and below 1. */
export function checkBetas(who: string, betas: readonly [number, number]): void {
  if (!Array.isArray(betas) || betas.length !== 2)
    throw new OptimError(`${who}: betas are two numbers, as in [0.9, 0.999], got ${told(betas)}`);
  checkNumber(who, "betas[0]", betas[0], { below: 1 });
  checkNumber(who, "betas[1]", betas[1], { below: 1 });
}

/** What was given where tensors are expected, and how to come by them. */
export function given(value: unknown): string {
  if (value instanceof Tensor) return "one tensor. Write [w]";
  if (typeof value === "function") return "a function. Call it: model.parameters()";
  const isModel = typeof (value as { parameters?: unknown } | null)?.parameters === "function";
  if (isModel) return `${(value as object).constructor.name}. Write model.parameters()`;
  return Array.isArray(value) ? "a list. Write model.parameters()" : told(value);
}

/** Refuses options by names that are not known, which would do nothing, and what is no record of options. */
export function checkNames(who: string, options: unknown, known: object): void {
  if (options !== undefined && (typeof options !== "object" || options === null))
    throw new OptimError(`${who}: options are given by name, as in { lr: 0.01 }, got ${told(options)}`);
  for (const name of Object.keys(options ?? {}))
    if (!Object.hasOwn(known, name))
      throw new OptimError(`${who}: there is no option ${name}; the options are ${Object.keys(known).join(", ")}`);
}
