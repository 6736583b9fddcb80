/**
 * Records about the algorithms: short C++ programs over arrays (`int a[24]; ... gemm(ta,tb,tc); tv(tc);`), run here on tensors
 * over the same arrays, and the rules of the documentation in words. A program is a list of statements, each recognized by
 * its form; shapes, formulas and calls come from the text. A form that is not known leaves the record to others.
 */
import { StridewiseError } from "../../src/base/errors.ts";
import { evaluate, parse } from "../../src/expr/index.ts";
import { parseLayout } from "../../src/layout/notation.ts";
import type { Value } from "../../src/storage/dtype.ts";
import { axpby, clear, copy, fill, forEach, gemm, reduce, transform } from "../../src/tensor/algorithms/index.ts";
import { makeTensor } from "../../src/tensor/cute/make-tensor.ts";
import type { Tensor } from "../../src/tensor/tensor.ts";
import { gemmFormOf, judgeRule, productsOf } from "./cpp-algorithm-rules.ts";
import { evaluateCpp } from "./cpp-evaluate.ts";
import { failed, passed, type Verdict } from "./judge.ts";

interface Program {
  readonly arrays: Map<string, Int32Array>;
  readonly tensors: Map<string, Tensor>;
  output: string;
}

class UnknownStatementError extends Error {}

/** A formula of the arrays' text at one index: 2*i-5. */
const valueAt = (formula: string, i: number): number => evaluate(parse(formula), { i });

/** Splits at semicolons outside brackets. */
function statementsOf(text: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if ("({[".includes(text[i] as string)) depth++;
    if (")}]".includes(text[i] as string)) depth--;
    // A loop with a body in braces ends with them.
    const ends = depth === 0 && (text[i] === ";" || (text[i] === "}" && /^\s*for/.test(text.slice(start))));
    if (!ends) continue;
    found.push(
      text
        .slice(start, i + 1)
        .replace(/;$/, "")
        .trim(),
    );
    start = i + 1;
  }
  return found.filter((statement) => statement !== "");
}

/** make_tensor's arguments after the pointer, as a layout. */
function layoutOf(args: string): ReturnType<typeof parseLayout> {
  return parseLayout(evaluateCpp(args.startsWith("Layout<") ? args : `make_layout(${args})`));
}

const elementsOf = (t: Tensor): Value[] => {
  const values: Value[] = [];
  forEach(t, (value) => values.push(value));
  return values;
};

/** The forms of statements, first match first. */
const forms: readonly (readonly [RegExp, (program: Program, parts: readonly string[]) => void])[] = [
  [
    /^int (\w+\[\d+\](?:,\w+\[\d+\])*)$/,
    ({ arrays }, [list]) => {
      for (const [, name, count] of (list as string).matchAll(/(\w+)\[(\d+)\]/g))
        arrays.set(name as string, new Int32Array(Number(count)));
    },
  ],
  [
    /^for\(int i=0;i<(\d+);\+\+i\)\{(.*)\}$/,
    ({ arrays }, [count, body]) => {
      for (const [, name, formula] of (body as string).matchAll(/(\w+)\[i\]=([^;]+);/g))
        for (let i = 0; i < Number(count); i++) arrayOf(arrays, name as string)[i] = valueAt(formula as string, i);
    },
  ],
  [
    /^for\(int i=0;i<(\d+);\+\+i\) printf\("%d ",(\w+)\[i\]\)$/,
    (program, [count, name]) => {
      const array = arrayOf(program.arrays, name as string);
      for (let i = 0; i < Number(count); i++) program.output += `${array[i]} `;
    },
  ],
  [
    /^auto (\w+)=make_tensor\(&(\w+)\[0\],(.*)\)$/,
    ({ arrays, tensors }, [name, array, args]) => {
      tensors.set(name as string, makeTensor(arrayOf(arrays, array as string), layoutOf(args as string)) as Tensor);
    },
  ],
  [
    /^gemm\((\w+),(\w+),(\w+)\)$/,
    ({ tensors }, names) => {
      const [a, b, c] = names.map((name) => tensorOf(tensors, name)) as [Tensor, Tensor, Tensor];
      gemm(a, b, c);
    },
  ],
  [
    /^axpby\((-?\d+),(\w+),(-?\d+),(\w+)\)$/,
    ({ tensors }, [alpha, x, beta, y]) =>
      axpby(Number(alpha), tensorOf(tensors, x), Number(beta), tensorOf(tensors, y)),
  ],
  [/^copy\((\w+),(\w+)\)$/, ({ tensors }, [s, d]) => copy(tensorOf(tensors, s), tensorOf(tensors, d))],
  [/^fill\((\w+),(-?\d+)\)$/, ({ tensors }, [t, value]) => fill(tensorOf(tensors, t), Number(value))],
  [/^clear\((\w+)\)$/, ({ tensors }, [t]) => clear(tensorOf(tensors, t))],
  [
    /^transform\((\w+),\[\]\(int (\w+)\)\{return ([^;]+);\}\)$/,
    ({ tensors }, [t, variable, formula]) => {
      const f = parse(formula as string);
      transform(tensorOf(tensors, t), (x) => evaluate(f, { [variable as string]: x as number }));
    },
  ],
  [
    /^printf\("%d",reduce\((\w+),(-?\d+)\)\)$/,
    (program, [t, initial]) => {
      program.output += String(reduce(tensorOf(program.tensors, t), Number(initial)));
    },
  ],
  [
    /^tv\((\w+)\)$/,
    (program, [t]) => {
      program.output += elementsOf(tensorOf(program.tensors, t)).join(" ");
    },
  ],
];

function arrayOf(arrays: ReadonlyMap<string, Int32Array>, name: string): Int32Array {
  const array = arrays.get(name);
  if (array === undefined) throw new UnknownStatementError(`array ${name}`);
  return array;
}

function tensorOf(tensors: ReadonlyMap<string, Tensor>, name: string | undefined): Tensor {
  const tensor = tensors.get(name as string);
  if (tensor === undefined) throw new UnknownStatementError(`tensor ${name}`);
  return tensor;
}

function runProgram(text: string): Program {
  const program: Program = { arrays: new Map(), tensors: new Map(), output: "" };
  for (const statement of statementsOf(text)) {
    const form = forms.find(([pattern]) => pattern.test(statement));
    if (form === undefined) throw new UnknownStatementError(statement);
    form[1](program, (form[0].exec(statement) as RegExpExecArray).slice(1));
  }
  return program;
}

/** True if a gemm of the program gave the sums that the documentation defines: the arrays before it, by plain loops. */
function isDocumentedGemm(text: string, printed: string): boolean {
  const call = /gemm\((\w+),(\w+),(\w+)\);/.exec(text);
  if (call === null) return false;
  const before = runProgram(text.slice(0, call.index)).tensors;
  const [a, b, c] = call.slice(1).map((name) => tensorOf(before, name)) as [Tensor, Tensor, Tensor];
  const form = gemmFormOf(a.rank, b.rank, c.rank);
  const numbers = (t: Tensor): number[] => elementsOf(t) as number[];
  return (
    form !== undefined &&
    productsOf(form, [a.shape, b.shape, c.shape], [numbers(a), numbers(b), numbers(c)]).join(" ") === printed
  );
}

const valueModes =
  "the C++ gemm of plain tensors takes value modes (V) of size 1 only; ours multiplies any, as the documentation defines it";

/** The verdict on a record about algorithms; undefined if the text is about something else. */
export function judgeAlgorithm(text: string, recorded: string | undefined): Verdict | undefined {
  if (/^(GEMM|COPY|AXPBY|FILL|CLEAR)\b/.test(text)) return judgeRule(text, recorded ?? "");
  if (!/^int \w+\[\d+\]/.test(text)) return undefined;
  try {
    const { output } = runProgram(text);
    if (recorded !== undefined) return output === recorded ? passed("equal") : failed(recorded, output);
    return isDocumentedGemm(text, output) ? passed("known difference", valueModes) : failed("a refusal", output);
  } catch (error) {
    if (error instanceof UnknownStatementError) return undefined;
    if (!(error instanceof StridewiseError)) throw error;
    const refusal = `refused (${error.name}: ${error.message})`;
    return recorded === undefined ? passed("refused too") : failed(recorded, refusal);
  }
}
