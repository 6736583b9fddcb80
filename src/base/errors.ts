/**
 * The errors that Stridewise throws, one named class per kind of mistake.
 * A message names the function, the broken rule, the values and a remedy. `InternalError` reports a bug of this library.
 * The class name is a string, so that it survives minification.
 */

/** The base class of all errors of this library. */
export class StridewiseError extends Error {
  override readonly name: string = "StridewiseError";

  /** A stable code for programs, from the name of the class: "ERR_SHAPE" of a ShapeError. */
  get code(): string {
    return `ERR_${this.name
      .slice(0, -"Error".length)
      .replace(/([a-z])([A-Z])/g, "$1_$2")
      .toUpperCase()}`;
  }
}

/** Rewords an error of this library, so that it names `who`, the function that the user called. Returns other errors unchanged. */
export function renamed(who: string, error: unknown): unknown {
  if (!(error instanceof StridewiseError) || error.message.startsWith(`${who}: `)) return error;
  const { message, stack = "" } = error;
  error.message = `${who}: ${message.replace(/^[\w.]+: /, "")}`;
  error.stack = stack.replace(message, () => error.message);
  return error;
}

/** Returns the result of `run`, which computes for the function `who`: an error of this library in it names `who`. */
export function named<T>(who: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw renamed(who, error);
  }
}

/** Returns the result of `run`, which reads, writes or allocates memory for the function `who`: a StorageError or OverflowError in it names `who`. */
export function namedAccess<T>(who: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof StorageError || error instanceof OverflowError ? renamed(who, error) : error;
  }
}

/** Shapes that are invalid for the operation. */
export class ShapeError extends StridewiseError {
  override readonly name = "ShapeError";
}

/** An index or an axis that does not exist. */
export class IndexError extends StridewiseError {
  override readonly name = "IndexError";
}

/** The reason why an operation has no result: the broken rule, and the numbers that break it. */
export interface Refusal {
  readonly operation: string;
  readonly rule: string;
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** An operation on layouts that has no result; `detail` holds the modes and numbers that break the rule. */
export class LayoutError extends StridewiseError {
  override readonly name = "LayoutError";
  declare readonly detail: Refusal | undefined;

  constructor(message: string, detail?: Refusal) {
    super(message);
    this.detail = detail;
  }
}

/** An integer expression that has no value: division by zero, a symbol without a value, a broken assumption. */
export class ExprError extends StridewiseError {
  override readonly name = "ExprError";
}

/** A result larger than 2^53 - 1, where numbers are no longer exact integers. */
export class OverflowError extends StridewiseError {
  override readonly name = "OverflowError";
}

/** Text that does not parse; the message shows the text with a caret under `position`. */
export class ParseError extends StridewiseError {
  override readonly name = "ParseError";
  declare readonly text: string;
  /** Offset into `text`, from 0 to its length. */
  declare readonly position: number;

  constructor(message: string, text: string, position: number) {
    const start = text.lastIndexOf("\n", position - 1) + 1;
    const line = text.slice(start).split("\n", 1)[0];
    // Only the part of a long line around the position is shown.
    const at = position - start;
    const from = Math.max(0, at - 60);
    const shown = `${from > 0 ? "…" : ""}${line.slice(from, at + 60)}${line.length > at + 60 ? "…" : ""}`;
    super(`${message}\n  ${shown}\n  ${" ".repeat(at - from + (from > 0 ? 1 : 0))}^`);
    this.text = text;
    this.position = position;
  }
}

/** A bug of this library. */
export class InternalError extends StridewiseError {
  override readonly name = "InternalError";

  constructor(message: string) {
    super(`${message}. This is a bug in stridewise: please report it with the code that led here.`);
  }
}

/** An invalid operation on a storage, pointer or buffer. */
export class StorageError extends StridewiseError {
  override readonly name = "StorageError";
}

/** A write that is not allowed: to a const view, a constant, elements that share an address, or an engine that only computes. */
export class WriteError extends StridewiseError {
  override readonly name = "WriteError";
}
