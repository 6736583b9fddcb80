/**
 * The kernel that does all phases of a row and then its outputs, before it goes to the next row: a row that fits in the processor's
 * cache comes from memory once.
 *
 * Units are blocks of rows. Terms are combined in the order of `../reduce/build.ts`: the modes of a row but the innermost are walked, and
 * the innermost is a vector loop over stretches. In it an operand stands still, steps by one, or by an argument (`classes`: two
 * bits each, outputs first). `run-rows.ts` gives the sizes.
 *
 * Rows that come from memory are read ahead: in the pass that computes most, the next row is loaded for nothing, so that it is in the
 * cache when its turn comes. Else the first pass, which does little with each element, waits for memory that the others leave idle.
 */
import { constant, type Expr } from "../../expr/expr.ts";
import type { Kernel, SizeParameter, Statement } from "../ir/kernel.ts";
import { loop } from "../ir/loop.ts";
import { constantScalar, loadScalar, namedScalar, parameterScalar, type Scalar } from "../ir/scalar.ts";
import { loopSymbol, offsetSymbol, sizeSymbol } from "../ir/symbols.ts";
import { lanesFor } from "../map/spec.ts";
import { classOf } from "../plan/form.ts";
import { largest, stepSize } from "../reduce/names.ts";
import { phaseLoops } from "../reduce/phase.ts";
import type { EarlierPhase } from "../reduce/spec.ts";
import type { RowSpec } from "./spec.ts";

const sizes: readonly SizeParameter[] = [
  { name: "rows", min: 0, max: largest },
  { name: "block", min: 1, max: largest },
  { name: "n", min: 0, max: largest },
  { name: "rounds", min: 0, max: largest },
];

/** The kernel of a spec over operands that step so in the innermost mode of a row; `isAhead` if it reads ahead. */
export function buildRows(spec: RowSpec, classes: number, isAhead: boolean): Kernel {
  const names = [...spec.outputs.map((_, k) => `out${k}`), ...spec.inputs.map((_, k) => `x${k}`)];
  const types = [...spec.outputs, ...spec.inputs];
  const outputs = spec.outputs.length;
  const [rows, block, n, rounds] = sizes.map(sizeSymbol) as [Expr, Expr, Expr, Expr];
  const [u, o] = ["u", "o"].map(loopSymbol) as [Expr, Expr];
  const scalars = spec.scalars.map((dtype, k) => parameterScalar(dtype, `a${k}`));
  const known: Scalar[] = [];

  /** The place of operand k at element i of the innermost mode, in the loops whose names end so, of this row or the next. */
  const placeOf = (k: number, end: string, row: "at" | "next" = "at"): Expr => {
    const i = loopSymbol(`i${end}`);
    const kind = classOf(classes, k);
    const step = kind === 0 ? constant(0) : kind === 1 ? i : sizeSymbol(stepSize(`${names[k]}_n`)).mul(i);
    return offsetSymbol(`${names[k]}_${row}`)
      .add(offsetSymbol(`${names[k]}_on${end}`))
      .add(step);
  };
  const loadOf = (k: number, end: string, row?: "next"): Scalar => loadScalar(types[k], names[k], placeOf(k, end, row));
  const inputsAt = (end: string, count: number, row?: "next"): Scalar[] =>
    spec.inputs.slice(0, count).map((_, k) => loadOf(outputs + k, end, row));
  const storeAt = (k: number, end: string, value: Scalar): Statement => ({
    kind: "store",
    buffer: names[k],
    index: placeOf(k, end),
    value,
  });
  const eachRound = (end: string, body: Statement[]): Statement =>
    loop("serial", `r${end}`, constant(0), rounds, [
      {
        kind: "walk",
        modes: "row",
        position: loopSymbol(`r${end}`),
        offsets: names.map((name) => `${name}_on${end}`),
      },
      ...body,
    ]);

  /** The loads of the next row, in the pass that does so. */
  const readAhead = (end: string, pass: number): Statement[] =>
    isAhead && pass === (spec.ahead ?? 1)
      ? inputsAt(end, spec.read, "next").map((value, k) => ({ kind: "let", name: `ahead${k}${end}`, value }))
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
    for (const [k, value] of phase.settle(totals, scalars, known).entries()) {
      const name = `known${k}${end}`;
      known.push(namedScalar(value.dtype, name));
      statements.push({ kind: "let", name, value });
    }
    return statements;
  };

  const walkTo = (position: Expr, row: "at" | "next"): Statement => ({
    kind: "walk",
    modes: "kept",
    position,
    offsets: names.map((name) => `${name}_${row}`),
  });
  const oneRow: Statement[] = [
    walkTo(o, "at"),
    ...(isAhead ? [walkTo(o.add(1).min(rows.sub(1)), "next")] : []),
    ...spec.phases.flatMap(phaseStatements),
  ];
  const kept = spec.keeps === true ? loadOf(0, "") : undefined;
  const values = spec.values(inputsAt("", spec.inputs.length), scalars, known, kept);
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
  const first = block.mul(u);
  return {
    name: `${spec.name}${isAhead ? "_ahead" : ""}_${names.map((_, k) => "01s"[classOf(classes, k)]).join("")}`,
    buffers: names.map((name, k) => ({
      name,
      dtype: types[k],
      access: k >= outputs ? "read" : spec.keeps === true && k === 0 ? "readwrite" : "write",
    })),
    scalars: spec.scalars.map((dtype, k) => ({ name: `a${k}`, dtype })),
    sizes: [...sizes, ...names.filter((_, k) => classOf(classes, k) === 2).map((name) => stepSize(`${name}_n`))],
    modes: [
      { name: "kept", buffers: names },
      { name: "row", buffers: names },
    ],
    body: [
      loop("parallel", "u", constant(0), rows.ceilDiv(block), [
        loop("serial", "o", first, rows.min(first.add(block)), oneRow),
      ]),
    ],
  };
}
