/**
 * The kernel of a reduction that goes over many outputs at once: the form for elements that lie closer together from output to output
 * than along what is reduced, and for reductions of few elements each.
 *
 * A unit is a block of outputs along one mode that stays. Its totals are in memory of the unit's own; row after row of elements is
 * combined with them in vector loops over the outputs. The order for each output: rounds in the order of the mode list, stretches
 * upwards, rows in groups of four, (a b) (c d), then those that are left. Along the block an operand stands still, steps by one, or
 * by an argument (`classes`, two bits each, in the order of operands, then the number). `../program/launch-reduce.ts` gives the sizes.
 */
import { listOf } from "../../base/list-of.ts";
import { constant, type Expr } from "../../expr/expr.ts";
import { type DType, dtypes, isIntegerDType } from "../../storage/dtype.ts";
import { identityOf } from "../ir/identity.ts";
import type { Kernel, SizeParameter, Statement } from "../ir/kernel.ts";
import { loop } from "../ir/loop.ts";
import { call, cast, constantScalar, indexScalar, loadScalar, parameterScalar, type Scalar } from "../ir/scalar.ts";
import { loopSymbol, offsetSymbol, sizeSymbol } from "../ir/symbols.ts";
import { classOf } from "../plan/form.ts";
import { largest, namesOf, numberAt, numberSizes, stepSize } from "./names.ts";
import { type Accumulation, type Phase, type ReduceSpec, stretch } from "./spec.ts";

/** Rows that are combined with each other before they reach the totals. */
const group = 4;
/** Rows of a stretch: as many combinations follow each other as in a lane of a stretch along. */
const stretchRows = stretch / 4;
/** Bytes that the totals of a unit may take, and the most outputs that it has. */
const mostBytes = 16384;
const mostOutputs = 1024;

/** The most outputs of a unit: a power of two. */
export function acrossWidth({ accumulators, before = [] }: ReduceSpec): number {
  let bytes = 0;
  // A total, the result of a stretch, and what is settled are no larger than a total each.
  for (const phase of [{ accumulators }, ...before])
    for (const { total } of phase.accumulators) bytes += 2 * dtypes[total].itemsize;
  return Math.min(mostOutputs, 2 ** Math.floor(Math.log2(mostBytes / bytes)));
}

/** True if results of stretches need no place of their own: they are combined without rounding, or not less exactly, in the totals. */
const isDirect = ({ fn, total }: Accumulation, term: DType): boolean =>
  term === total && (fn !== "add" || isIntegerDType(total));

/** The kernel of a spec over operands that step so along the block. */
export function buildAcross(spec: ReduceSpec, classes: number): Kernel {
  const width = acrossWidth(spec);
  const sizes: readonly SizeParameter[] = [
    { name: "n", min: 0, max: largest },
    { name: "wide", min: 1, max: width },
    { name: "blocks", min: 1, max: largest },
    { name: "units", min: 0, max: largest },
    { name: "m", min: 0, max: largest },
    { name: "rounds", min: 0, max: largest },
  ];
  const [n, wide, blocks, units, m, rounds] = sizes.map(sizeSymbol) as [Expr, Expr, Expr, Expr, Expr, Expr];
  const names = namesOf(spec);
  const { outputs, inputs, held } = names;
  const [u, first] = ["u", "first"].map(loopSymbol) as [Expr, Expr];
  const body: Statement[] = [];
  let loops = 0;

  /** A loop over the outputs of the unit; `make` gives its statements for an output. */
  const eachOutput = (make: (i: Expr) => Statement[]): Statement => {
    const index = `i${loops++}`;
    return loop("vector", index, constant(0), wide.min(n.sub(first)), make(loopSymbol(index)), 16);
  };
  /** Where operand k is at output i. */
  const placeOf = (k: number, i: Expr): Expr => {
    const name = names.all[k];
    const kind = classOf(classes, k);
    const along = kind === 0 ? constant(0) : first.add(i);
    return offsetSymbol(`${name}_at`).add(kind === 2 ? sizeSymbol(stepSize(`${name}_n`)).mul(along) : along);
  };
  const scalars = spec.scalars.map((dtype, k) => parameterScalar(dtype, names.scalars[k]));
  const settled: { readonly name: string; readonly dtype: DType }[] = [];
  const knownAt = (i: Expr): Scalar[] => [
    ...held.map((name, k) => loadScalar(spec.held?.[k] as DType, name, placeOf(outputs.length + inputs.length + k, i))),
    ...settled.map(({ name, dtype }) => loadScalar(dtype, name, i)),
  ];
  const allocate = (name: string, dtype: DType): string => {
    body.push({ kind: "allocate", name, dtype, length: width, space: "smem" });
    return name;
  };
  const store = (buffer: string, index: Expr, value: Scalar): Statement => ({ kind: "store", buffer, index, value });

  /** Adds a phase to the body and gives its totals at an output. */
  const addPhase = (phase: Phase, end: string): ((i: Expr) => Scalar[]) => {
    const { accumulators } = phase;
    const r = loopSymbol(`r${end}`);
    const c = loopSymbol(`c${end}`);
    const termsAt = (row: Expr, i: Expr): readonly Scalar[] => {
      const loads = spec.inputs.map((dtype, k) => {
        const name = inputs[k];
        const on = offsetSymbol(`${name}_on${end}`).add(sizeSymbol(stepSize(`${name}_m`)).mul(row));
        return loadScalar(dtype, name, placeOf(outputs.length + k, i).add(on));
      });
      const first = numberAt(spec, offsetSymbol(`number_on${end}`), "number_m", row);
      const number = numberMoves ? call("add", first, loadScalar("int32", "steps", i)) : first;
      return phase.terms(loads, scalars, knownAt(i), number);
    };
    const lanes = termsAt(constant(0), constant(0)).map(({ dtype }) => dtype);
    const totals = accumulators.map(({ total }, k) => allocate(`total${k}${end}`, total));
    const parts = accumulators.map((accumulation, k) =>
      isDirect(accumulation, lanes[k]) ? totals[k] : allocate(`part${k}${end}`, lanes[k]),
    );
    const own = accumulators.map((_, k) => k).filter((k) => parts[k] !== totals[k]);
    const start = (which: readonly number[], into: readonly string[], dtypeOf: (k: number) => DType): Statement =>
      eachOutput((i) =>
        which.map((k) => {
          const { fn } = accumulators[k];
          return store(into[k], i, constantScalar(dtypeOf(k), identityOf(fn, dtypeOf(k))));
        }),
      );
    /** The rows row, row + 1 and so on, combined in halves, into the results of the stretch. */
    const addRows = (row: Expr, count: number): Statement =>
      eachOutput((i) => {
        const rows = listOf(count, (k) => termsAt(row.add(k), i));
        return accumulators.map(({ fn }, k) => {
          let values = rows.map((terms) => terms[k]);
          while (values.length > 1)
            values = values.flatMap((value, j) => (j % 2 === 0 ? [call(fn, value, values[j + 1])] : []));
          const part = loadScalar(lanes[k], parts[k], i);
          return store(parts[k], i, call(fn, part, values[0]));
        });
      });
    const [g, q] = [loopSymbol(`g${end}`), loopSymbol(`q${end}`)];
    const [groups, stretchGroups] = [m.floorDiv(group), stretchRows / group];
    const stretchEnd = c.mul(stretchRows).add(stretchRows);
    const inStretch: Statement[] = [
      ...(own.length > 0 ? [start(own, parts, (k) => lanes[k])] : []),
      loop("serial", `g${end}`, c.mul(stretchGroups), groups.min(c.mul(stretchGroups).add(stretchGroups)), [
        addRows(g.mul(group), group),
      ]),
      loop("serial", `q${end}`, groups.mul(group).max(c.mul(stretchRows)), m.min(stretchEnd), [addRows(q, 1)]),
    ];
    if (own.length > 0)
      inStretch.push(
        eachOutput((i) =>
          own.map((k) => {
            const { fn, total } = accumulators[k];
            const part = cast(total, loadScalar(lanes[k], parts[k], i));
            return store(totals[k], i, call(fn, loadScalar(total, totals[k], i), part));
          }),
        ),
      );
    body.push(
      start(
        accumulators.map((_, k) => k),
        totals,
        (k) => accumulators[k].total,
      ),
      loop("serial", `r${end}`, constant(0), rounds, [
        { kind: "walk", modes: "reduced", position: r, offsets: names.moving.map((name) => `${name}_on${end}`) },
        loop("serial", `c${end}`, constant(0), m.ceilDiv(stretchRows), inStretch),
      ]),
    );
    return (i) => accumulators.map(({ total }, k) => loadScalar(total, totals[k], i));
  };

  // Numbers that change from output to output are slow to make in every round, and so come from a table.
  const numberMoves = spec.isNumbered === true && classOf(classes, names.all.length - 1) !== 0;
  if (numberMoves) {
    allocate("steps", "int32");
    body.push(
      eachOutput((i) => [store("steps", i, indexScalar("int32", sizeSymbol(stepSize("number_n")).mul(first.add(i))))]),
    );
  }
  spec.before?.forEach((phase, p) => {
    const totalsAt = addPhase(phase, `_${p}`);
    const dtypesOf = phase.settle(totalsAt(constant(0)), scalars, knownAt(constant(0))).map(({ dtype }) => dtype);
    const places = dtypesOf.map((dtype, k) => ({ name: allocate(`known${p}_${k}`, dtype), dtype }));
    body.push(
      eachOutput((i) =>
        phase
          .settle(totalsAt(i), scalars, knownAt(i))
          .map((value, k) => store((places[k] as { name: string }).name, i, value)),
      ),
    );
    settled.push(...places);
  });
  const totalsAt = addPhase(spec, "");
  body.push(
    eachOutput((i) =>
      spec.finish(totalsAt(i), scalars, knownAt(i)).map((value, k) => store(outputs[k], placeOf(k, i), value)),
    ),
  );
  const stepping = [...outputs, ...inputs, ...held];
  return {
    name: `${spec.name}_across_${stepping.map((_, k) => "01s"[classOf(classes, k)]).join("")}`,
    buffers: names.buffers,
    scalars: spec.scalars.map((dtype, k) => ({ name: names.scalars[k], dtype })),
    sizes: [
      ...sizes,
      ...inputs.map((name) => stepSize(`${name}_m`)),
      ...stepping.filter((_, k) => classOf(classes, k) === 2).map((name) => stepSize(`${name}_n`)),
      ...numberSizes(spec, "number_m"),
      ...(numberMoves ? [stepSize("number_n")] : []),
    ],
    modes: names.modes,
    body: [
      loop("parallel", "u", constant(0), units, [
        {
          kind: "walk",
          modes: "kept",
          position: u.floorDiv(blocks),
          offsets: names.all.map((name) => `${name}_at`),
        },
        { kind: "index", name: "first", value: wide.mul(u.mod(blocks)) },
        ...body,
      ]),
    ],
  };
}
