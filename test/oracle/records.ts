/**
 * The kinds of recorded lines, recognized by their fields, and how each is judged.
 * A line of no known kind is skipped by name. To support a different kind, add a row to `kinds`.
 */
import { isDeepStrictEqual } from "node:util";
import { cosize, formatLayout, offsetAt, offsets, size } from "../../src/layout/index.ts";
import { judgeExpression } from "./cpp-records.ts";
import { attempt, describe, failed, isSameFunction, judge, passed, skipped, type Verdict } from "./judge.ts";
import { ops } from "./ops.ts";
import { coordOf, type PlainLayout, valuesOf } from "./plain.ts";
import { compositionExists } from "./properties.ts";
import { judgeFile } from "./recorded-files.ts";
import { judgeBroadcast } from "./torch-broadcast.ts";
import { judgeProgram } from "./torch-forward.ts";
import {
  judgeProgramGradients,
  judgeProgramTangent,
  judgeProgramValue,
  judgeSampleGradients,
  judgeSecondGradients,
} from "./torch-gradients.ts";
import { judgeSample } from "./torch-opinfo.ts";
import { judgePromotion } from "./torch-promotion.ts";
import { judgeRepr } from "./torch-repr.ts";
import { judgeSnippet } from "./torch-semantics.ts";
import { judgeViews } from "./torch-views.ts";
import { asLayout, decode, type Json, show, UnknownFormError } from "./values.ts";

export type Fields = Readonly<Record<string, Json>>;

interface Kind {
  readonly name: string;
  readonly matches: (fields: Fields) => boolean;
  readonly judge: (fields: Fields) => Verdict;
  /** What else is judged of a record, and counted apart; null where a record says nothing of it. */
  readonly also?: Readonly<Partial<Record<Aspect, (fields: Fields) => Verdict | null>>>;
}

/** The parts of records other than results. */
export type Aspect = "gradients" | "jvp";

const has =
  (...names: string[]) =>
  (fields: Fields): boolean =>
    names.every((name) => fields[name] !== undefined);
const argsOf = (fields: Fields): readonly Json[] => fields.args as readonly Json[];
const isRefusal = (answer: Json | undefined): boolean => answer === undefined || typeof answer === "string";
const opOfId = (id: Json | undefined): string => String(id).replace(/-\d+$/, "");

/** Answers of several implementations to one question: ours must be right by the property, or equal one of them. */
function judgeDisputed(id: string, op: string, args: readonly Json[], answers: readonly (Json | undefined)[]): Verdict {
  const results = answers.filter((answer): answer is Json => !isRefusal(answer));
  const row = ops[op];
  if (!row) return skipped(`op ${op}`);
  const verdict = judge({ id, op, args, marking: "static", expected: results[0], isDisputed: true });
  const ours = attempt(() =>
    row.run(
      args.map((arg) => decode(arg, "static")),
      { marking: "static", expected: results[0] },
    ),
  );
  if (ours.kind === "value" && row.reach) {
    const reach = row.reach;
    const right = results.filter((answer) => row.holds?.(args, answer)).sort((x, y) => reach(x) - reach(y));
    const min = right[0];
    if (min !== undefined && reach(ours.json) < reach(min))
      return failed(`${show(min)}, which reaches further`, describe(ours));
  }
  if (row.holds || verdict.kind === "passed") return verdict;
  if (ours.kind === "refused") return results.length < answers.length ? passed("refused too") : verdict;
  if (ours.kind !== "value") return verdict;
  if (results.some((answer) => isDeepStrictEqual(answer, ours.json))) return passed("equal");
  return results.some((answer) => isSameFunction(answer, ours.json, row.isFlat ?? false))
    ? passed("the same function in a different form")
    : failed(results.map(show).join(" or "), describe(ours));
}

/** The truth is A(B(i)) for the first i. */
function judgeTrap(fields: Fields): Verdict {
  const [a, b] = argsOf(fields) as unknown as readonly [PlainLayout, PlainLayout];
  const truth = fields.truth_A_of_B as readonly number[];
  const verdict = judge({
    id: String(fields.id),
    op: String(fields.op),
    args: argsOf(fields),
    marking: "dynamic",
    expected: fields.args as Json,
    isDisputed: true,
  });
  if (verdict.kind !== "passed")
    return { ...verdict, ...(verdict.kind === "failed" ? { expected: `values ${truth.slice(0, 16).join(" ")}` } : {}) };
  if (verdict.way === "no answer exists")
    return compositionExists(a, b as never) ? failed("an answer", "a refusal") : verdict;
  const ours = attempt(() =>
    (ops.composition as NonNullable<(typeof ops)[string]>).run(
      argsOf(fields).map((arg) => decode(arg, "dynamic")),
      { marking: "dynamic", expected: undefined },
    ),
  );
  const values = ours.kind === "value" ? valuesOf(ours.json as unknown as PlainLayout, truth.length) : [];
  return isDeepStrictEqual(values, [...truth]) ? verdict : failed(truth.join(" "), values.join(" "));
}

/** {op: "layout", layout, size, cosize, fn, crds, str}: everything about one layout. */
function judgeLayoutFacts(fields: Fields): Verdict {
  const layout = asLayout(decode(fields.layout as Json, "dynamic"));
  const plain = fields.layout as unknown as PlainLayout;
  const fn = fields.fn as readonly number[];
  const crds = (fields.crds ?? []) as readonly Json[];
  const facts: readonly (readonly [string, Json, Json])[] = [
    ["size", fields.size as Json, size(layout)],
    ["cosize", fields.cosize as Json, cosize(layout)],
    ["values", fn, offsets(layout).slice(0, fn.length)],
    ["values at coordinates", fn.slice(0, crds.length), crds.map((crd) => offsetAt(layout, crd as never))],
    ["coordinates", crds, crds.map((_crd, i) => coordOf(i, plain.shape) as Json)],
    ["text", String(fields.str).replaceAll(/[ ]|,(?=\))/g, ""), formatLayout(layout)],
  ];
  const wrong = facts.find(([, expected, ours]) => !isDeepStrictEqual(expected, ours));
  return wrong ? failed(`${wrong[0]} ${show(wrong[1])}`, show(wrong[2])) : passed("equal");
}

/** Records that name their operands: {op, a, b, result}. */
function judgeNamed(fields: Fields): Verdict {
  const list = (tiler: Json): Json => (Array.isArray(tiler) ? { tile: tiler } : tiler);
  const ask = (op: string, args: readonly Json[], expected: Json | undefined): Verdict =>
    judge({ id: String(fields.id ?? op), op, args, marking: "dynamic", expected, isDisputed: false });
  const op = String(fields.op);
  switch (op) {
    case "layout":
      return judgeLayoutFacts(fields);
    case "swizzle":
      return ask("swizzle", [[fields.bits as Json, fields.base as Json, fields.shift as Json]], fields.fn);
    case "crd2idx": {
      const { shape, stride } = fields.layout as { shape: Json; stride: Json };
      const [byCoord, byIndex] = [fields.crd, fields.idx].map((c) =>
        ask("crd2idx", [c as Json, shape, stride], fields.result),
      );
      return byCoord?.kind === "failed" ? byCoord : (byIndex as Verdict);
    }
    case "complement":
      return ask(op, [fields.a as Json, fields.max_idx as Json], fields.result);
    case "coalesce_by_mode":
      return ask("coalesce", [fields.a as Json, fields.profile as Json], fields.result);
    default: {
      if (fields.a === undefined) return skipped(`op ${op}`);
      const operands = fields.b === undefined ? [fields.a] : [fields.a, list(fields.b)];
      const verdict = ask(op, operands as Json[], fields.result);
      const fn = fields.fn as readonly number[] | undefined;
      if (verdict.kind !== "passed" || verdict.way !== "equal" || fn === undefined) return verdict;
      const result = decode(fields.result as Json, "dynamic");
      return isDeepStrictEqual([...fn], offsets(asLayout(result)).slice(0, fn.length))
        ? verdict
        : failed(fn.join(" "), offsets(asLayout(result)).join(" "));
    }
  }
}

/**
 * {id, op, args, result | error}: from the C++ implementation with static integers, or from the Python one, which knows no marks. Its
 * integers are read as dynamic ones; where that gives a different form of the answer (a dynamic 1 keeps its stride), as static ones too.
 */
function judgeCall(fields: Fields): Verdict {
  const id = String(fields.id);
  const judgeAs = (marking: "static" | "dynamic"): Verdict =>
    judge({
      id,
      op: String(fields.op),
      args: argsOf(fields),
      marking,
      expected: fields.error === true ? undefined : fields.result,
      isDisputed: fields.ok === false,
    });
  if (id.startsWith("cpp-")) return judgeAs("static");
  const verdict = judgeAs("dynamic");
  if (verdict.kind !== "passed" || verdict.way !== "the same function in a different form") return verdict;
  const marked = judgeAs("static");
  return marked.kind === "passed" && marked.way === "equal" ? marked : verdict;
}

/** True for a sample of one of PyTorch's ops. */
export function isSample(fields: Fields): boolean {
  return has("op", "variant", "args", "kwargs")(fields);
}

export const kinds: readonly Kind[] = [
  { name: "views", matches: has("base", "ops", "steps"), judge: judgeViews },
  { name: "file", matches: has("id", "path"), judge: judgeFile },
  { name: "printing", matches: has("name", "repr"), judge: judgeRepr },
  { name: "semantics", matches: has("topic", "name", "code"), judge: judgeSnippet },
  { name: "program", matches: has("name", "inputs", "prog", "outs"), judge: judgeProgram },
  {
    name: "program with gradients",
    matches: has("name", "inputs", "prog", "out", "grads"),
    judge: judgeProgramValue,
    also: { gradients: judgeProgramGradients, jvp: judgeProgramTangent },
  },
  {
    name: "gradients of gradients",
    matches: has("name", "inputs", "prog", "out", "grad_of_s"),
    judge: judgeSecondGradients,
  },
  { name: "sample", matches: isSample, judge: judgeSample, also: { gradients: judgeSampleGradients } },
  { name: "promotion", matches: has("op", "kind", "a"), judge: judgePromotion },
  {
    name: "broadcasting",
    matches: (f) => f.op === undefined && has("kind")(f) && (has("a")(f) || has("shapes")(f)),
    judge: judgeBroadcast,
  },
  { name: "expression", matches: has("id", "expr"), judge: judgeExpression },
  { name: "trap", matches: has("id", "args", "truth_A_of_B"), judge: judgeTrap },
  {
    name: "divergence",
    matches: has("op", "args", "cpp_id"),
    judge: (f) => judgeDisputed(String(f.cpp_id), String(f.op), argsOf(f), [f.cpp, f.pycute]),
  },
  {
    name: "divergence",
    matches: has("args", "pycute_id", "tensor_layouts"),
    judge: (f) => judgeDisputed(String(f.pycute_id), opOfId(f.pycute_id), argsOf(f), [f.pycute, f.tensor_layouts]),
  },
  { name: "call", matches: has("id", "op", "args"), judge: judgeCall },
  { name: "named operands", matches: has("op"), judge: judgeNamed },
];

/** What a record is called in a report. */
export const idOf = (fields: Fields): string =>
  String(fields.id ?? fields.cpp_id ?? fields.pycute_id ?? fields.name ?? fields.op ?? fields.kind);

const kindOf = (fields: Fields): Kind | undefined => kinds.find(({ matches }) => matches(fields));

export function judgeRecord(fields: Fields): Verdict {
  const kind = kindOf(fields);
  if (!kind) return skipped(`a record with the fields ${Object.keys(fields).join(", ")}`);
  return unlessCrashed(() => kind.judge(fields)) as Verdict;
}

/** What else the record says, judged. */
export function judgeAspects(fields: Fields): (readonly [aspect: Aspect, verdict: Verdict])[] {
  return Object.entries(kindOf(fields)?.also ?? {}).flatMap(([aspect, judgeIt]) => {
    const verdict = unlessCrashed(() => judgeIt(fields));
    return verdict === null ? [] : [[aspect as Aspect, verdict] as const];
  });
}

function unlessCrashed(judgeIt: () => Verdict | null): Verdict | null {
  try {
    return judgeIt();
  } catch (error) {
    if (error instanceof UnknownFormError) return skipped(error.message);
    return failed(
      "an answer or a refusal",
      `CRASH (${error instanceof Error ? error.stack?.split("\n").slice(0, 2).join("") : error})`,
    );
  }
}
