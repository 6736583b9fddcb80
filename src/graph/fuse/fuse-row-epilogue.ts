/**
 * Fuses a map into the row kernel whose result it reads, such as a softmax, as an epilogue: the kernel computes the map at each element of its
 * result. The value of the row kernel is still rounded to its dtype, so results are bit-identical.
 */
import { maxOperands } from "../../kernel/map/spec.ts";
import type { KernelWork, MapWork } from "../../kernel/program/builder.ts";
import { rowOrder } from "../../kernel/program/lower-rows.ts";
import { RowKernel, type RowSpec } from "../../kernel/rows/spec.ts";
import { composeOperands } from "./coordinates.ts";
import { fusedKernel, nameOf, numberOf } from "./fused-kernels.ts";
import { areOutputsApart, isEqual } from "./overlap.ts";
import { bodyOf, functionsOf, maxFunctions, type Scalars } from "./spec-values.ts";

export type RowWork = Extract<KernelWork, { kind: "rows" }>;

/** The order in which a row kernel combines its terms, as text. */
export const orderOfRows = ({ kernel, axes, operands }: RowWork): string =>
  rowOrder(kernel, axes, operands.outputs, operands.inputs);

/** Fuses a map into a row kernel. Null if the map does not read the result once, at the coordinates at which the kernel computes it. */
export function fuseRowEpilogue(rows: RowWork, map: MapWork): KernelWork | null {
  const [result] = rows.operands.outputs;
  const body = bodyOf(map.kernel);
  if (body === null || functionsOf(map) > maxFunctions) return null;
  const { spec } = rows.kernel;
  const isBits = map.kernel.spec.isCopy === true;
  const outputs = isBits ? [spec.outputs[0]] : map.kernel.spec.outputs;
  if (spec.keeps === true && outputs[0] !== spec.outputs[0]) return null;
  // The other operands of the map, over the coordinates of the rows.
  const use = map.operands.inputs.findIndex(({ storage }) => storage === result.storage);
  const [target] = map.operands.outputs;
  const others = map.operands.inputs.filter(({ storage }) => storage !== result.storage);
  if (
    map.operands.inputs.some((input) => input.storage === result.storage && !isEqual(input, map.operands.inputs[use]))
  )
    return null;
  const moved = composeOperands({ out: map.operands.inputs[use], inputs: [target, ...others] }, result);
  if (moved === null) return null;
  const [to, ...otherInputs] = moved;
  const inputs = [...rows.operands.inputs, ...otherInputs];
  const targets = [isBits ? { ...to, dtype: outputs[0] } : to];
  if (inputs.length + 1 > maxOperands || !areOutputsApart(targets, inputs)) return null;
  const count = rows.operands.inputs.length;
  const readsResult = map.operands.inputs.map(({ storage }) => storage === result.storage);
  const key = `epilogue ${numberOf(rows.kernel)} ${numberOf(map.kernel)} ${readsResult} ${otherInputs.map(({ dtype }) => dtype)}`;
  const mapScalars = map.kernel.spec.scalars;
  const kernel = fusedKernel(key, () => {
    const rowScalars = (list: Scalars): Scalars => list.slice(0, spec.scalars.length);
    const fused: RowSpec = {
      ...spec,
      name: nameOf(spec.name, map.kernel.spec.name),
      outputs,
      inputs: inputs.map(({ dtype }) => dtype),
      scalars: [...spec.scalars, ...mapScalars],
      phases: spec.phases.map((phase) => ({
        ...phase,
        terms: (values, scalars, known, number) => phase.terms(values, rowScalars(scalars), known, number),
        finish: (totals, scalars, known) => phase.finish(totals, rowScalars(scalars), known),
      })),
      values: (values, scalars, known, term) => {
        const [value] = spec.values(values.slice(0, count), rowScalars(scalars), known, term);
        if (isBits) return [value];
        let at = count;
        return body(
          readsResult.map((isResult) => (isResult ? value : values[at++])),
          scalars.slice(spec.scalars.length),
        );
      },
    };
    return new RowKernel(fused);
  });
  const scalars = [...rows.operands.scalars, ...map.operands.scalars];
  const fusedRows = { ...rows, kernel, operands: { outputs: targets, inputs, scalars } };
  return orderOfRows(rows) === orderOfRows(fusedRows) ? fusedRows : null;
}
