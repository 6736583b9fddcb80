/**
 * Fuses a map into a kernel call that reads its result (the reader). The coordinates of both are composed (`coordinates.ts`), and in the reader's
 * spec the value that the map computes replaces the element that was read. It is still rounded to its dtype, so results are bit-identical.
 */
import { MapKernel } from "../../kernel/map/map.ts";
import { type MapSpec, maxOperands } from "../../kernel/map/spec.ts";
import type { Operand } from "../../kernel/operand.ts";
import type { KernelWork, MapWork, WorkOperands } from "../../kernel/program/builder.ts";
import { reduceOrder } from "../../kernel/program/lower-reduce.ts";
import { type EarlierPhase, ReduceKernel, type ReduceSpec } from "../../kernel/reduce/spec.ts";
import { RowKernel, type RowSpec } from "../../kernel/rows/spec.ts";
import { simplifyFlat } from "../../layout/flat.ts";
import { type DType, dtypes } from "../../storage/dtype.ts";
import { composeOperands, flatMapOf, splitAxes, splitFor } from "./coordinates.ts";
import { orderOfRows, type RowWork } from "./fuse-row-epilogue.ts";
import { fusedKernel, nameOf, numberOf } from "./fused-kernels.ts";
import { areOutputsApart, isEqual, isInPlaceSafe, overwrites } from "./overlap.ts";
import { bodyOf, functionsOf, maxFunctions, noNumber, placeholder, type Scalars } from "./spec-values.ts";

type ReduceWork = Extract<KernelWork, { kind: "reduce" }>;
type Reader = MapWork | ReduceWork | RowWork;

/** The substitution of a map for the elements that a reader reads. */
interface Substitution {
  /** Distinguishes different fusions of the same two kernels. */
  readonly key: string;
  readonly name: string;
  /** The operands of the reader and of the map. Equal inputs are merged. */
  readonly operands: WorkOperands;
  /** The dtypes of the inputs, except those that a reduction holds. */
  readonly types: readonly DType[];
  /** The dtypes of the scalars of the map, which come before those of the reader. */
  readonly mapScalars: readonly DType[];
  /** The inputs of the fused kernel that each input of the reader needs. */
  readonly needs: readonly (readonly number[])[];
  /** Returns the values that the reader reads, from those of the fused kernel. */
  readonly values: (values: Scalars, scalars: Scalars) => Scalars;
  /** Returns the scalars of the reader. */
  readonly ownScalars: (scalars: Scalars) => Scalars;
}

/** Fuses a map into a task that reads its result. Returns null if that is not possible. */
export function fuseInto(map: MapWork, reader: Reader): KernelWork | null {
  const { storage } = map.operands.outputs[0];
  const { outputs, inputs } = reader.operands;
  if (inputs.slice(inputs.length - heldBy(reader)).some((input) => input.storage === storage)) return null;
  // A reader that overwrites the result must have read the same element of it.
  if (outputs.some((output) => output.storage === storage) && !overwrites(map, reader)) return null;
  const substitution = substitute(map, reader);
  if (substitution === null) return null;
  if (reader.kind === "map") return intoMap(map, reader, substitution);
  if (!areOutputsApart(substitution.operands.outputs, substitution.operands.inputs.slice(0, substitution.types.length)))
    return null;
  return reader.kind === "reduce" ? intoReduce(reader, substitution) : intoRows(reader, substitution);
}

/** The number of inputs, the last ones, that a reduction holds while it reads others. */
const heldBy = (reader: Reader): number => (reader.kind === "reduce" ? (reader.kernel.spec.held?.length ?? 0) : 0);

/** True if a reader moves bits: it stores the value of the map. */
const isBitCopy = (reader: Reader): boolean => reader.kind === "map" && reader.kernel.spec.isCopy === true;

/** Substitutes the map for its result. Returns null if the reader's coordinates or dtypes do not fit. */
function substitute(map: MapWork, reader: Reader): Substitution | null {
  const body = bodyOf(map.kernel);
  if (body === null || functionsOf(map) > maxFunctions) return null;
  const first = reader.operands.inputs.length - heldBy(reader);
  const [result] = map.operands.outputs;
  const uses = reader.operands.inputs.flatMap((input, k) => (input.storage === result.storage ? [k] : []));
  const types = uses.map((k) => reader.operands.inputs[k].dtype);
  // A copy returns its input, in the dtype of its user.
  const isPassed = map.kernel.spec.isCopy === true;
  const fits = (dtype: DType): boolean =>
    isPassed
      ? dtype === types[0] && dtypes[dtype].itemsize === dtypes[result.dtype].itemsize
      : isBitCopy(reader) || dtype === result.dtype;
  if (!types.every(fits)) return null;
  const operands = splitUses(map, reader, uses);
  if (operands === null) return null;
  const from = flatMapOf(map.operands);
  const passed = isPassed && !isBitCopy(reader) ? types[0] : null;
  // Each use of the result reads the inputs of the map at its own offsets; equal operands are read once.
  const inputs: Operand[] = [];
  const indexOf = (operand: Operand): number => {
    const index = inputs.findIndex((other) => isEqual(other, operand));
    return index >= 0 ? index : inputs.push(operand) - 1;
  };
  const wiring: (number | readonly number[])[] = [];
  for (const [k, operand] of operands.inputs.slice(0, first).entries()) {
    if (!uses.includes(k)) {
      wiring.push(indexOf(operand));
      continue;
    }
    const read = composeOperands(from, operand);
    if (read === null) return null;
    wiring.push(read.map((input) => indexOf(passed === null ? input : { ...input, dtype: passed })));
  }
  const all = [...inputs, ...operands.inputs.slice(first)];
  if (all.length + operands.outputs.length > maxOperands) return null;
  const mapScalars = map.kernel.spec.scalars;
  return {
    key: `${numberOf(map.kernel)} into ${numberOf(reader.kernel)} ${JSON.stringify(wiring)} ${inputs.map(({ dtype }) => dtype)}`,
    name: nameOf(map.kernel.spec.name, reader.kernel.spec.name),
    operands: {
      outputs: operands.outputs,
      inputs: all,
      scalars: [...map.operands.scalars, ...reader.operands.scalars],
    },
    types: inputs.map(({ dtype }) => dtype),
    mapScalars,
    needs: wiring.map((use) => (typeof use === "number" ? [use] : use)),
    values: (values, scalars) =>
      wiring.map((use) => {
        if (typeof use === "number") return values[use];
        if (passed !== null) return values[use[0]];
        return body(
          use.map((k) => values[k]),
          scalars.slice(0, mapScalars.length),
        )[0];
      }),
    ownScalars: (scalars) => scalars.slice(mapScalars.length),
  };
}

/** Returns the operands of a reader with axes split where a use of the result runs through several of its modes. */
function splitUses(map: MapWork, reader: Reader, uses: readonly number[]): Omit<WorkOperands, "scalars"> | null {
  const { out } = flatMapOf(map.operands);
  let { outputs, inputs } = reader.operands;
  for (const k of uses) {
    const split = splitFor(out, inputs[k]);
    if (split === null) return null;
    if (split.length === 0) continue;
    if (reader.kind === "rows") return null;
    const rank = outputs[0].shape.length;
    outputs = outputs.map((each) => splitAxes(each, split, rank));
    inputs = inputs.map((each) => splitAxes(each, split, each.shape.length));
  }
  return { outputs, inputs };
}

function intoMap(map: MapWork, reader: MapWork, substitution: Substitution): MapWork | null {
  const { key, name, operands, types, mapScalars, values, ownScalars } = substitution;
  const { spec } = reader.kernel;
  const isBits = isBitCopy(reader);
  const outputs = isBits ? [map.kernel.spec.outputs[0]] : spec.outputs;
  if (isBits && dtypes[outputs[0]].itemsize !== dtypes[spec.outputs[0]].itemsize) return null;
  const targets = isBits ? operands.outputs.map((output) => ({ ...output, dtype: outputs[0] })) : operands.outputs;
  // The reader must not overwrite an input of the map, unless it writes each element after the map reads it.
  if (!isInPlaceSafe(targets, operands.inputs)) return null;
  const kernel = fusedKernel(`map ${key}`, () => {
    const fused: MapSpec = {
      name,
      outputs,
      inputs: types,
      scalars: [...mapScalars, ...spec.scalars],
      body: (elements, scalars) => {
        const read = values(elements, scalars);
        return isBits ? read : spec.body(read, ownScalars(scalars), noNumber);
      },
    };
    return new MapKernel(fused);
  });
  const idempotent = reader.idempotent && map.idempotent;
  return { ...reader, kernel, operands: { ...operands, outputs: targets }, idempotent };
}

function intoReduce(reader: ReduceWork, substitution: Substitution): ReduceWork | null {
  const { operands } = substitution;
  if (!hasSameOrder(reader.operands, operands)) return null;
  const kernel = fusedKernel(
    `reduce ${substitution.key}`,
    () => new ReduceKernel(fusedReduce(reader.kernel.spec, substitution)),
  );
  // Terms of wider dtypes are combined in fewer vector lanes.
  const before = reduceOrder(reader.kernel, reader.operands.outputs, reader.operands.inputs);
  return before === reduceOrder(kernel, operands.outputs, operands.inputs) ? { ...reader, kernel, operands } : null;
}

function intoRows(
  reader: RowWork,
  { key, name, operands, types, mapScalars, needs, values, ownScalars }: Substitution,
): RowWork | null {
  const { spec } = reader.kernel;
  // Inputs that phases read come first.
  const isRead = (k: number): boolean => needs.slice(0, spec.read).flat().includes(k);
  const order = types.map((_, k) => k).sort((a, b) => Number(isRead(b)) - Number(isRead(a)) || a - b);
  const inverse = order.map((_, k) => order.indexOf(k));
  const read = types.filter((_, k) => isRead(k)).length;
  const kernel = fusedKernel(`rows ${key}`, () => {
    const withInputs = (elements: Scalars, scalars: Scalars): Scalars => {
      // Phases have only the inputs that they read.
      const full =
        elements.length === read ? [...elements, ...order.slice(read).map((k) => placeholder(types[k], k))] : elements;
      return values(
        inverse.map((k) => full[k]),
        scalars,
      );
    };
    const fused: RowSpec = {
      ...spec,
      name,
      inputs: order.map((k) => types[k]),
      scalars: [...mapScalars, ...spec.scalars],
      read,
      phases: spec.phases.map((phase) => fusedPhase(phase, withInputs, ownScalars, spec.read)),
      values: (elements, scalars, known, term) =>
        spec.values(withInputs(elements, scalars), ownScalars(scalars), known, term),
    };
    return new RowKernel(fused);
  });
  const fusedRows = { ...reader, kernel, operands: { ...operands, inputs: order.map((k) => operands.inputs[k]) } };
  return orderOfRows(reader) === orderOfRows(fusedRows) ? fusedRows : null;
}

/** True if a reduction over other inputs walks the same modes, so that terms are combined in the same order. */
function hasSameOrder(before: WorkOperands, after: WorkOperands): boolean {
  const modes = ({ outputs, inputs }: WorkOperands): string => {
    const rank = outputs[0].shape.length;
    const lists = [inputs[0].shape.slice(0, rank), inputs[0].shape.slice(rank)];
    return lists
      .map((shape, part) => {
        const full = inputs.filter((input) => input.shape.length === inputs[0].shape.length);
        const strides = full.map(({ stride }) => (part === 0 ? stride.slice(0, rank) : stride.slice(rank)));
        return simplifyFlat(
          shape,
          full.map(() => 0),
          strides,
        ).sizes.join(" ");
      })
      .join(" by ");
  };
  return modes(before) === modes(after);
}

function fusedPhase(
  phase: EarlierPhase,
  values: Substitution["values"],
  ownScalars: Substitution["ownScalars"],
  count?: number,
): EarlierPhase {
  return {
    ...phase,
    terms: (elements, scalars, known, number) =>
      phase.terms(values(elements, scalars).slice(0, count), ownScalars(scalars), known, number),
    finish: (totals, scalars, known) => phase.finish(totals, ownScalars(scalars), known),
  };
}

function fusedReduce(spec: ReduceSpec, { name, types, mapScalars, values, ownScalars }: Substitution): ReduceSpec {
  return {
    ...spec,
    name,
    inputs: types,
    scalars: [...mapScalars, ...spec.scalars],
    ...(spec.before && { before: spec.before.map((phase) => fusedPhase(phase, values, ownScalars)) }),
    terms: (elements, scalars, known, number) =>
      spec.terms(values(elements, scalars), ownScalars(scalars), known, number),
    finish: (totals, scalars, known) => spec.finish(totals, ownScalars(scalars), known),
  };
}
