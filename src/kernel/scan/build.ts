/**
 * The kernels of a scan: along the axis, for some rows side by side with their states in accumulators; or across, one element of
 * each of many rows after the other, with the states in memory of the unit's own. A row is scanned by one unit, from its first element.
 * An operand steps by one or by an argument (`classes`: two bits each, outputs first), along the axis in the first form, from row to
 * row in the second. `../program/lower-scan.ts` gives the sizes.
 */
import { constant, type Expr } from "../../expr/expr.ts";
import { type DType, dtypes } from "../../storage/dtype.ts";
import type { Kernel, SizeParameter, Statement } from "../ir/kernel.ts";
import { loop } from "../ir/loop.ts";
import { call, constantScalar, indexScalar, loadScalar, namedScalar, type Scalar } from "../ir/scalar.ts";
import { loopSymbol, offsetSymbol, sizeSymbol } from "../ir/symbols.ts";
import { classOf } from "../plan/form.ts";
import type { ScanSpec } from "./spec.ts";

const largest = 2 ** 31 - 1;
const size = (name: string, min: number, max = largest): SizeParameter => ({ name, min, max });
const step = (name: string): SizeParameter => size(name, -largest - 1);

const namesOf = ({ outputs, factor }: ScanSpec): string[] => [
  ...outputs.map((_, k) => (outputs.length === 1 ? "out" : `out${k}`)),
  "x",
  ...(factor === undefined ? [] : ["factor"]),
];

/** The elements of the inputs at a place; where there is no second one, the first stands for it. */
function elementsAt({ outputs, input, factor }: ScanSpec, placeOf: (k: number) => Expr): [Scalar, Scalar] {
  const element = loadScalar(input, "x", placeOf(outputs.length));
  return [element, factor === undefined ? element : loadScalar(factor, "factor", placeOf(outputs.length + 1))];
}

/** step * index, where the step is what the operand's class says; along the other axis it is always an argument. */
const stepped = (classes: number, k: number, name: string, index: Expr): Expr =>
  classOf(classes, k) === 1 ? index : sizeSymbol(step(name)).mul(index);

const parameters = (spec: ScanSpec, names: readonly string[]): Pick<Kernel, "buffers" | "scalars" | "modes"> => ({
  buffers: names.map((name, k) => ({
    name,
    dtype: [...spec.outputs, spec.input, spec.factor][k] as DType,
    access: k < spec.outputs.length ? "write" : "read",
  })),
  scalars: [],
  modes: [{ name: "rows", buffers: names }],
});

const inClasses = (classes: number, names: readonly string[]): string =>
  names.map((_, k) => "01s"[classOf(classes, k)]).join("");

/** The kernel along the axis, `together` rows at a time. */
export function buildScan(spec: ScanSpec, classes: number, together: number): Kernel {
  const names = namesOf(spec);
  const sizes = [size("n", 0), size("groups", 0), size("block", 1), size("last", 0)];
  const [n, groups, block, last] = sizes.map(sizeSymbol) as [Expr, Expr, Expr, Expr];
  const [u, g, i] = ["u", "g", "i"].map(loopSymbol) as [Expr, Expr, Expr];
  const begin: Statement[] = [];
  const body: Statement[] = [];
  for (let row = 0; row < together; row++) {
    const end = together === 1 ? "" : `_${row}`;
    const placeOf = (k: number): Expr =>
      offsetSymbol(`${names[k]}_at${end}`).add(stepped(classes, k, `${names[k]}_n`, i));
    // Past the end, the last row is done again.
    const position = together === 1 ? g : last.min(g.mul(together).add(row));
    begin.push({ kind: "walk", modes: "rows", position, offsets: names.map((name) => `${name}_at${end}`) });
    const state = spec.state.map(({ dtype }, k) => namedScalar(dtype, `state${k}${end}`));
    spec.state.forEach(({ dtype, initial }, k) => {
      begin.push({ kind: "accumulator", name: `state${k}${end}`, initial: constantScalar(dtype, initial) });
    });
    const [element, factor] = elementsAt(spec, placeOf);
    const number = indexScalar("int64", i);
    for (const { into, fn, value } of spec.steps)
      body.push({ kind: "accumulate", into: `state${into}${end}`, fn, value: value(element, state, number, factor) });
    spec.results(state).forEach((value, k) => {
      body.push({ kind: "store", buffer: names[k], index: placeOf(k), value });
    });
  }
  const first = block.mul(u);
  return {
    name: `${spec.name}_${together}_${inClasses(classes, names)}`,
    ...parameters(spec, names),
    sizes: [...sizes, ...names.filter((_, k) => classOf(classes, k) !== 1).map((name) => step(`${name}_n`))],
    body: [
      loop("parallel", "u", constant(0), groups.ceilDiv(block), [
        loop("serial", "g", first, groups.min(first.add(block)), [...begin, loop("serial", "i", constant(0), n, body)]),
      ]),
    ],
  };
}

/** Elements of a row that are done at a time across. */
const group = 4;
const mostBytes = 16384;

/** The most rows of a unit across: a power of two. */
export function scanWidth({ state }: ScanSpec): number {
  const bytes = state.reduce((sum, { dtype }) => sum + dtypes[dtype].itemsize, 0);
  return Math.min(1024, 2 ** Math.floor(Math.log2(mostBytes / bytes)));
}

/** The kernel across the rows. */
export function buildScanAcross(spec: ScanSpec, classes: number): Kernel {
  const names = namesOf(spec);
  const width = scanWidth(spec);
  const sizes = [
    size("n", 0),
    size("across", 0),
    size("wide", 1, width),
    size("blocks", 1),
    size("units", 0),
    ...names.map((name) => step(`${name}_n`)),
  ];
  const [n, across, wide, blocks, units] = sizes.map(sizeSymbol) as [Expr, Expr, Expr, Expr, Expr];
  const [u, first, g, q] = ["u", "first", "g", "q"].map(loopSymbol) as [Expr, Expr, Expr, Expr];
  let loops = 0;
  const eachRow = (make: (j: Expr) => Statement[]): Statement => {
    const index = `j${loops++}`;
    return loop("vector", index, constant(0), wide.min(across.sub(first)), make(loopSymbol(index)), 16);
  };
  const placeOf = (k: number, i: Expr, j: Expr): Expr => {
    const name = names[k];
    const row = offsetSymbol(`${name}_at`).add(stepped(classes, k, `${name}_row`, first.add(j)));
    return row.add(sizeSymbol(step(`${name}_n`)).mul(i));
  };
  const stateAt = (j: Expr): Scalar[] => spec.state.map(({ dtype }, k) => loadScalar(dtype, `state${k}`, j));
  const steps = (i: Expr, count: number): Statement =>
    eachRow((j) => {
      const state = stateAt(j);
      const stores: Statement[] = [];
      for (let k = 0; k < count; k++) {
        const at = i.add(k);
        const [element, factor] = elementsAt(spec, (o) => placeOf(o, at, j));
        const number = indexScalar("int64", at);
        for (const { into, fn, value } of spec.steps)
          state[into] = call(fn, state[into], value(element, state.slice(), number, factor));
        spec.results(state).forEach((value, o) => {
          stores.push({ kind: "store", buffer: names[o], index: placeOf(o, at, j), value });
        });
      }
      // All states are known before the first is stored: each may be made of the others.
      const end = loops;
      return [
        ...state.map((value, k): Statement => ({ kind: "let", name: `next${k}_${end}`, value })),
        ...stores,
        ...state.map(
          ({ dtype }, k): Statement => ({
            kind: "store",
            buffer: `state${k}`,
            index: j,
            value: namedScalar(dtype, `next${k}_${end}`),
          }),
        ),
      ];
    });
  const groups = n.floorDiv(group);
  return {
    name: `${spec.name}_across_${inClasses(classes, names)}`,
    ...parameters(spec, names),
    sizes: [...sizes, ...names.filter((_, k) => classOf(classes, k) !== 1).map((name) => step(`${name}_row`))],
    body: [
      loop("parallel", "u", constant(0), units, [
        { kind: "walk", modes: "rows", position: u.floorDiv(blocks), offsets: names.map((name) => `${name}_at`) },
        { kind: "index", name: "first", value: wide.mul(u.mod(blocks)) },
        ...spec.state.map(
          ({ dtype }, k): Statement => ({ kind: "allocate", name: `state${k}`, dtype, length: width, space: "smem" }),
        ),
        eachRow((j) =>
          spec.state.map(
            ({ dtype, initial }, k): Statement => ({
              kind: "store",
              buffer: `state${k}`,
              index: j,
              value: constantScalar(dtype, initial),
            }),
          ),
        ),
        loop("serial", "g", constant(0), groups, [steps(g.mul(group), group)]),
        loop("serial", "q", groups.mul(group), n, [steps(q, 1)]),
      ]),
    ],
  };
}
