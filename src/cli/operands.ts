/**
 * The kinds of operands: how each is read from its text. Notation errors keep their place in the text.
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
import { UsageError } from "./usage-error.ts";

/** One operand of a command. */
export interface Operand<T = unknown> {
  /** As usage shows it. */
  readonly name: string;
  readonly about: string;
  readonly read: (text: string, notation: NotationOptions) => T;
  /** The least value of symbols in it of which nothing is said. */
  readonly least: number;
  readonly optional?: true;
}

/** The same operand, which may be left out. */
export const optional = <T>(operand: Operand<T>): Operand<T | undefined> => ({ ...operand, optional: true });

/** A layout, swizzled or not; a shape alone is column-major. */
export const layout = (name: string, about = "a layout; a shape alone is column-major"): Operand<AnyLayout> => ({
  name,
  about,
  least: 1,
  read: (text, notation) => parseLayout(text, notation),
});

/** A layout without a swizzle. */
export const plainLayout = (name: string, about: string): Operand<Layout> => ({
  name,
  about,
  least: 1,
  read: (text, notation) => requirePlain(text, parseLayout(text, notation)),
});

/** Refuses a swizzled layout where only strides make sense. */
export function requirePlain(text: string, found: AnyLayout): Layout {
  if (isComposed(found)) throw new UsageError(`${text} is swizzled; a layout of a shape and strides is needed here.`);
  return found;
}

/** The left side of a composition: a layout or a bare swizzle. */
export const layoutOrSwizzle = (name: string, about: string): Operand<AnyLayout | Swizzle> => ({
  name,
  about,
  least: 1,
  read: (text, notation) => (/^\s*Sw\s*<[^>]*>\s*$/.test(text) ? parseSwizzle(text) : parseLayout(text, notation)),
});

const isSwizzled = (text: string): boolean => /^\s*Sw/.test(text);

export const tilerAbout = "a layout n:d, an integer, or mode by mode: <4:1,8>, (4,8); _ leaves a mode as it is";

/** A tiler: a layout, an integer, or one tiler for each mode. */
export const tiler = (name: string, about = tilerAbout): Operand<Tiler> => ({
  name,
  about,
  least: 1,
  read: (text, notation) => parseTiler(text, notation),
});

/** A tiler or a swizzled layout. */
export const tilerOrSwizzled = (name: string, about = tilerAbout): Operand<Tiler | AnyLayout> => ({
  name,
  about,
  least: 1,
  read: (text, notation) => (isSwizzled(text) ? parseLayout : parseTiler)(text, notation),
});

/** A text that its command reads by itself, once it knows its options. */
export const raw = (name: string, about: string): Operand<readonly [text: string, notation: NotationOptions]> => ({
  name,
  about,
  least: 1,
  read: (text, notation) => [text, notation],
});

/** A word as it stands. */
export const word = (name: string, about: string): Operand<string> => ({
  name,
  about,
  least: 1,
  read: (text) => text,
});

export const shape = (name: string, about: string): Operand<IntTuple> => ({
  name,
  about,
  least: 1,
  read: (text, notation) => parseTuple(text, notation),
});

/** A coordinate, in which `_` may stand for all of a mode. */
export const coord = (name: string, about: string): Operand<SliceCoord> => ({
  name,
  about,
  least: 0,
  read: (text, notation) => parseCoord(text, notation),
});

/** A plain integer from 1 up. */
export const count = (name: string, about: string): Operand<number> => ({
  name,
  about,
  least: 1,
  read: (text) => {
    const value = Number(text);
    if (!/^\s*\d+\s*$/.test(text) || !Number.isSafeInteger(value) || value < 1)
      throw new ParseError(`${name} is an integer from 1 up`, text, 0);
    return value;
  },
});
