/**
 * Records that are C++ expressions or programs, with what they print. Printed notation is compared exactly, then without
 * the marks of static integers, then as the same function.
 */
import { StridewiseError } from "../../src/base/errors.ts";
import {
  composition,
  formatTuple,
  type Int,
  type IntTuple,
  isBasis,
  type Layout,
  leaves,
  makeIdentityLayout,
  makeLayout,
  offsets,
  type StrideLeaf,
  shapeOf,
  size,
} from "../../src/layout/index.ts";
import { parseLayout, parseTuple } from "../../src/layout/notation.ts";
import { judgeAlgorithm } from "./cpp-algorithms.ts";
import { evaluateCpp, UnknownNameError } from "./cpp-evaluate.ts";
import { functions, methods, types } from "./cpp-names.ts";
import { CppSyntaxError } from "./cpp-parse.ts";
import { MissingError } from "./draw-module.ts";
import { failed, passed, skipped, type Verdict } from "./judge.ts";
import { knownExpression } from "./known-differences.ts";
import { hasSameModes, type Tuple } from "./plain.ts";
import type { Fields } from "./records.ts";
import { encode, type Value } from "./values.ts";

type Output =
  | { readonly kind: "printed"; readonly text: string }
  | { readonly kind: "refused"; readonly text: string }
  | { readonly kind: "skipped"; readonly text: string };

/** `PROJ Step<...>{} on tiler (...), coord (...)`: what a projection of local_tile leaves of a matrix, k for the tiles that remain. */
const projection = /^PROJ (Step<.*>\{\}) on tiler \((.*)\), coord \((.*)\)$/;

function projectedShape([, step, tiler, coord]: RegExpExecArray): string {
  const matrix = "make_tensor(counting_iterator<int>{0},make_shape(64,128))";
  const coordText = (coord as string).replaceAll(/[mn]/g, "0");
  const tile = `local_tile(${matrix},make_shape(${tiler}),make_coord(${coordText}),${step})`;
  return evaluateCpp(`SHAPE(${tile}.layout())`).replaceAll(/(?<![_\d])\d+/g, "k");
}

function run(text: string): Output {
  try {
    const projected = projection.exec(text);
    if (projected) return { kind: "printed", text: projectedShape(projected) };
    const modulo = /^MOD (\(.*\)) % (\d+)$/.exec(text);
    return { kind: "printed", text: modulo ? shapeModulo(modulo[1] as string, Number(modulo[2])) : evaluateCpp(text) };
  } catch (error) {
    if (error instanceof UnknownNameError)
      return { kind: "skipped", text: `C++ name ${unknownNames(text)[0] ?? error.unknown}` };
    if (error instanceof CppSyntaxError)
      return {
        kind: "skipped",
        text: `C++ program with ${unknownNames(text).slice(0, 2).join(", ") || "other syntax"}`,
      };
    if (error instanceof MissingError) return { kind: "skipped", text: error.message };
    if (error instanceof StridewiseError) return { kind: "refused", text: `${error.name}: ${error.message}` };
    throw error;
  }
}

/** The called names of a text that no table has: what a program outside the notation is about. */
function unknownNames(text: string): string[] {
  const names = [...text.matchAll(/\b([A-Za-z_]\w*)\s*[<(]/g)].map((match) => match[1] as string);
  const unknown = names.filter(
    (name) => !(name in functions) && !(name in types) && !(name in methods) && !/^(for|decltype|return|i)$/.test(name),
  );
  return [...new Set(unknown)];
}

/** shape % n, the shape of the first n coordinates: what the first n indices reach in every mode of the identity. */
function shapeModulo(text: string, n: number): string {
  const shape = parseTuple(text) as readonly IntTuple[];
  const first: Layout = composition(makeIdentityLayout(shape), makeLayout(n, 1));
  const sizes = leaves<Int>(first.shape as Int);
  const paths = leaves<StrideLeaf>(first.stride as StrideLeaf).map((d) => (isBasis(d) ? (d.path[0] as number) : 0));
  return formatTuple(
    shape.map((_mode, i) => sizes.reduce<number>((s, part, k) => (paths[k] === i ? s * size(part as never) : s), 1)),
  );
}

const withoutMarks = (text: string): string => text.replaceAll(/_(?=-?\d)/g, "");
const withoutSpace = (text: string): string => text.replaceAll(/[ \t]+$/gm, "").trimEnd();

/** The pieces that a program prints one after another. */
const pieces = (text: string): string[] => text.split(/ @| \| | ; /);

/** The same layout as a function, or the same text without marks. */
function isSamePiece(a: string, b: string): boolean {
  if (withoutMarks(a) === withoutMarks(b)) return true;
  try {
    const [x, y] = [parseLayout(a), parseLayout(b)];
    const areAlike = hasSameModes(encode(shapeOf(x) as Value) as Tuple, encode(shapeOf(y) as Value) as Tuple);
    return areAlike && JSON.stringify(offsets(x)) === JSON.stringify(offsets(y));
  } catch (error) {
    if (error instanceof StridewiseError) return false;
    throw error;
  }
}

function compare(expected: string, ours: string): Verdict | undefined {
  if (ours.trimEnd() === expected.trimEnd()) return passed("equal");
  if (withoutMarks(withoutSpace(ours)) === withoutMarks(withoutSpace(expected)))
    return passed("equal but for static marks or trailing spaces");
  const [theirs, mine] = [pieces(expected), pieces(ours)];
  return theirs.length === mine.length && theirs.every((piece, i) => isSamePiece(piece, mine[i] as string))
    ? passed("the same function in a different form")
    : undefined;
}

/** {id, expr, code?, output | error} and {id, expr, expected, actual_cpp}: the text of the program is `code`, else `expr`. */
export function judgeExpression(fields: Fields): Verdict {
  const text = String(fields.code ?? fields.expr);
  const recorded = fields.output ?? fields.actual_cpp ?? fields.expected;
  const algorithm = judgeAlgorithm(text, typeof recorded === "string" ? recorded : undefined);
  if (algorithm !== undefined) return algorithm;
  const ours = run(text);
  if (ours.kind === "skipped") return skipped(ours.text);
  if (fields.error === true || typeof recorded !== "string") {
    if (ours.kind === "refused") return passed("refused too");
    return knownExpression(text, ours.text) ?? failed("a refusal", ours.text);
  }
  if (ours.kind === "refused") return failed(recorded, `refused (${ours.text})`);
  return compare(recorded, ours.text) ?? knownExpression(text, ours.text) ?? failed(recorded, ours.text);
}
