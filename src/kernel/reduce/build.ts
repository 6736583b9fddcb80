/**
 * The kernel of a reduction whose elements are combined along the innermost reduced mode.
 *
 * Units are blocks of outputs. For each output, the kept modes are walked to its offset, the outer reduced modes are walked in rounds, and
 * the innermost one is a vector loop over segments. So every output is computed by one unit in one order: rounds in the order of the mode
 * list, segments upwards, each in the order of `../ir/kernel.ts`. `../program/launch-reduce.ts` passes the sizes.
 */
import { constant } from "../../expr/expr.ts";
import type { DType } from "../../storage/dtype.ts";
import type { Kernel, SizeParameter, Statement } from "../ir/kernel.ts";
import {
  call,
  constantScalar,
  indexScalar,
  loadScalar,
  namedScalar,
  parameterScalar,
  type Scalar,
} from "../ir/scalar.ts";
import { allocate, blockedLoop, letStatement, loop, store, suffixed, walk } from "../ir/statements.ts";
import { anyStride, loopSymbol, offsetSymbol, sizeFrom, sizeSymbol } from "../ir/symbols.ts";
import { lanesFor } from "../map/spec.ts";
import { classText, stepped, steppedSizes } from "../plan/step-classes.ts";
import { namesOf, numberAt, numberSizes } from "./names.ts";
import { phaseLoops } from "./phase.ts";
import { type Phase, type ReduceSpec, segmentLength } from "./spec.ts";

const sizes: readonly SizeParameter[] = [
  sizeFrom("outputs", 0),
  sizeFrom("block", 1),
  sizeFrom("n", 0),
  sizeFrom("rounds", 0),
];

/** Returns the kernel of a spec; `classes` are the step classes of its inputs in the innermost reduced mode. */
export function buildReduce(spec: ReduceSpec, classes: number): Kernel {
  const names = namesOf(spec);
  const { outputs, inputs, held } = names;
  const [count, block, n, rounds] = sizes.map(sizeSymbol);
  const isNumbered = spec.isNumbered === true;
  const [o, t] = ["o", "t"].map(loopSymbol);

  const scalars = spec.scalars.map((dtype, k) => parameterScalar(dtype, names.scalars[k]));
  const known: Scalar[] = held.map((name, k) => loadScalar(spec.held?.[k] as DType, name, offsetSymbol(`${name}_at`)));

  /** The statements of one phase, and its totals. The names of earlier phases end with `end`. */
  const phaseStatements = (phase: Phase, end: string): [Statement[], Scalar[]] => {
    const [r, c, i] = ["r", "c", "i"].map((name) => loopSymbol(`${name}${end}`));
    const loads = spec.inputs.map((dtype, k) => {
      const name = inputs[k];
      const first = offsetSymbol(`${name}_at`).add(offsetSymbol(`${name}_on${end}`));
      return loadScalar(dtype, name, first.add(stepped(classes, k, name, i)));
    });
    // A vector of element numbers is slow to compute in every round: the steps within a segment come from a table.
    const number = isNumbered
      ? call(
          "add",
          numberAt(spec, offsetSymbol(`number_on${end}`), "number_n", c.mul(segmentLength)),
          loadScalar("int32", "steps", i.sub(c.mul(segmentLength))),
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
          walk("reduced", r, suffixed(names.moving, `_on${end}`)),
          ...body,
        ]),
    });
  };

  const oneOutput: Statement[] = [walk("kept", o, suffixed(names.all, "_at"))];
  spec.before?.forEach((phase, p) => {
    const [statements, totals] = phaseStatements(phase, `_${p}`);
    oneOutput.push(...statements);
    phase.finish(totals, scalars, known).forEach((value, k) => {
      const name = `known${p}_${k}`;
      oneOutput.push(letStatement(name, value));
      known.push(namedScalar(value.dtype, name));
    });
  });
  const [statements, totals] = phaseStatements(spec, "");
  oneOutput.push(...statements);
  spec.finish(totals, scalars, known).forEach((value, k) => {
    oneOutput.push(store(outputs[k], offsetSymbol(`${outputs[k]}_at`), value));
  });
  const table: Statement[] = [
    allocate("steps", "int32", segmentLength, "smem"),
    loop("serial", "t", constant(0), constant(segmentLength), [
      store("steps", t, indexScalar("int32", sizeSymbol(anyStride("number_n")).mul(t))),
    ]),
  ];
  return {
    name: `${spec.name}_${classText(classes, inputs.length)}`,
    buffers: names.buffers,
    scalars: spec.scalars.map((dtype, k) => ({ name: names.scalars[k], dtype })),
    sizes: [...sizes, ...steppedSizes(classes, inputs), ...numberSizes(spec, "number_n")],
    modes: names.modes,
    body: [blockedLoop("o", count, block, oneOutput, isNumbered ? table : [])],
  };
}
