/**
 * The kernel that does all phases of a row and then its outputs, before it goes to the next row: a row that fits in the processor's
 * cache comes from memory once.
 *
 * Units are blocks of rows. Terms are combined in the order of `../reduce/build.ts`: the modes of a row but the innermost are walked, and
 * the innermost is a vector loop over stretches. In it an operand stands still, steps by one, or by an argument (`classes`: two
 * bits each, outputs first). `run-rows.ts` gives the sizes.
 */
import { constant, type Expr } from "../../expr/expr.ts";
import type { DType } from "../../storage/dtype.ts";
import { identityOf } from "../ir/identity.ts";
import type { Kernel, SizeParameter, Statement } from "../ir/kernel.ts";
import { loop } from "../ir/loop.ts";
import { cast, constantScalar, loadScalar, namedScalar, parameterScalar, type Scalar } from "../ir/scalar.ts";
import { loopSymbol, offsetSymbol, sizeSymbol } from "../ir/symbols.ts";
import { lanesFor } from "../map/spec.ts";
import { classOf } from "../plan/form.ts";
import { largest, stepSize } from "../reduce/names.ts";
import { type Accumulation, type EarlierPhase, stretch } from "../reduce/spec.ts";
import type { RowSpec } from "./spec.ts";

/** Vectors that are combined side by side, because each combination waits for the one before. */
const chains = 4;

const sizes: readonly SizeParameter[] = [
  { name: "rows", min: 0, max: largest },
  { name: "block", min: 1, max: largest },
  { name: "n", min: 0, max: largest },
  { name: "rounds", min: 0, max: largest },
];

/** The kernel of a spec over operands that step so in the innermost mode of a row. */
export function buildRows(spec: RowSpec, classes: number): Kernel {
  const names = [...spec.outputs.map((_, k) => `out${k}`), ...spec.inputs.map((_, k) => `x${k}`)];
  const types = [...spec.outputs, ...spec.inputs];
  const outputs = spec.outputs.length;
  const [rows, block, n, rounds] = sizes.map(sizeSymbol) as [Expr, Expr, Expr, Expr];
  const [u, o] = ["u", "o"].map(loopSymbol) as [Expr, Expr];
  const scalars = spec.scalars.map((dtype, k) => parameterScalar(dtype, `a${k}`));
  const known: Scalar[] = [];

  /** The place of operand k at element i of the innermost mode, in the loops whose names end so. */
  const placeOf = (k: number, end: string): Expr => {
    const i = loopSymbol(`i${end}`);
    const kind = classOf(classes, k);
    const step = kind === 0 ? constant(0) : kind === 1 ? i : sizeSymbol(stepSize(`${names[k]}_n`)).mul(i);
    return offsetSymbol(`${names[k]}_at`)
      .add(offsetSymbol(`${names[k]}_on${end}`))
      .add(step);
  };
  const loadOf = (k: number, end: string): Scalar => loadScalar(types[k] as DType, names[k] as string, placeOf(k, end));
  const inputsAt = (end: string, count: number): Scalar[] =>
    spec.inputs.slice(0, count).map((_, k) => loadOf(outputs + k, end));
  const storeAt = (k: number, end: string, value: Scalar): Statement => ({
    kind: "store",
    buffer: names[k] as string,
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

  const phaseStatements = (phase: EarlierPhase, p: number): Statement[] => {
    const end = `_${p}`;
    const accumulators = phase.accumulators as readonly Accumulation[];
    const [totals, parts] = ["total", "part"].map((name) => accumulators.map((_, k) => `${name}${k}${end}`)) as [
      string[],
      string[],
    ];
    const terms = phase.terms(inputsAt(end, spec.read), scalars, known, constantScalar("int32", 0));
    const keeps = spec.keeps === true && p === spec.phases.length - 1;
    const start = loopSymbol(`c${end}`).mul(stretch);
    const begin = (name: string, k: number, dtype: DType): Statement => ({
      kind: "accumulator",
      name,
      initial: constantScalar(dtype, identityOf((accumulators[k] as Accumulation).fn, dtype)),
    });
    const combine = (into: string, k: number, value: Scalar): Statement => ({
      kind: "accumulate",
      into,
      fn: (accumulators[k] as Accumulation).fn,
      value,
    });
    const inLoop = terms.map((term, k) => combine(parts[k] as string, k, term));
    if (keeps) inLoop.push(storeAt(0, end, terms[0] as Scalar));
    return [
      ...accumulators.map(({ total }, k) => begin(totals[k] as string, k, total)),
      eachRound(end, [
        loop("serial", `c${end}`, constant(0), n.ceilDiv(stretch), [
          ...terms.map(({ dtype }, k) => begin(parts[k] as string, k, dtype)),
          loop("vector", `i${end}`, start, n.min(start.add(stretch)), inLoop, lanesFor(spec.inputs, terms) * chains),
          ...accumulators.map(({ total }, k) =>
            combine(totals[k] as string, k, cast(total, namedScalar((terms[k] as Scalar).dtype, parts[k] as string))),
          ),
        ]),
      ]),
      ...phase
        .settle(
          accumulators.map(({ total }, k) => namedScalar(total, totals[k] as string)),
          scalars,
          known,
        )
        .map((value, k): Statement => {
          const name = `known${k}${end}`;
          known.push(namedScalar(value.dtype, name));
          return { kind: "let", name, value };
        }),
    ];
  };

  const oneRow: Statement[] = [
    { kind: "walk", modes: "kept", position: o, offsets: names.map((name) => `${name}_at`) },
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
        values.map((value, k) => storeAt(k, "", value)),
        lanesFor(types, values),
      ),
    ]),
  );
  const first = block.mul(u);
  return {
    name: `${spec.name}_${names.map((_, k) => "01s"[classOf(classes, k)]).join("")}`,
    buffers: names.map((name, k) => ({
      name,
      dtype: types[k] as DType,
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
