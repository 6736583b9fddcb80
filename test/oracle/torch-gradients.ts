/**
 * Recorded gradients of PyTorch: of the samples of its ops (`grads`, with sin(1), sin(2), ... as the gradient of each result), of
 * programs (`grads` of their inputs for `grad_out`; `jvp`, their tangents), and of the gradients of programs (`grad_of_s`). Values are judged elsewhere.
 */
import { AutogradError } from "../../src/autograd/error.ts";
import { grad } from "../../src/autograd/index.ts";
import * as api from "../../src/index.ts";
import { dtypes } from "../../src/storage/dtype.ts";
import { Tensor } from "../../src/tensor/tensor.ts";
import { failed, passed, skipped, type Verdict } from "./judge.ts";
import { knownGradientDifference } from "./known-gradient-differences.ts";
import type { Fields } from "./records.ts";
import { UnknownOpError } from "./torch-call.ts";
import { partsOfResult, recordedParts, tensorDifference } from "./torch-compare.ts";
import { ranProgram } from "./torch-forward.ts";
import { calledBy, isLinear, isRandom, isRefusal, judgeParts, resultOf } from "./torch-opinfo.ts";
import { type RecordedTensor, tensorOfRecord } from "./torch-values.ts";
import type { Json } from "./values.ts";

type ByName = Readonly<Record<string, RecordedTensor | null>>;

const isFloating = (t: Tensor): boolean => /float|complex/.test(dtypes[t.dtype].category);

/** The gradient of a result in samples: sin(1), sin(2), ... */
function sines(t: Tensor): Tensor {
  const values = Array.from({ length: t.size }, (_, k) => Math.sin(k + 1));
  const flat = values.length === 0 ? api.zeros([0]) : api.tensor(values, { dtype: "float64" });
  return flat.reshape([...t.shape]).to(t.dtype) as Tensor;
}

/** The gradients of some outputs, null for inputs without. */
function gradientsOf(
  outputs: readonly Tensor[],
  args: readonly Tensor[],
  inputs: readonly Tensor[],
  createGraph = false,
) {
  const recorded = outputs.map((t, k) => [t, args[k] as Tensor] as const).filter(([t]) => t.requiresGrad);
  if (recorded.length === 0) throw new AutogradError("the result asks for no gradients");
  const options = { gradOutputs: recorded.map(([, g]) => g), allowUnused: true, createGraph };
  return grad(
    recorded.map(([t]) => t),
    inputs,
    options,
  ) as (Tensor | null)[];
}

function gradientDifference(ours: Tensor | null, recorded: RecordedTensor | null, isLoose: boolean): string | null {
  const isZero = recorded?.data.flat().every((value) => Number(value) === 0);
  if (ours === null) return recorded === null ? null : `none, recorded ${isZero ? "zeros" : "one"}`;
  if (recorded !== null) return tensorDifference(ours, recorded, isLoose);
  return ours.eq(0).all().item() === true ? "zeros, recorded none" : `${ours}, recorded none`;
}

function firstDifference(
  ours: readonly (Tensor | null)[],
  recorded: readonly (RecordedTensor | null)[],
  nameOf: (k: number) => string,
  isLoose: boolean,
): string | null {
  for (const [k, each] of recorded.entries()) {
    const difference = gradientDifference(ours[k] ?? null, each, isLoose);
    if (difference !== null) return `gradient of ${nameOf(k)}: ${difference}`;
  }
  return null;
}

/** What came of it, or what was thrown; an op that is not here is skipped where its values are judged. */
function verdictOf(fields: Fields, run: () => string | null): Verdict | null {
  let difference: string | null;
  try {
    difference = run();
  } catch (error) {
    if (error instanceof UnknownOpError) return null;
    if (!(error instanceof Error)) throw error;
    difference = isRefusal(error)
      ? `refused: ${error.message}`
      : `CRASH: ${error.stack?.split("\n").slice(0, 4).join(" ")}`;
  }
  if (difference === null) return passed("equal");
  return knownGradientDifference(fields, difference) ?? failed("the recorded gradients", difference);
}

/** The gradients of a sample, or null if it has none. */
export function judgeSampleGradients(fields: Fields): Verdict | null {
  if (fields.grads === undefined || fields.variant === "partial_views") return null;
  const tensors: Tensor[] = [];
  const called = calledBy(fields, (recorded) => {
    const t = tensorOfRecord(recorded);
    tensors.push(t);
    return t;
  });
  if (isRandom(called.op, called.keywords)) return skipped("gradients of random results");
  const inputs = (fields.grad_inputs as readonly number[]).map((k) => tensors[k] as Tensor);
  const recorded = fields.grads as unknown as readonly (RecordedTensor | null)[];
  let isOther = false;
  const verdict = verdictOf(fields, () => {
    for (const t of inputs) t.requiresGrad_();
    const parts = partsOfResult(resultOf(fields, called));
    const values = judgeParts(fields, called, parts.map(detached), recordedParts(fields.out as Json));
    const isDrawn = values.kind === "passed" && values.way === "known difference" && called.op === "svd_lowrank";
    isOther = isDrawn || (values.kind === "passed" && values.way === "another valid answer");
    const outputs = parts.filter((part): part is Tensor => part instanceof Tensor);
    const expected = (fields.grad_outs as readonly number[]).map((k) => outputs[k] as Tensor);
    const ours = gradientsOf(expected, expected.map(sines), inputs);
    return firstDifference(
      ours,
      recorded,
      (k) => `tensor ${(fields.grad_inputs as readonly number[])[k]}`,
      isLinear(called.op),
    );
  });
  return isOther && verdict?.kind === "failed" && !/refused|CRASH/.test(verdict.got)
    ? skipped("gradients of another valid answer")
    : verdict;
}

const detached = (part: unknown): unknown => (part instanceof Tensor ? part.detach() : part);

interface Recorded {
  readonly output: Tensor;
  readonly names: readonly string[];
  readonly inputs: readonly Tensor[];
}

/** Runs a program with gradients asked for of some inputs. */
function recordedProgram(fields: Fields, names: readonly string[]): Recorded {
  const inputs = new Map<string, Tensor>();
  const { outs } = ranProgram({ ...fields, outs: [fields.out as Json] }, (name, recorded) => {
    const t = tensorOfRecord(recorded);
    if (names.includes(name) && isFloating(t)) t.requiresGrad_();
    inputs.set(name, t);
    return t;
  });
  return { output: outs[0] as Tensor, names, inputs: names.map((name) => inputs.get(name) as Tensor) };
}

const isLinearProgram = ({ prog }: Fields): boolean =>
  (prog as readonly (readonly Json[])[]).some(([, op]) => isLinear(String(op)));

const tensorOf = (json: Json | undefined): Tensor => tensorOfRecord(json as unknown as RecordedTensor);

/** The value of a program whose gradients are recorded. */
export function judgeProgramValue(fields: Fields): Verdict {
  const { out, value } = fields;
  try {
    const { outs, op, args, keywords } = ranProgram({ ...fields, outs: [out as Json] });
    return judgeParts(fields, { op, args, keywords }, outs.flatMap(partsOfResult), recordedParts(value as Json));
  } catch (error) {
    if (error instanceof UnknownOpError) return skipped(error.message);
    throw error;
  }
}

/** The gradients of a program's inputs. */
export function judgeProgramGradients(fields: Fields): Verdict | null {
  const recorded = fields.grads as unknown as ByName;
  return verdictOf(fields, () => {
    const { output, names, inputs } = recordedProgram(fields, Object.keys(recorded));
    const ours = gradientsOf([output], [tensorOf(fields.grad_out)], inputs);
    return firstDifference(ours, Object.values(recorded), (k) => names[k] as string, isLinearProgram(fields));
  });
}

/** The tangent of a program's output, by forward mode, for tangents of its inputs; null if none is recorded. */
export function judgeProgramTangent(fields: Fields): Verdict | null {
  if (fields.jvp === undefined) return null;
  const { tangents, out } = fields.jvp as unknown as { tangents: ByName; out: RecordedTensor };
  return verdictOf(fields, () =>
    api.dualLevel(() => {
      const { outs } = ranProgram({ ...fields, outs: [fields.out as Json] }, (name, recorded) => {
        const tangent = tangents[name];
        const t = tensorOfRecord(recorded);
        return tangent == null ? t : api.makeDual(t, tensorOfRecord(tangent));
      });
      const { tangent } = api.unpackDual(outs[0] as Tensor);
      const difference = gradientDifference(tangent, out, isLinearProgram(fields));
      return difference === null ? null : `tangent: ${difference}`;
    }),
  );
}

/** The gradients of s, which is the sum over all inputs of <gradient of the input, u of the input>. */
export function judgeSecondGradients(fields: Fields): Verdict {
  const u = fields.u as unknown as ByName;
  const verdict = verdictOf(fields, () => {
    const { output, names, inputs } = recordedProgram(fields, Object.keys(u));
    const first = gradientsOf([output], [tensorOf(fields.grad_out)], inputs, true);
    const products = first.flatMap((gradient, k) =>
      gradient === null ? [] : [gradient.mul(tensorOf(u[names[k] as string] as never) as never).sum() as Tensor],
    );
    const s = products.reduce((a, b) => a.add(b as never) as Tensor);
    const isLoose = isLinearProgram(fields);
    const difference = tensorDifference(s.detach() as Tensor, fields.s as unknown as RecordedTensor, isLoose);
    if (difference !== null) return `s: ${difference}`;
    const second = fields.grad_of_s as unknown as ByName;
    const expected = Object.keys(second).map((name) => inputs[names.indexOf(name)] as Tensor);
    const ours = gradientsOf([s], [api.ones([], { dtype: "float64" }) as Tensor], expected);
    return firstDifference(ours, Object.values(second), (k) => `s by ${Object.keys(second)[k]}`, isLoose);
  });
  return verdict ?? skipped("an op that is not here");
}
