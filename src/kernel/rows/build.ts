/**
 * The kernel that computes all phases of a row and then its outputs before it starts the next row, so that a row that fits in the cache is
 * read from memory once.
 *
 * Units are blocks of rows. Terms are combined in the order of `../reduce/build.ts`: the outer modes of a row are walked, and the innermost
 * one is a vector loop over segments. `../program/lower-rows.ts` passes the sizes.
 *
 * Rows in memory are prefetched: the pass that computes most also loads the next row, and drops it, so that it is in the cache when its turn
 * comes. Otherwise the first pass, which computes little, would wait for memory that the other passes leave idle.
 */
import { constant, type Expr } from "../../expr/expr.ts";
import type { Kernel, SizeParameter, Statement } from "../ir/kernel.ts";
import { constantScalar, loadScalar, namedScalar, parameterScalar, type Scalar } from "../ir/scalar.ts";
import { blockedLoop, letStatement, loop, store, suffixed, walk } from "../ir/statements.ts";
import { loopSymbol, offsetSymbol, sizeFrom, sizeSymbol } from "../ir/symbols.ts";
import { lanesFor } from "../map/spec.ts";
import { classText, stepped, steppedSizes } from "../plan/step-classes.ts";
import { phaseLoops } from "../reduce/phase.ts";
import type { EarlierPhase } from "../reduce/spec.ts";
import type { RowSpec } from "./spec.ts";

const sizes: readonly SizeParameter[] = [
  sizeFrom("rows", 0),
  sizeFrom("block", 1),
  sizeFrom("n", 0),
  sizeFrom("rounds", 0),
];

/**
 * Returns the kernel of a spec. `classes` are the step classes of its operands, outputs first, in the innermost mode of a row; `isAhead` is
 * true if it prefetches.
 */
export function buildRows(spec: RowSpec, classes: number, isAhead: boolean): Kernel {
  const names = [...spec.outputs.map((_, k) => `out${k}`), ...spec.inputs.map((_, k) => `x${k}`)];
  const types = [...spec.outputs, ...spec.inputs];
  const outputs = spec.outputs.length;
  const [rows, block, n, rounds] = sizes.map(sizeSymbol);
  const o = loopSymbol("o");
  const scalars = spec.scalars.map((dtype, k) => parameterScalar(dtype, `a${k}`));
  const known: Scalar[] = [];

  /** The index of operand k at element i of the innermost mode, in the loops whose names have this suffix, of this row or the next. */
  const indexOf = (k: number, end: string, row: "at" | "next" = "at"): Expr =>
    offsetSymbol(`${names[k]}_${row}`)
      .add(offsetSymbol(`${names[k]}_on${end}`))
      .add(stepped(classes, k, names[k], loopSymbol(`i${end}`)));
  const loadOf = (k: number, end: string, row?: "next"): Scalar => loadScalar(types[k], names[k], indexOf(k, end, row));
  const inputsAt = (end: string, count: number, row?: "next"): Scalar[] =>
    spec.inputs.slice(0, count).map((_, k) => loadOf(outputs + k, end, row));
  const storeAt = (k: number, end: string, value: Scalar): Statement => store(names[k], indexOf(k, end), value);
  const eachRound = (end: string, body: Statement[]): Statement =>
    loop("serial", `r${end}`, constant(0), rounds, [
      walk("row", loopSymbol(`r${end}`), suffixed(names, `_on${end}`)),
      ...body,
    ]);

  /** The loads of the next row, in the pass that prefetches. */
  const readAhead = (end: string, pass: number): Statement[] =>
    isAhead && pass === (spec.ahead ?? 1)
      ? inputsAt(end, spec.read, "next").map((value, k) => letStatement(`ahead${k}${end}`, value))
      : [];

  const phaseStatements = (phase: EarlierPhase, p: number): Statement[] => {
    const end = `_${p}`;
    const terms = phase.terms(inputsAt(end, spec.read), scalars, known, constantScalar("int32", 0));
    const keeps = spec.keeps === true && p === spec.phases.length - 1;
    const [statements, totals] = phaseLoops({
      accumulators: phase.accumulators,
      terms,
      end,
      n,
      lanes: lanesFor(spec.inputs, terms),
      more: [...(keeps ? [storeAt(0, end, terms[0])] : []), ...readAhead(end, p)],
      eachRound: (body) => eachRound(end, body),
    });
    for (const [k, value] of phase.finish(totals, scalars, known).entries()) {
      const name = `known${k}${end}`;
      known.push(namedScalar(value.dtype, name));
      statements.push(letStatement(name, value));
    }
    return statements;
  };

  const walkTo = (position: Expr, row: "at" | "next"): Statement => walk("kept", position, suffixed(names, `_${row}`));
  const oneRow: Statement[] = [
    walkTo(o, "at"),
    ...(isAhead ? [walkTo(o.add(1).min(rows.sub(1)), "next")] : []),
    ...spec.phases.flatMap(phaseStatements),
  ];
  const keptTerm = spec.keeps === true ? loadOf(0, "") : undefined;
  const values = spec.values(inputsAt("", spec.inputs.length), scalars, known, keptTerm);
  oneRow.push(
    eachRound("", [
      loop(
        "vector",
        "i",
        constant(0),
        n,
        [...values.map((value, k) => storeAt(k, "", value)), ...readAhead("", spec.phases.length)],
        lanesFor(types, values),
      ),
    ]),
  );
  return {
    name: `${spec.name}${isAhead ? "_ahead" : ""}_${classText(classes, names.length)}`,
    buffers: names.map((name, k) => ({
      name,
      dtype: types[k],
      access: k >= outputs ? "read" : spec.keeps === true && k === 0 ? "readwrite" : "write",
    })),
    scalars: spec.scalars.map((dtype, k) => ({ name: `a${k}`, dtype })),
    sizes: [...sizes, ...steppedSizes(classes, names)],
    modes: [
      { name: "kept", buffers: names },
      { name: "row", buffers: names },
    ],
    body: [blockedLoop("o", rows, block, oneRow)],
  };
}
