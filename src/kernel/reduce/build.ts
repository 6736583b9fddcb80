/**
 * The kernel of a reduction whose elements are combined along the innermost mode that is reduced.
 *
 * Units are blocks of outputs. For each output, the modes that stay are walked to where it lies, the further modes that are reduced
 * are walked one round after the other, and the innermost of them is a vector loop over stretches. So every output is made by one
 * unit in one order: rounds in the order of the mode list, stretches upwards, each in the order of `../ir/kernel.ts`. In the
 * innermost mode an input stands still, steps by one, or by an argument (`classes`). `../program/launch-reduce.ts` gives the sizes.
 */
import { constant, type Expr } from "../../expr/expr.ts";
import type { DType } from "../../storage/dtype.ts";
import type { Kernel, SizeParameter, Statement } from "../ir/kernel.ts";
import { loop } from "../ir/loop.ts";
import {
  call,
  constantScalar,
  indexScalar,
  loadScalar,
  namedScalar,
  parameterScalar,
  type Scalar,
} from "../ir/scalar.ts";
import { loopSymbol, offsetSymbol, sizeSymbol } from "../ir/symbols.ts";
import { lanesFor } from "../map/spec.ts";
import { classOf } from "../plan/form.ts";
import { largest, namesOf, numberAt, numberSizes, stepSize } from "./names.ts";
import { phaseLoops } from "./phase.ts";
import { type Phase, type ReduceSpec, stretch } from "./spec.ts";

const sizes: readonly SizeParameter[] = [
  { name: "outputs", min: 0, max: largest },
  { name: "block", min: 1, max: largest },
  { name: "n", min: 0, max: largest },
  { name: "rounds", min: 0, max: largest },
];

/** The kernel of a spec over inputs that step so in the innermost mode: two bits for each, as in `../plan/form.ts`. */
export function buildReduce(spec: ReduceSpec, classes: number): Kernel {
  const names = namesOf(spec);
  const { outputs, inputs, held } = names;
  const [count, block, n, rounds] = sizes.map(sizeSymbol) as [Expr, Expr, Expr, Expr];
  const isNumbered = spec.isNumbered === true;
  const [u, o, t] = ["u", "o", "t"].map(loopSymbol) as [Expr, Expr, Expr];

  const scalars = spec.scalars.map((dtype, k) => parameterScalar(dtype, names.scalars[k]));
  const known: Scalar[] = held.map((name, k) => loadScalar(spec.held?.[k] as DType, name, offsetSymbol(`${name}_at`)));

  /** All of one phase, and its totals. Names of further phases end with their number. */
  const phaseStatements = (phase: Phase, end: string): [Statement[], Scalar[]] => {
    const [r, c, i] = ["r", "c", "i"].map((name) => loopSymbol(`${name}${end}`)) as [Expr, Expr, Expr];
    const loads = spec.inputs.map((dtype, k) => {
      const name = inputs[k];
      const kind = classOf(classes, k);
      const step = kind === 0 ? constant(0) : kind === 1 ? i : sizeSymbol(stepSize(`${name}_n`)).mul(i);
      const first = offsetSymbol(`${name}_at`).add(offsetSymbol(`${name}_on${end}`));
      return loadScalar(dtype, name, first.add(step));
    });
    // A vector of numbers is slow to make in every round: the steps within a stretch come from a table.
    const number = isNumbered
      ? call(
          "add",
          numberAt(spec, offsetSymbol(`number_on${end}`), "number_n", c.mul(stretch)),
          loadScalar("int32", "steps", i.sub(c.mul(stretch))),
        )
      : constantScalar("int32", 0);
    const terms = phase.terms(loads, scalars, known, number);
    return phaseLoops({
      accumulators: phase.accumulators,
      terms,
      end,
      n,
      lanes: lanesFor(spec.inputs, terms),
      eachRound: (body) =>
        loop("serial", `r${end}`, constant(0), rounds, [
          { kind: "walk", modes: "reduced", position: r, offsets: names.moving.map((name) => `${name}_on${end}`) },
          ...body,
        ]),
    });
  };

  const oneOutput: Statement[] = [
    { kind: "walk", modes: "kept", position: o, offsets: names.all.map((name) => `${name}_at`) },
  ];
  spec.before?.forEach((phase, p) => {
    const [statements, totals] = phaseStatements(phase, `_${p}`);
    oneOutput.push(...statements);
    phase.settle(totals, scalars, known).forEach((value, k) => {
      const name = `known${p}_${k}`;
      oneOutput.push({ kind: "let", name, value });
      known.push(namedScalar(value.dtype, name));
    });
  });
  const [statements, totals] = phaseStatements(spec, "");
  oneOutput.push(...statements);
  spec.finish(totals, scalars, known).forEach((value, k) => {
    const buffer = outputs[k];
    oneOutput.push({ kind: "store", buffer, index: offsetSymbol(`${buffer}_at`), value });
  });
  const first = block.mul(u);
  const table: Statement[] = [
    { kind: "allocate", name: "steps", dtype: "int32", length: stretch, space: "smem" },
    loop("serial", "t", constant(0), constant(stretch), [
      {
        kind: "store",
        buffer: "steps",
        index: t,
        value: indexScalar("int32", sizeSymbol(stepSize("number_n")).mul(t)),
      },
    ]),
  ];
  return {
    name: `${spec.name}_${spec.inputs.map((_, k) => "01s"[classOf(classes, k)]).join("")}`,
    buffers: names.buffers,
    scalars: spec.scalars.map((dtype, k) => ({ name: names.scalars[k], dtype })),
    sizes: [
      ...sizes,
      ...inputs.filter((_, k) => classOf(classes, k) === 2).map((name) => stepSize(`${name}_n`)),
      ...numberSizes(spec, "number_n"),
    ],
    modes: names.modes,
    body: [
      loop("parallel", "u", constant(0), count.ceilDiv(block), [
        ...(isNumbered ? table : []),
        loop("serial", "o", first, count.min(first.add(block)), oneOutput),
      ]),
    ],
  };
}
