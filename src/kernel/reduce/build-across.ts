/**
 * The kernel of a reduction whose vectors go across outputs: used where the elements of adjacent outputs are closer in memory than those along
 * the reduced modes, and where each output reduces few elements.
 *
 * A unit is a block of outputs along one kept mode. Its totals are in its own memory, and rows of elements are combined with them in
 * vector loops over the outputs. The order for each output: rounds in the order of the mode list, segments upwards, rows in groups of
 * four, (a b) (c d), then the remaining rows. `classes` are the step classes along the block, in the order of the operands, then the element
 * number. `../program/launch-reduce.ts` passes the sizes.
 */
import { listOf } from "../../base/list-of.ts";
import { constant, type Expr } from "../../expr/expr.ts";
import { type DType, dtypes, isIntegerDType } from "../../storage/dtype.ts";
import type { Kernel, SizeParameter, Statement } from "../ir/kernel.ts";
import { call, cast, constantScalar, indexScalar, loadScalar, parameterScalar, type Scalar } from "../ir/scalar.ts";
import { allocate, identityOf, indexStatement, loop, store, suffixed, walk } from "../ir/statements.ts";
import { anyStride, loopSymbol, offsetSymbol, sizeFrom, sizeSymbol } from "../ir/symbols.ts";
import { classOf, classText, stepped, steppedSizes } from "../plan/step-classes.ts";
import { namesOf, numberAt, numberSizes } from "./names.ts";
import { type Accumulation, type Phase, type ReduceSpec, segmentLength } from "./spec.ts";

/** Rows that are combined with each other before the totals. */
const group = 4;
/** Rows of a segment: as many combinations in sequence as in one lane of `build.ts`. */
const segmentRows = segmentLength / 4;
/** The largest number of bytes for the totals of a unit, and of its outputs. */
const maxBytes = 16384;
const maxOutputs = 1024;

/** The largest number of outputs of a unit, a power of two. */
export function acrossWidth({ accumulators, before = [] }: ReduceSpec): number {
  let bytes = 0;
  // The result of a segment and a settled value are no larger than a total.
  for (const phase of [{ accumulators }, ...before])
    for (const { total } of phase.accumulators) bytes += 2 * dtypes[total].itemsize;
  return Math.min(maxOutputs, 2 ** Math.floor(Math.log2(maxBytes / bytes)));
}

/** True if segments can be combined in the totals themselves, without loss of precision. */
const isDirect = ({ fn, total }: Accumulation, term: DType): boolean =>
  term === total && (fn !== "add" || isIntegerDType(total));

/** Returns the kernel of a spec over operands of these step classes. */
export function buildAcross(spec: ReduceSpec, classes: number): Kernel {
  const width = acrossWidth(spec);
  const sizes: readonly SizeParameter[] = [
    sizeFrom("n", 0),
    sizeFrom("wide", 1, width),
    sizeFrom("blocks", 1),
    sizeFrom("units", 0),
    sizeFrom("m", 0),
    sizeFrom("rounds", 0),
  ];
  const [n, wide, blocks, units, m, rounds] = sizes.map(sizeSymbol);
  const names = namesOf(spec);
  const { outputs, inputs, held } = names;
  const [u, first] = ["u", "first"].map(loopSymbol);
  const body: Statement[] = [];
  let loops = 0;

  /** A loop over the outputs of the unit; `make` returns its statements for output i. */
  const eachOutput = (make: (i: Expr) => Statement[]): Statement => {
    const index = `i${loops++}`;
    return loop("vector", index, constant(0), wide.min(n.sub(first)), make(loopSymbol(index)), 16);
  };
  /** The index of operand k at output i. */
  const indexOf = (k: number, i: Expr): Expr =>
    offsetSymbol(`${names.all[k]}_at`).add(stepped(classes, k, names.all[k], first.add(i)));
  const scalars = spec.scalars.map((dtype, k) => parameterScalar(dtype, names.scalars[k]));
  const earlier: { readonly name: string; readonly dtype: DType }[] = [];
  const knownAt = (i: Expr): Scalar[] => [
    ...held.map((name, k) => loadScalar(spec.held?.[k] as DType, name, indexOf(outputs.length + inputs.length + k, i))),
    ...earlier.map(({ name, dtype }) => loadScalar(dtype, name, i)),
  ];
  const allocated = (name: string, dtype: DType): string => {
    body.push(allocate(name, dtype, width, "smem"));
    return name;
  };

  /** Adds a phase to the body, and returns its totals at an output. */
  const addPhase = (phase: Phase, end: string): ((i: Expr) => Scalar[]) => {
    const { accumulators } = phase;
    const r = loopSymbol(`r${end}`);
    const c = loopSymbol(`c${end}`);
    const termsAt = (row: Expr, i: Expr): readonly Scalar[] => {
      const loads = spec.inputs.map((dtype, k) => {
        const name = inputs[k];
        const on = offsetSymbol(`${name}_on${end}`).add(sizeSymbol(anyStride(`${name}_m`)).mul(row));
        return loadScalar(dtype, name, indexOf(outputs.length + k, i).add(on));
      });
      const first = numberAt(spec, offsetSymbol(`number_on${end}`), "number_m", row);
      const number = numberMoves ? call("add", first, loadScalar("int32", "steps", i)) : first;
      return phase.terms(loads, scalars, knownAt(i), number);
    };
    const lanes = termsAt(constant(0), constant(0)).map(({ dtype }) => dtype);
    const totals = accumulators.map(({ total }, k) => allocated(`total${k}${end}`, total));
    const parts = accumulators.map((accumulation, k) =>
      isDirect(accumulation, lanes[k]) ? totals[k] : allocated(`part${k}${end}`, lanes[k]),
    );
    const own = accumulators.map((_, k) => k).filter((k) => parts[k] !== totals[k]);
    const start = (which: readonly number[], into: readonly string[], dtypeOf: (k: number) => DType): Statement =>
      eachOutput((i) =>
        which.map((k) => {
          const { fn } = accumulators[k];
          return store(into[k], i, constantScalar(dtypeOf(k), identityOf(fn, dtypeOf(k))));
        }),
      );
    /** Combines `count` rows from `row` on in halves, then with the results of the segment. */
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
    const [groups, segmentGroups] = [m.floorDiv(group), segmentRows / group];
    const segmentEnd = c.mul(segmentRows).add(segmentRows);
    const inSegment: Statement[] = [
      ...(own.length > 0 ? [start(own, parts, (k) => lanes[k])] : []),
      loop("serial", `g${end}`, c.mul(segmentGroups), groups.min(c.mul(segmentGroups).add(segmentGroups)), [
        addRows(g.mul(group), group),
      ]),
      loop("serial", `q${end}`, groups.mul(group).max(c.mul(segmentRows)), m.min(segmentEnd), [addRows(q, 1)]),
    ];
    if (own.length > 0)
      inSegment.push(
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
        walk("reduced", r, suffixed(names.moving, `_on${end}`)),
        loop("serial", `c${end}`, constant(0), m.ceilDiv(segmentRows), inSegment),
      ]),
    );
    return (i) => accumulators.map(({ total }, k) => loadScalar(total, totals[k], i));
  };

  // Element numbers that change from output to output are slow to compute in every round, so they come from a table.
  const numberMoves = spec.isNumbered === true && classOf(classes, names.all.length - 1) !== 0;
  if (numberMoves) {
    allocated("steps", "int32");
    body.push(
      eachOutput((i) => [store("steps", i, indexScalar("int32", sizeSymbol(anyStride("number_n")).mul(first.add(i))))]),
    );
  }
  spec.before?.forEach((phase, p) => {
    const totalsAt = addPhase(phase, `_${p}`);
    const dtypesOf = phase.finish(totalsAt(constant(0)), scalars, knownAt(constant(0))).map(({ dtype }) => dtype);
    const known = dtypesOf.map((dtype, k) => ({ name: allocated(`known${p}_${k}`, dtype), dtype }));
    body.push(
      eachOutput((i) =>
        phase.finish(totalsAt(i), scalars, knownAt(i)).map((value, k) => store(known[k].name, i, value)),
      ),
    );
    earlier.push(...known);
  });
  const totalsAt = addPhase(spec, "");
  body.push(
    eachOutput((i) =>
      spec.finish(totalsAt(i), scalars, knownAt(i)).map((value, k) => store(outputs[k], indexOf(k, i), value)),
    ),
  );
  const operands = [...outputs, ...inputs, ...held];
  return {
    name: `${spec.name}_across_${classText(classes, operands.length)}`,
    buffers: names.buffers,
    scalars: spec.scalars.map((dtype, k) => ({ name: names.scalars[k], dtype })),
    sizes: [
      ...sizes,
      ...inputs.map((name) => anyStride(`${name}_m`)),
      ...steppedSizes(classes, operands),
      ...numberSizes(spec, "number_m"),
      ...(numberMoves ? [anyStride("number_n")] : []),
    ],
    modes: names.modes,
    body: [
      loop("parallel", "u", constant(0), units, [
        walk("kept", u.floorDiv(blocks), suffixed(names.all, "_at")),
        indexStatement("first", wide.mul(u.mod(blocks))),
        ...body,
      ]),
    ],
  };
}
