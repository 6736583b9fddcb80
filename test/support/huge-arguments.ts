/**
 * A program that calls every op and every function that creates tensors with huge numbers instead of each number of its
 * samples, and prints the faults as JSON: errors that are not errors of the library, and errors that took a second. It
 * runs in a separate process with a small heap, because a fault may end the process.
 */
import * as stridewise from "../../src/index.ts";
import { argumentsOf, exportedOps, samplesOf } from "./op-samples.ts";

type Path = readonly (string | number)[];
type AnyFunction = (...args: unknown[]) => unknown;

/** More elements than any memory has, and a number that is not a safe integer. */
const huge = [1e13, 2 ** 53];

const makers: Readonly<Record<string, string>> = {
  arange: "0, 5, 1",
  constant: "1, [2]",
  empty: "[2]",
  exponential: "[2], 1",
  eye: "2, 3",
  fromFunction: "[2], (i) => i",
  full: "[2], 1",
  gamma: "[2], 1, 1",
  geomspace: "1, 10, 3",
  identity: "2",
  linspace: "0, 1, 3",
  logspace: "0, 1, 3",
  ones: "[2]",
  permutation: "3",
  rand: "[2]",
  randint: "0, 5, [2]",
  randn: "[2]",
  randperm: "3",
  tri: "3, 3, 1",
  trilIndices: "3, 3, 0",
  triuIndices: "3, 3, 0",
  uniform: "[2], 0, 1",
  zeros: "[2, 3]",
};
const methods: readonly (readonly [name: string, args: string])[] = [
  ["asStrided", "[2, 2], [1, 1], 0"],
  ["expand", "[2, 4, 4]"],
  ["newZeros", "[2]"],
  ["repeat", "2, 2"],
  ["resize_", "[2, 2]"],
  ["tile", "[2]"],
  ["unfold", "0, 2, 1"],
  ["view", "[16]"],
];
/** Calls with large sizes that fit in some memory: their intermediate lists must not be as large. */
const large: readonly string[] = [
  "adaptiveAvgPool1d(ones([1, 5]), 1e6)",
  "adaptiveMaxPool1d(ones([1, 5]), 1e6)",
  "combinations(ones([1000]), 5)",
  "combinations(ones([60]), 30)",
  "fft.rfft(ones([4]), 1e12)",
  "fromFunction([2e8], (i) => i)",
  "interpolate(ones([1, 1, 10]), { size: 3e5, mode: 'linear' })",
  "ones([4]).chunk(2e8)",
  "polyint(ones([2]), 1e6)",
  "stft(ones([100]), 2e8)",
  "tensorSplit(ones([3]), 2e8)",
  "trilIndices(1e9, 1e9)",
  "triuIndices(2 ** 31, 1, -(2 ** 31))",
  "unbind(zeros([2e6], { dtype: 'int8' }))",
  "vander(ones([2]), 1e5)",
];

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** The indices of numbers in arguments. */
function numbersIn(value: unknown, at: Path = []): Path[] {
  if (typeof value === "number") return [at];
  if (Array.isArray(value)) return value.flatMap((each, i) => numbersIn(each, [...at, i]));
  return isPlain(value) ? Object.entries(value).flatMap(([key, each]) => numbersIn(each, [...at, key])) : [];
}

function replaced(value: unknown, [first, ...rest]: Path, by: number): unknown {
  if (first === undefined) return by;
  const copy = (Array.isArray(value) ? value.slice() : { ...(value as object) }) as Record<string | number, unknown>;
  copy[first] = replaced(copy[first], rest, by);
  return copy;
}

let count = 0;
const faults: string[] = [];

function attempt(text: string, run: () => unknown): void {
  count++;
  const started = process.cpuUsage();
  try {
    stridewise.scope(() => {
      run();
    });
  } catch (error) {
    if (!(error instanceof stridewise.StridewiseError)) faults.push(`${text}: ${String(error)}`);
    else if (process.cpuUsage(started).user > 1e6) faults.push(`${text}: refused after more than a second`);
  }
}

function attemptAll(name: string, call: AnyFunction, sample: string): void {
  for (const path of numbersIn(argumentsOf(sample)))
    for (const by of huge)
      attempt(`${name}(${sample}) with ${path.join(".")} = ${by}`, () =>
        call(...(replaced(argumentsOf(sample), path, by) as unknown[])),
      );
}

const library = stridewise as unknown as Record<string, AnyFunction>;
for (const [name, op] of exportedOps()) for (const sample of samplesOf(name, op)) attemptAll(name, op, sample);
for (const [name, sample] of Object.entries(makers)) if (library[name]) attemptAll(name, library[name], sample);
for (const [name, make] of Object.entries(stridewise.windows))
  attemptAll(`windows.${name}`, make as AnyFunction, name === "generalCosine" ? "8, [0.5, 0.5]" : "8");
for (const [name, sample] of methods)
  attemptAll(
    `ones([4, 4]).${name}`,
    (...args) => (stridewise.ones([4, 4]) as unknown as Record<string, AnyFunction>)[name]?.(...args),
    sample,
  );
for (const text of large) attempt(text, () => argumentsOf(text));

console.log(JSON.stringify({ count, faults }));
