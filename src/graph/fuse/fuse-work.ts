/**
 * Combines two calls of kernels to one: a map and a call that reads its result, or a row kernel and a map behind it. Coordinates are composed
 * (`coordinates.ts`), and specs by substitution: the value that the map computes takes the place of the element that was read. It is still rounded
 * to its dtype, so the bits of results stay.
 */
import { getOrCompute } from "../../base/lazy.ts";
import { runtime } from "../../base/runtime.ts";
import type { Scalar } from "../../kernel/ir/scalar.ts";
import { MapKernel } from "../../kernel/map/map.ts";
import { type MapSpec, maxOperands } from "../../kernel/map/spec.ts";
import type { ElementStorage, Operand } from "../../kernel/operand.ts";
import type { KernelWork, MapWork, WorkOperands } from "../../kernel/program/builder.ts";
import { reduceOrder } from "../../kernel/program/lower-reduce.ts";
import { rowOrder } from "../../kernel/program/lower-rows.ts";
import { type EarlierPhase, ReduceKernel, type ReduceSpec } from "../../kernel/reduce/spec.ts";
import { RowKernel, type RowSpec } from "../../kernel/rows/spec.ts";
import { simplifyFlat } from "../../layout/flat.ts";
import { areBytesDisjoint } from "../../storage/byte-range.ts";
import { type DType, dtypes } from "../../storage/dtype.ts";
import { Storage } from "../../storage/storage.ts";
import { composeOperands, flatMapOf, splitAxes, splitFor } from "./coordinates.ts";

type Scalars = readonly Scalar[];

/** The largest number of functions that a fused kernel computes for an element. */
const maxFunctions = 96;

/** Fused kernels by key, and numbers of kernels to form keys. */
const fused = /* @__PURE__ */ runtime.own("graph/fuse/fuse-work", {
  kernels: new Map<string, MapKernel | ReduceKernel | RowKernel>(),
  numbers: new WeakMap<object, number>(),
  count: 0,
});
const maxKernels = 512;

/** A number for a kernel, to form keys. */
export const numberOf = (kernel: object): number => getOrCompute(fused.numbers, kernel, () => ++fused.count);

export function fusedKernel<K extends MapKernel | ReduceKernel | RowKernel>(key: string, create: () => K): K {
  const { kernels } = fused;
  if (kernels.size >= maxKernels && !kernels.has(key)) kernels.clear();
  return getOrCompute(kernels, key, create) as K;
}

/** True if bytes of two storages may be the same. */
export const mayShareBytes = (a: ElementStorage, b: ElementStorage): boolean => {
  if (a === b) return true;
  if (!(a instanceof Storage && b instanceof Storage) || a.isScratch || b.isScratch) return false;
  return !areBytesDisjoint(a, b);
};

/** A spec of a map over symbolic inputs; null if it uses the number of an element. */
export function bodyOf({ spec }: MapKernel): ((inputs: Scalars, scalars: Scalars) => Scalars) | null {
  if (spec.body.length > 2) return null;
  return (inputs, scalars) => spec.body(inputs, scalars, noNumber);
}

const noNumber = (): never => {
  throw new Error("a fused map has no element numbers");
};

const sizes = /* @__PURE__ */ new WeakMap<MapKernel, number>();

/** The number of functions that a map computes for an element; casts and loads do not count. */
export function functionsOf({ kernel }: MapWork): number {
  return getOrCompute(sizes, kernel, () => {
    const body = bodyOf(kernel);
    if (body === null) return Number.POSITIVE_INFINITY;
    const { spec } = kernel;
    const values = spec.values ?? body(spec.inputs.map(placeholder), spec.scalars.map(placeholder));
    const seen = new Set<Scalar>();
    let count = 0;
    const visit = (value: Scalar): void => {
      if (seen.has(value)) return;
      seen.add(value);
      if (value.kind === "call") {
        // Functions of several terms cost much more than arithmetic.
        count += cheap.has(value.fn) ? 1 : 8;
        for (const arg of value.args) visit(arg);
      } else if (value.kind === "cast") visit(value.of);
    };
    values.forEach(visit);
    return count;
  });
}

/**
 * True if a row kernel that computes over input k, in its place, needs the input again after it has kept a term there (`RowSpec.keeps`).
 */
export function overwritesEarly({ spec }: RowKernel, k: number): boolean {
  if (spec.keeps !== true) return false;
  const inputs = spec.inputs.map(placeholder);
  const scalars = spec.scalars.map(placeholder);
  const known: Scalar[] = [];
  for (const { accumulators, finish } of spec.phases)
    known.push(
      ...finish(
        accumulators.map(({ total }) => placeholder(total, 0)),
        scalars,
        known,
      ),
    );
  const reads = (value: Scalar): boolean =>
    value === inputs[k] ||
    (value.kind === "call" && value.args.some(reads)) ||
    (value.kind === "cast" && reads(value.of));
  return spec.values(inputs, scalars, known, placeholder(spec.outputs[0], 0)).some(reads);
}

const cheap = /* @__PURE__ */ new Set(
  "add sub mul neg abs min max smaller larger select eq ne lt le gt ge and or not div sqrt".split(" "),
);

const placeholder = (dtype: DType, k: number): Scalar => ({ kind: "named", dtype, name: `v${k}` }) as unknown as Scalar;

/** Fuses a map into a task that reads its result. Returns null if that is not possible. */
export function fuseInto(map: MapWork, reader: Exclude<KernelWork, { kind: "contract" }>): KernelWork | null {
  const { storage } = map.operands.outputs[0];
  const readerOperands = reader.operands;
  const held = reader.kind === "reduce" ? (reader.kernel.spec.held?.length ?? 0) : 0;
  const first = readerOperands.inputs.length - held;
  if (readerOperands.inputs.slice(first).some((input) => input.storage === storage)) return null;
  // A reader that overwrites the result must have read the same element of it.
  if (readerOperands.outputs.some((output) => output.storage === storage) && !overwrites(map, reader)) return null;
  // An output of the reader must not overwrite what the map reads, unless at the same element.
  const body = bodyOf(map.kernel);
  if (body === null || functionsOf(map) > maxFunctions) return null;
  // Copies move bits: such a map passes its input on, in the dtype of its user; such a reader stores the value of the map.
  const isBits = reader.kind === "map" && reader.kernel.spec.isCopy === true;
  const isPassed = map.kernel.spec.isCopy === true;
  const uses = readerOperands.inputs.flatMap((input, k) => (input.storage === storage ? [k] : []));
  let shape = reader.kind === "reduce" ? readerOperands.inputs[0].shape : readerOperands.outputs[0].shape;
  let operands = { outputs: readerOperands.outputs, inputs: readerOperands.inputs };
  const [result] = map.operands.outputs;
  for (const k of uses) {
    const { dtype } = readerOperands.inputs[k];
    if (isPassed ? dtypes[dtype].itemsize !== dtypes[result.dtype].itemsize : !isBits && dtype !== result.dtype)
      return null;
    if (isPassed && readerOperands.inputs[uses[0]].dtype !== dtype) return null;
  }
  const from = flatMapOf(map.operands);
  const passed = isPassed && !isBits ? readerOperands.inputs[uses[0]].dtype : null;
  const reads: (readonly Operand[])[] = [];
  for (const k of uses) {
    const split = splitFor(from.out, operands.inputs[k]);
    if (split === null) return null;
    if (split.length > 0) {
      if (reader.kind === "rows") return null;
      const rank = reader.kind === "reduce" ? operands.outputs[0].shape.length : shape.length;
      operands = {
        outputs: operands.outputs.map((each) => splitAxes(each, split, rank)),
        inputs: operands.inputs.map((each) => splitAxes(each, split, each.shape.length)),
      };
      shape = reader.kind === "reduce" ? operands.inputs[0].shape : operands.outputs[0].shape;
    }
  }
  for (const k of uses) {
    const read = composeOperands(from, operands.inputs[k]);
    if (read === null) return null;
    reads.push(passed === null ? read : read.map((input) => ({ ...input, dtype: passed })));
  }
  const count = map.operands.inputs.length;
  const rest = operands.inputs.filter((_, k) => !uses.includes(k));
  // Each use of the result reads the inputs of the map at its own offsets; equal operands are read once.
  const inputs: Operand[] = [];
  const indexOf = (operand: Operand): number => {
    const index = inputs.findIndex((other) => isEqual(other, operand));
    return index >= 0 ? index : inputs.push(operand) - 1;
  };
  const wiring = operands.inputs.slice(0, first).map((operand, k) => {
    const useIndex = uses.indexOf(k);
    return useIndex < 0 ? indexOf(operand) : reads[useIndex].map(indexOf);
  });
  const heldInputs = operands.inputs.slice(first);
  if (inputs.length + heldInputs.length + readerOperands.outputs.length > maxOperands || rest.length < 0) return null;
  const key = `${numberOf(map.kernel)} into ${numberOf(reader.kernel)} ${JSON.stringify(wiring)} ${inputs.map(({ dtype }) => dtype)}`;
  const scalars = [...map.operands.scalars, ...readerOperands.scalars];
  const mapScalars = map.kernel.spec.scalars;
  const substitute = (values: Scalars, numbersIn: Scalars): Scalar[] =>
    wiring.map((use) => {
      if (typeof use === "number") return values[use];
      if (passed !== null) return values[use[0]];
      return body(
        use.slice(0, count).map((k) => values[k]),
        numbersIn.slice(0, mapScalars.length),
      )[0];
    });
  const ownScalars = (list: Scalars): Scalars => list.slice(mapScalars.length);
  const types = inputs.map(({ dtype }) => dtype);
  const all: WorkOperands = { outputs: operands.outputs, inputs: [...inputs, ...heldInputs], scalars };
  if (reader.kind === "map") {
    const { spec } = reader.kernel;
    const outputs = isBits ? [map.kernel.spec.outputs[0]] : spec.outputs;
    if (isBits && dtypes[outputs[0]].itemsize !== dtypes[spec.outputs[0]].itemsize) return null;
    const kernel = fusedKernel(`map ${key}`, () => {
      const fused: MapSpec = {
        name: nameOf(map.kernel.spec.name, spec.name),
        outputs,
        inputs: types,
        scalars: [...mapScalars, ...spec.scalars],
        body: (values, numbersIn) =>
          isBits
            ? substitute(values, numbersIn)
            : spec.body(substitute(values, numbersIn), ownScalars(numbersIn), noNumber),
      };
      return new MapKernel(fused);
    });
    const targets = isBits ? all.outputs.map((output) => ({ ...output, dtype: outputs[0] })) : all.outputs;
    if (!isInPlaceSafe(targets, inputs)) return null;
    return {
      ...reader,
      kernel,
      operands: { ...all, outputs: targets },
      idempotent: reader.idempotent && map.idempotent,
    };
  }
  if (!areOutputsApart(all.outputs, inputs)) return null;
  if (reader.kind === "reduce") {
    if (!hasSameOrder(readerOperands, all)) return null;
    const kernel = fusedKernel(
      `reduce ${key}`,
      () =>
        new ReduceKernel(
          fusedReduce(
            reader.kernel.spec,
            nameOf(map.kernel.spec.name, reader.kernel.spec.name),
            types,
            mapScalars,
            substitute,
            ownScalars,
          ),
        ),
    );
    // Terms of wider dtypes are combined in fewer vector lanes.
    if (
      reduceOrder(reader.kernel, readerOperands.outputs, readerOperands.inputs) !==
      reduceOrder(kernel, all.outputs, all.inputs)
    )
      return null;
    return { ...reader, kernel, operands: all };
  }
  const { spec } = reader.kernel;
  // Inputs that phases read come first.
  const isRead = (k: number): boolean => wiring.slice(0, spec.read).flat().includes(k);
  const order = inputs.map((_, k) => k).sort((a, b) => Number(isRead(b)) - Number(isRead(a)) || a - b);
  const inverse = order.map((_, k) => order.indexOf(k));
  const unordered = (values: Scalars): Scalar[] => inverse.map((k) => values[k]);
  const read = inputs.filter((_, k) => isRead(k)).length;
  const kernel = fusedKernel(`rows ${key}`, () => {
    const withInputs = (values: Scalars, numbersIn: Scalars): Scalar[] => {
      // Phases have only the inputs that they read.
      const full =
        values.length === read ? [...values, ...order.slice(read).map((k) => placeholder(types[k], k))] : values;
      return substitute(unordered(full), numbersIn);
    };
    const fused: RowSpec = {
      ...spec,
      name: nameOf(map.kernel.spec.name, spec.name),
      inputs: order.map((k) => types[k]),
      scalars: [...mapScalars, ...spec.scalars],
      read,
      phases: spec.phases.map((phase) => fusedPhase(phase, withInputs, ownScalars, spec.read)),
      values: (values, numbersIn, known, term) =>
        spec.values(withInputs(values, numbersIn), ownScalars(numbersIn), known, term),
    };
    return new RowKernel(fused);
  });
  const fusedRows = { ...reader, kernel, operands: { ...all, inputs: order.map((k) => inputs[k]) } };
  return orderOfRows(reader) === orderOfRows(fusedRows) ? fusedRows : null;
}

/** True if a map reads the result of another one element by element, and writes to its place. */
export function overwrites(map: MapWork, reader: KernelWork): boolean {
  const [result] = map.operands.outputs;
  const { outputs, inputs } = reader.operands;
  const isResult = ({ dtype, offset, stride, shape }: Operand): boolean =>
    offset === result.offset &&
    `${stride} of ${shape}` === `${result.stride} of ${result.shape}` &&
    dtypes[dtype].itemsize === dtypes[result.dtype].itemsize;
  const isOwn = ({ storage }: Operand): boolean => storage === result.storage;
  if (reader.kind !== "map" || !outputs.some(isOwn) || !inputs.some(isOwn)) return false;
  return [...outputs, ...inputs].filter(isOwn).every(isResult);
}

const orderOfRows = ({ kernel, axes, operands }: Extract<KernelWork, { kind: "rows" }>): string =>
  rowOrder(kernel, axes, operands.outputs, operands.inputs);

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

export const nameOf = (first: string, second: string): string =>
  `${first}_${second.replace(/^[a-z]+\d+_/, "")}`.slice(0, 60);

type Substitute = (values: Scalars, scalars: Scalars) => Scalar[];

function fusedPhase(
  phase: EarlierPhase,
  substitute: Substitute,
  ownScalars: (list: Scalars) => Scalars,
  count?: number,
): EarlierPhase {
  return {
    ...phase,
    terms: (values, scalars, known, number) =>
      phase.terms(substitute(values, scalars).slice(0, count), ownScalars(scalars), known, number),
    finish: (totals, scalars, known) => phase.finish(totals, ownScalars(scalars), known),
  };
}

function fusedReduce(
  spec: ReduceSpec,
  name: string,
  inputs: readonly DType[],
  scalars: readonly DType[],
  substitute: Substitute,
  ownScalars: (list: Scalars) => Scalars,
): ReduceSpec {
  return {
    ...spec,
    name,
    inputs,
    scalars: [...scalars, ...spec.scalars],
    ...(spec.before && { before: spec.before.map((phase) => fusedPhase(phase, substitute, ownScalars)) }),
    terms: (values, numbersIn, known, number) =>
      spec.terms(substitute(values, numbersIn), ownScalars(numbersIn), known, number),
    finish: (totals, numbersIn, known) => spec.finish(totals, ownScalars(numbersIn), known),
  };
}

/** Fuses a map behind a row kernel: the map reads the result at the coordinates at which the kernel computes it. */
export function fuseBehindRows(rows: Extract<KernelWork, { kind: "rows" }>, map: MapWork): KernelWork | null {
  const [result] = rows.operands.outputs;
  const body = bodyOf(map.kernel);
  if (body === null || functionsOf(map) > maxFunctions) return null;
  const { spec } = rows.kernel;
  const isBits = map.kernel.spec.isCopy === true;
  const outputs = isBits ? [spec.outputs[0]] : map.kernel.spec.outputs;
  if (spec.keeps === true && outputs[0] !== spec.outputs[0]) return null;
  // The map's own operands over the coordinates of the rows.
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
  const key = `behind ${numberOf(rows.kernel)} ${numberOf(map.kernel)} ${readsResult} ${otherInputs.map(({ dtype }) => dtype)}`;
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

export const isEqual = (a: Operand, b: Operand): boolean =>
  a.storage === b.storage && a.dtype === b.dtype && a.offset === b.offset && `${a.stride}` === `${b.stride}`;

/** True if outputs of a map overlap its inputs at most exactly in place. */
export const isInPlaceSafe = (outputs: readonly Operand[], inputs: readonly Operand[]): boolean =>
  outputs.every((output) =>
    inputs.every(
      (input) =>
        !mayShareBytes(output.storage, input.storage) ||
        (output.storage === input.storage &&
          output.offset === input.offset &&
          `${output.stride}` === `${input.stride}` &&
          output.dtype === input.dtype),
    ),
  );

export const areOutputsApart = (outputs: readonly Operand[], inputs: readonly Operand[]): boolean =>
  outputs.every((output) => inputs.every((input) => !mayShareBytes(output.storage, input.storage)));
