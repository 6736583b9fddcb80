/** printLayout and printLatex give the text that CuTe (C++) prints for the same layouts. */
import { expect, test } from "vitest";
import { sym } from "../expr/index.ts";
import { makeLayout } from "../layout/index.ts";
import { parseLayout } from "../layout/notation.ts";
import { printLatex, printLayout } from "./print-layout.ts";

test("a nested layout", () => {
  expect(printLayout(parseLayout("(_3,(_2,_3)):(_3,(_12,_1))"))).toBe(
    `(_3,(_2,_3)):(_3,(_12,_1))
       0    1    2    3    4    5${" "}
    +----+----+----+----+----+----+
 0  |  0 | 12 |  1 | 13 |  2 | 14 |
    +----+----+----+----+----+----+
 1  |  3 | 15 |  4 | 16 |  5 | 17 |
    +----+----+----+----+----+----+
 2  |  6 | 18 |  7 | 19 |  8 | 20 |
    +----+----+----+----+----+----+
`,
  );
});

test("a swizzled layout", () => {
  expect(printLayout(parseLayout("Sw<2,0,2> o _0 o (_4,_4):(_4,_1)"))).toBe(
    `Sw<2,0,2> o _0 o (_4,_4):(_4,_1)
       0    1    2    3${" "}
    +----+----+----+----+
 0  |  0 |  1 |  2 |  3 |
    +----+----+----+----+
 1  |  5 |  4 |  7 |  6 |
    +----+----+----+----+
 2  | 10 | 11 |  8 |  9 |
    +----+----+----+----+
 3  | 15 | 14 | 13 | 12 |
    +----+----+----+----+
`,
  );
});

test("offsets of one digit", () => {
  expect(printLayout(parseLayout("(2,(2,2)):(4,(2,1))"))).toBe(
    `(2,(2,2)):(4,(2,1))
      0   1   2   3${" "}
    +---+---+---+---+
 0  | 0 | 2 | 1 | 3 |
    +---+---+---+---+
 1  | 4 | 6 | 5 | 7 |
    +---+---+---+---+
`,
  );
});

test("cells are as wide as the cosize, so ten offsets take two places", () => {
  expect(printLayout(makeLayout([2, 5]))).toContain(" 0  |  0 |  2 |  4 |  6 |  8 |");
});

test("a minus sign gets no place of its own, as in CuTe", () => {
  expect(printLayout(parseLayout("(2,2):(-1,-4)"))).toContain(" 1  | -1 | -5 |\n    +---+---+\n");
});

test("the cells of a swizzled layout are as wide as its largest offset", () => {
  expect(printLayout(parseLayout("Sw<2,0,2> o 0 o (2,2):(4,1)"))).toContain(" 1  | 5 | 4 |\n");
  expect(printLayout(parseLayout("Sw<1,3,1> o 16 o (1,2):(1,1)"))).toContain(" 0  | 24 | 25 |\n");
});

test("the TikZ document", () => {
  expect(printLatex(parseLayout("(_2,_2):(_1,_2)"))).toBe(
    String.raw`% Layout: (_2,_2):(_1,_2)
\documentclass[convert]{standalone}
\usepackage{tikz}

\begin{document}
\begin{tikzpicture}[x={(0cm,-1cm)},y={(1cm,0cm)},every node/.style={minimum size=1cm, outer sep=0pt}]

\node[fill=black!00] at (0,0) {0};
\node[fill=black!20] at (0,1) {2};
\node[fill=black!40] at (1,0) {1};
\node[fill=black!60] at (1,1) {3};
\draw[color=black,thick,shift={(-0.5,-0.5)}] (0,0) grid (2,2);

\node at (0,-1) {\Large{\texttt{0}}};
\node at (1,-1) {\Large{\texttt{1}}};
\node at (-1,0) {\Large{\texttt{0}}};
\node at (-1,1) {\Large{\texttt{1}}};
\end{tikzpicture}
\end{document}
`,
  );
  expect(printLatex(makeLayout(3))).toContain("\\node[fill=black!20] at (2,0) {2};");
});

test("other ranks and symbols are refused", () => {
  expect(() => printLayout(makeLayout(5))).toThrow("printLayout: needs a layout of rank 2, got 5:_1 of rank 1");
  expect(() => printLatex(makeLayout([2, 2, 2]))).toThrow("needs a layout of rank 2");
  expect(() => printLayout(makeLayout([sym("n", { min: 1 }), 4]))).toThrow("printLayout: n is symbolic");
});
