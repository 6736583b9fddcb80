/**
 * Commands of the layout algebra on whole layouts.
 */
import { explain } from "../../layout/explain.ts";
import {
  coalesce,
  complement,
  composition,
  filter,
  leftInverse,
  recastLayout,
  rightInverse,
} from "../../layout/index.ts";
import { type Command, command } from "../command.ts";
import { count, layout, layoutOrSwizzle, optional, shape, tilerOrSwizzled } from "../operands.ts";
import { layoutOutcome } from "./answer.ts";

export const algebraCommands: readonly Command[] = [
  command({
    name: "compose",
    operands: [layoutOrSwizzle("A", "a layout, or a swizzle Sw<bits,base,shift>"), tilerOrSwizzled("B")],
    summary: "compose A after B: the layout that maps c to A(B(c))",
    details: ["As in CuTe, a shape alone for B applies mode by mode; with strides, (4,8):(1,4), it is one layout."],
    examples: [
      { line: "compose '(6,2):(8,2)' '(4,3):(3,1)'", about: "one layout after another" },
      { line: "compose '(12,(4,8)):(59,(13,1))' '<3:4,8:2>'", about: "mode by mode" },
      { line: "compose 'Sw<2,0,2>' '(4,4):(4,1)'", about: "a swizzle over a layout" },
    ],
    run: ([a, b], _options, { operands }) => {
      const { lines, ...outcome } = layoutOutcome(composition(a, b));
      return { lines: [...lines, `A = ${operands[0]}`, `B = ${operands[1]}`], ...outcome };
    },
    explain: ([a, b]) => explain("composition", a, b),
  }),
  command({
    name: "complement",
    operands: [layout("A"), optional(shape("M", "the size or shape to fill (default: the cosize of A)"))],
    summary: "compute the layout of the copies of A that fill M",
    examples: [
      { line: "complement '4:2' 24", about: "the copies of 4:2 that fill 24 offsets" },
      { line: "complement '(2,4):(1,6)'", about: "up to the cosize" },
    ],
    run: ([a, m]) => layoutOutcome(complement(a, m)),
    explain: ([a, m]) => explain("complement", a, ...(m === undefined ? [] : [m])),
  }),
  command({
    name: "inverse",
    operands: [layout("A")],
    summary: "compute the right inverse: the layout R with A(R(i)) = i, as far as A is contiguous",
    options: { left: { about: "compute the left inverse, from offsets to indices: L(A(i)) = i if A is injective" } },
    examples: [
      { line: "inverse '(4,8):(8,1)'", about: "the inverse of a row-major layout" },
      { line: "inverse '(4,8):(1,5)' --left", about: "the left inverse of a layout with gaps" },
    ],
    run: ([a], options) => layoutOutcome(options.has("left") ? leftInverse(a) : rightInverse(a)),
    explain: ([a], options) => (options.has("left") ? explain("leftInverse", a) : explain("rightInverse", a)),
  }),
  command({
    name: "coalesce",
    operands: [layout("A")],
    summary: "write the same function with as few modes as possible",
    examples: [{ line: "coalesce '(2,(1,6)):(1,(6,2))'", about: "three modes become one" }],
    run: ([a]) => layoutOutcome(coalesce(a)),
  }),
  command({
    name: "filter",
    operands: [layout("A")],
    summary: "remove modes of stride 0 or size 1; the set of offsets stays the same",
    examples: [{ line: "filter '(2,4,8):(4,0,1)'", about: "remove a broadcast mode" }],
    run: ([a]) => layoutOutcome(filter(a)),
  }),
  command({
    name: "recast",
    operands: [
      layout("A"),
      count("FROMBITS", "the width of an element of A, in bits"),
      count("TOBITS", "the width of an element of the result, in bits"),
    ],
    summary: "view the same memory as elements of a different width",
    examples: [
      { line: "recast '(4,8):(8,1)' 16 32", about: "16-bit elements as 32-bit elements" },
      { line: "recast '(4,8):(8,1)' 16 8", about: "16-bit elements as bytes" },
    ],
    run: ([a, from, to]) => layoutOutcome(recastLayout(a, from, to)),
  }),
];
