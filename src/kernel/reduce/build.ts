/**
 * The kernel of a reduction.
 *
 * Units are blocks of outputs. For each output, the modes that stay are walked to where it lies, the further modes that are reduced
 * are walked one round after the other, and the innermost of them is a vector loop over stretches. So every output is made by one
 * unit in one order: rounds in the order of the mode list, stretches upwards, each in the order of `../ir/kernel.ts`. In the
 * innermost mode an input stands still, steps by one, or by an argument (`classes`). `../launch/run-reduce.ts` gives the sizes.
 */
import { constant, type Expr } from "../../expr/expr.ts";
import type { DType } from "../../storage/dtype.ts";
import { identityOf } from "../ir/identity.ts";
import type { Combination, Kernel, SizeParameter, Statement } from "../ir/kernel.ts";
import { loop } from "../ir/loop.ts";
import { cast, constantScalar, loadScalar, namedScalar, parameterScalar, type Scalar } from "../ir/scalar.ts";
import { loopSymbol, offsetSymbol, sizeSymbol } from "../ir/symbols.ts";
import { lanesFor } from "../map/spec.ts";
import { classOf } from "../plan/form.ts";
import { type Accumulation, type ReduceSpec, stretch } from "./spec.ts";

const largest = 2 ** 31 - 1;
/** Vectors that are combined side by side, because each combination waits for the one before. */
const chains = 4;

const sizes: readonly SizeParameter[] = [
  { name: "outputs", min: 0, max: largest },
  { name: "block", min: 1, max: largest },
  { name: "n", min: 0, max: largest },
  { name: "rounds", min: 0, max: largest },
];

const strideOf = (name: string): SizeParameter => ({ name: `${name}_n`, min: -largest - 1, max: largest });

const numbered = (prefix: string, { length }: readonly unknown[]): string[] =>
  Array.from({ length }, (_, k) => (length === 1 ? prefix : `${prefix}${k}`));

/** The kernel of a spec over inputs that step so in the innermost mode: two bits for each, as in `../plan/form.ts`. */
export function buildReduce(spec: ReduceSpec, classes: number): Kernel {
  const outputs = numbered("out", spec.outputs);
  const inputs = numbered("x", spec.inputs);
  const scalarNames = numbered("a", spec.scalars);
  const totals = numbered("total", spec.accumulators);
  const parts = numbered("part", spec.accumulators);
  const [count, block, n, rounds] = sizes.map(sizeSymbol) as [Expr, Expr, Expr, Expr];
  const [u, o, r, c, i] = ["u", "o", "r", "c", "i"].map(loopSymbol) as [Expr, Expr, Expr, Expr, Expr];

  const scalars = spec.scalars.map((dtype, k) => parameterScalar(dtype, scalarNames[k] as string));
  const loads = spec.inputs.map((dtype, k) => {
    const name = inputs[k] as string;
    const kind = classOf(classes, k);
    const step = kind === 0 ? constant(0) : kind === 1 ? i : sizeSymbol(strideOf(name)).mul(i);
    return loadScalar(
      dtype,
      name,
      offsetSymbol(`${name}_at`)
        .add(offsetSymbol(`${name}_on`))
        .add(step),
    );
  });
  const terms = spec.terms(loads, scalars);
  const results = spec.finish(
    spec.accumulators.map(({ total }, k) => namedScalar(total, totals[k] as string)),
    scalars,
  );

  const each = (make: (k: number) => Statement): Statement[] => terms.map((_, k) => make(k));
  const start = c.mul(stretch);
  const stretches: Statement[] = [
    ...each((k) => {
      const { dtype } = terms[k] as Scalar;
      const fn = spec.accumulators[k]?.fn as Combination;
      return {
        kind: "accumulator",
        name: parts[k] as string,
        initial: constantScalar(dtype, identityOf(fn, dtype)),
      };
    }),
    loop(
      "vector",
      "i",
      start,
      n.min(start.add(stretch)),
      each((k) => ({
        kind: "accumulate",
        into: parts[k] as string,
        fn: spec.accumulators[k]?.fn as Combination,
        value: terms[k] as Scalar,
      })),
      lanesFor(spec.inputs, terms) * chains,
    ),
    ...each((k) => {
      const { fn, total } = spec.accumulators[k] as Accumulation;
      const part = namedScalar(terms[k]?.dtype as DType, parts[k] as string);
      return { kind: "accumulate", into: totals[k] as string, fn, value: cast(total, part) };
    }),
  ];
  const oneOutput: Statement[] = [
    { kind: "walk", modes: "kept", position: o, offsets: [...outputs, ...inputs].map((name) => `${name}_at`) },
    ...each((k) => {
      const { fn, total } = spec.accumulators[k] as Accumulation;
      return { kind: "accumulator", name: totals[k] as string, initial: constantScalar(total, identityOf(fn, total)) };
    }),
    loop("serial", "r", constant(0), rounds, [
      { kind: "walk", modes: "reduced", position: r, offsets: inputs.map((name) => `${name}_on`) },
      loop("serial", "c", constant(0), n.ceilDiv(stretch), stretches),
    ]),
    ...results.map(
      (value, k): Statement => ({
        kind: "store",
        buffer: outputs[k] as string,
        index: offsetSymbol(`${outputs[k]}_at`),
        value,
      }),
    ),
  ];
  const first = block.mul(u);
  return {
    name: `${spec.name}_${spec.inputs.map((_, k) => "01s"[classOf(classes, k)]).join("")}`,
    buffers: [
      ...outputs.map((name, k) => ({ name, dtype: spec.outputs[k] as DType, access: "write" as const })),
      ...inputs.map((name, k) => ({ name, dtype: spec.inputs[k] as DType, access: "read" as const })),
    ],
    scalars: spec.scalars.map((dtype, k) => ({ name: scalarNames[k] as string, dtype })),
    sizes: [...sizes, ...inputs.filter((_, k) => classOf(classes, k) === 2).map(strideOf)],
    modes: [
      { name: "kept", buffers: [...outputs, ...inputs] },
      { name: "reduced", buffers: inputs },
    ],
    body: [
      loop("parallel", "u", constant(0), count.ceilDiv(block), [
        loop("serial", "o", first, count.min(first.add(block)), oneOutput),
      ]),
    ],
  };
}
