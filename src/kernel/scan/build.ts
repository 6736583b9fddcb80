/**
 * The kernels of a scan: along the axis, for a few rows at once with their states in accumulators; or across many rows, element by element,
 * with the states in the unit's memory. A row is scanned by one unit, from its first element. `classes` are the step classes of the
 * operands, outputs first: along the axis in the first form, from row to row in the second. A step of 0 is an argument here.
 * `../program/lower-scan.ts` passes the sizes.
 */
import { constant, type Expr } from "../../expr/expr.ts";
import { type DType, dtypes } from "../../storage/dtype.ts";
import type { Kernel, Statement } from "../ir/kernel.ts";
import { call, constantScalar, indexScalar, loadScalar, namedScalar, type Scalar } from "../ir/scalar.ts";
import {
  accumulate,
  allocate,
  blockedLoop,
  indexStatement,
  letStatement,
  loop,
  store,
  suffixed,
  walk,
} from "../ir/statements.ts";
import { anyStride, loopSymbol, offsetSymbol, sizeFrom, sizeSymbol } from "../ir/symbols.ts";
import { numbered } from "../map/spec.ts";
import { classOf, classText } from "../plan/step-classes.ts";
import type { ScanSpec } from "./spec.ts";

const namesOf = ({ outputs, factor }: ScanSpec): string[] => [
  ...numbered("out", outputs.length),
  "x",
  ...(factor === undefined ? [] : ["factor"]),
];

/** The elements of both inputs; without a second input, the first element twice. */
function elementsAt({ outputs, input, factor }: ScanSpec, indexOf: (k: number) => Expr): [Scalar, Scalar] {
  const element = loadScalar(input, "x", indexOf(outputs.length));
  return [element, factor === undefined ? element : loadScalar(factor, "factor", indexOf(outputs.length + 1))];
}

/** step * index, where operand k steps by its class. */
const stepped = (classes: number, k: number, name: string, index: Expr): Expr =>
  classOf(classes, k) === 1 ? index : sizeSymbol(anyStride(name)).mul(index);

const parameters = (spec: ScanSpec, names: readonly string[]): Pick<Kernel, "buffers" | "scalars" | "modes"> => ({
  buffers: names.map((name, k) => ({
    name,
    dtype: [...spec.outputs, spec.input, spec.factor][k] as DType,
    access: k < spec.outputs.length ? "write" : "read",
  })),
  scalars: [],
  modes: [{ name: "rows", buffers: names }],
});

/** Returns the kernel along the axis, `together` rows at a time. */
export function buildScan(spec: ScanSpec, classes: number, together: number): Kernel {
  const names = namesOf(spec);
  const sizes = [sizeFrom("n", 0), sizeFrom("groups", 0), sizeFrom("block", 1), sizeFrom("last", 0)];
  const [n, groups, block, last] = sizes.map(sizeSymbol);
  const [g, i] = ["g", "i"].map(loopSymbol);
  const begin: Statement[] = [];
  const body: Statement[] = [];
  for (let row = 0; row < together; row++) {
    const end = together === 1 ? "" : `_${row}`;
    const indexOf = (k: number): Expr =>
      offsetSymbol(`${names[k]}_at${end}`).add(stepped(classes, k, `${names[k]}_n`, i));
    // Past the end, the last row is scanned again.
    const position = together === 1 ? g : last.min(g.mul(together).add(row));
    const offsets = names.map((name) => `${name}_at${end}`);
    begin.push(walk("rows", position, offsets));
    const state = spec.state.map(({ dtype }, k) => namedScalar(dtype, `state${k}${end}`));
    spec.state.forEach(({ dtype, initial }, k) => {
      begin.push({ kind: "accumulator", name: `state${k}${end}`, initial: constantScalar(dtype, initial) });
    });
    const [element, factor] = elementsAt(spec, indexOf);
    const number = indexScalar("int64", i);
    for (const { into, fn, value } of spec.steps)
      body.push(accumulate(`state${into}${end}`, fn, value(element, state, number, factor)));
    body.push(...spec.results(state).map((value, k) => store(names[k], indexOf(k), value)));
  }
  return {
    name: `${spec.name}_${together}_${classText(classes, names.length)}`,
    ...parameters(spec, names),
    sizes: [...sizes, ...names.filter((_, k) => classOf(classes, k) !== 1).map((name) => anyStride(`${name}_n`))],
    body: [blockedLoop("g", groups, block, [...begin, loop("serial", "i", constant(0), n, body)])],
  };
}

/** Elements of a row that are scanned at a time across rows. */
const group = 4;
const maxBytes = 16384;

/** The largest number of rows of a unit across rows, a power of two. */
export function scanWidth({ state }: ScanSpec): number {
  const bytes = state.reduce((sum, { dtype }) => sum + dtypes[dtype].itemsize, 0);
  return Math.min(1024, 2 ** Math.floor(Math.log2(maxBytes / bytes)));
}

/** Returns the kernel across rows. */
export function buildScanAcross(spec: ScanSpec, classes: number): Kernel {
  const names = namesOf(spec);
  const width = scanWidth(spec);
  const sizes = [
    sizeFrom("n", 0),
    sizeFrom("across", 0),
    sizeFrom("wide", 1, width),
    sizeFrom("blocks", 1),
    sizeFrom("units", 0),
    ...names.map((name) => anyStride(`${name}_n`)),
  ];
  const [n, across, wide, blocks, units] = sizes.map(sizeSymbol);
  const [u, first, g, q] = ["u", "first", "g", "q"].map(loopSymbol);
  let loops = 0;
  const eachRow = (make: (j: Expr) => Statement[]): Statement => {
    const index = `j${loops++}`;
    return loop("vector", index, constant(0), wide.min(across.sub(first)), make(loopSymbol(index)), 16);
  };
  const indexOf = (k: number, i: Expr, j: Expr): Expr => {
    const name = names[k];
    const row = offsetSymbol(`${name}_at`).add(stepped(classes, k, `${name}_row`, first.add(j)));
    return row.add(sizeSymbol(anyStride(`${name}_n`)).mul(i));
  };
  const stateAt = (j: Expr): Scalar[] => spec.state.map(({ dtype }, k) => loadScalar(dtype, `state${k}`, j));
  const steps = (i: Expr, count: number): Statement =>
    eachRow((j) => {
      const state = stateAt(j);
      const stores: Statement[] = [];
      for (let k = 0; k < count; k++) {
        const at = i.add(k);
        const [element, factor] = elementsAt(spec, (o) => indexOf(o, at, j));
        const number = indexScalar("int64", at);
        for (const { into, fn, value } of spec.steps)
          state[into] = call(fn, state[into], value(element, state.slice(), number, factor));
        stores.push(...spec.results(state).map((value, o) => store(names[o], indexOf(o, at, j), value)));
      }
      // All states are computed before the first is stored, because each may depend on the others.
      const end = loops;
      return [
        ...state.map((value, k) => letStatement(`next${k}_${end}`, value)),
        ...stores,
        ...state.map(({ dtype }, k) => store(`state${k}`, j, namedScalar(dtype, `next${k}_${end}`))),
      ];
    });
  const groups = n.floorDiv(group);
  return {
    name: `${spec.name}_across_${classText(classes, names.length)}`,
    ...parameters(spec, names),
    sizes: [...sizes, ...names.filter((_, k) => classOf(classes, k) !== 1).map((name) => anyStride(`${name}_row`))],
    body: [
      loop("parallel", "u", constant(0), units, [
        walk("rows", u.floorDiv(blocks), suffixed(names, "_at")),
        indexStatement("first", wide.mul(u.mod(blocks))),
        ...spec.state.map(({ dtype }, k) => allocate(`state${k}`, dtype, width, "smem")),
        eachRow((j) =>
          spec.state.map(({ dtype, initial }, k) => store(`state${k}`, j, constantScalar(dtype, initial))),
        ),
        loop("serial", "g", constant(0), groups, [steps(g.mul(group), group)]),
        loop("serial", "q", groups.mul(group), n, [steps(q, 1)]),
      ]),
    ],
  };
}
