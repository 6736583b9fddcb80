/**
 * The kinds of operands and how each is parsed. Parse errors point at the character in the text.
 */
import { ParseError } from "../base/errors.ts";
import {
  type AnyLayout,
  type IntTuple,
  isComposed,
  type Layout,
  type SliceCoord,
  type Swizzle,
  type Tiler,
} from "../layout/index.ts";
import {
  type NotationOptions,
  parseCoord,
  parseLayout,
  parseSwizzle,
  parseTiler,
  parseTuple,
} from "../layout/notation.ts";
import { UsageError } from "./arguments.ts";

/** One operand of a command. */
export interface CliOperand<T = unknown> {
  /** The name in usage lines. */
  readonly name: string;
  readonly about: string;
  readonly read: (text: string, notation: NotationOptions) => T;
  /** The smallest value of its symbols that --where does not mention. */
  readonly min: number;
  readonly optional?: true;
}

/** Defines a kind of operand: how it is parsed, and its description unless a command has another. */
const makeOperand =
  <T>(parse: (text: string, notation: NotationOptions, name: string) => T, usualAbout = "", min = 1) =>
  (name: string, about = usualAbout): CliOperand<T> => ({
    name,
    about,
    min,
    read: (text, notation) => parse(text, notation, name),
  });

/** Makes an operand optional. */
export const optional = <T>(operand: CliOperand<T>): CliOperand<T | undefined> => ({ ...operand, optional: true });

/** A layout, swizzled or not; a shape alone is column-major. */
export const layout = makeOperand<AnyLayout>(
  (text, notation) => parseLayout(text, notation),
  "a layout; a shape alone is column-major",
);

/** A layout without a swizzle. */
export const plainLayout = makeOperand((text, notation) => requirePlain(text, parseLayout(text, notation)));

/** Throws for a swizzled layout where strides are needed. */
export function requirePlain(text: string, parsed: AnyLayout): Layout {
  if (isComposed(parsed)) throw new UsageError(`${text} is swizzled. A layout of a shape and strides is needed here.`);
  return parsed;
}

/** The left operand of a composition: a layout or a bare swizzle. */
export const layoutOrSwizzle = makeOperand<AnyLayout | Swizzle>((text, notation) =>
  /^\s*Sw\s*<[^>]*>\s*$/.test(text) ? parseSwizzle(text) : parseLayout(text, notation),
);

const tilerAbout = "a layout n:d, an integer, or one tiler per mode: <4:1,8>, (4,8); _ keeps a mode as it is";

/** A tiler: a layout, an integer, or one tiler for each mode. */
export const tiler = makeOperand<Tiler>((text, notation) => parseTiler(text, notation), tilerAbout);

/** A tiler or a swizzled layout. */
export const tilerOrSwizzled = makeOperand<Tiler | AnyLayout>(
  (text, notation) => (/^\s*Sw/.test(text) ? parseLayout : parseTiler)(text, notation),
  tilerAbout,
);

/** Unparsed text, for commands whose options decide how to parse it. */
export const raw = makeOperand((text, notation): readonly [text: string, notation: NotationOptions] => [
  text,
  notation,
]);

/** A word, unparsed. */
export const word = makeOperand((text) => text);

export const shape = makeOperand<IntTuple>((text, notation) => parseTuple(text, notation));

/** A coordinate; `_` selects all of a mode. */
export const coord = makeOperand<SliceCoord>((text, notation) => parseCoord(text, notation), "", 0);

/** A positive integer. */
export const count = makeOperand((text, _notation, name) => {
  const value = Number(text);
  if (!/^\s*\d+\s*$/.test(text) || !Number.isSafeInteger(value) || value < 1)
    throw new ParseError(`${name} must be a positive integer`, text, 0);
  return value;
});
