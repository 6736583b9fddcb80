/** The public functions, constructors and methods that `junk-calls.ts` calls, and the arguments they are called with. */

import * as webgpu from "../../src/backends/webgpu/index.ts";
import * as cute from "../../src/cute.ts";
import * as data from "../../src/data/index.ts";
import * as draw from "../../src/draw/index.ts";
import * as expr from "../../src/expr/index.ts";
import * as main from "../../src/index.ts";
import * as io from "../../src/io/index.ts";
import * as kernel from "../../src/kernel/index.ts";
import * as explain from "../../src/layout/explain.ts";
import * as layout from "../../src/layout/index.ts";
import * as tuple from "../../src/layout/int-tuple.ts";
import * as notation from "../../src/layout/notation.ts";
import * as module from "../../src/module/index.ts";
import * as nn from "../../src/nn/index.ts";
import * as onnx from "../../src/onnx/index.ts";
import * as optim from "../../src/optim/index.ts";
import * as storage from "../../src/storage/index.ts";
import type { Junk, Target } from "./junk-calls.ts";

/** Every entry of the package that is code, by its name in package.json; the worker is a program, not functions. */
export const entries: Readonly<Record<string, object>> = {
  ".": main,
  "./layout": layout,
  "./explain": explain,
  "./tuple": tuple,
  "./notation": notation,
  "./expr": expr,
  "./cute": cute,
  "./storage": storage,
  "./io": io,
  "./draw": draw,
  "./nn": nn,
  "./optim": optim,
  "./data": data,
  "./kernel": kernel,
  "./module": module,
  "./onnx": onnx,
  "./webgpu": webgpu,
};

/** Functions that are not called, and the reason. */
const excluded: Readonly<Record<string, string>> = {
  "./storage setAllocator": "replaces the allocator of the process by junk that looks like one",
  "./storage rawDeallocate": "frees memory at any given address, like its C namesake",
  "./io saveNpy": "writes a file named as the argument",
  "./io saveNpz": "writes a file named as the argument",
  "./io saveGraph": "writes a file named as the argument",
  "./module saveModule": "writes files to the folder named as the argument",
  "./io saveSafetensors": "writes a file named as the argument",
  ". installPrintedTitle": "a function it accepts replaces how every tensor prints",
  ". Storage": "the constructor is private: Storage.allocate and Storage.wrap make storages",
  "./storage Storage": "the constructor is private",
  "./tuple mapLeaves": "the inner loop of every function on tuples",
  "./expr encodeWasm": "takes the instructions that toWasm returns",
  "./expr toWasm": "takes the local variables of a compiler",
  "./draw confusionMatrix": "takes a table of numbers, and checks its rows only",
  ". plus": "adds elements, once for each: checks would cost more than the sum",
  ". formatKeySet": "prints a set that keySet returned",
  "./optim Optimizer": "an abstract class",
  ". shutdown": "stops the workers of the process",
};

/** Functions whose last parameters are internal, and the number of arguments that users pass. */
const ownArguments: Readonly<Record<string, number>> = {
  // The trace, which explain() passes.
  complement: 2,
  composition: 2,
  ...Object.fromEntries(
    ["logical", "zipped", "tiled", "flat"].flatMap((form) =>
      [`${form}Divide`, `${form}Product`].map((name) => [name, 2]),
    ),
  ),
  blockedProduct: 2,
  rakedProduct: 2,
  leftInverse: 1,
  rightInverse: 1,
  // The list to add to, and the name for the message.
  leaves: 1,
  valueOf: 1,
  swizzleMasks: 1,
};

/**
 * Arguments that are almost never valid. `null` is a first argument only: after it, most functions take options. No
 * integers from 1e6 to 1e15: as a size they would only fill the memory.
 */
export const junk = (): Junk[] =>
  Object.entries({
    undefined: undefined,
    true: true,
    "0": 0,
    "-1": -1,
    "0.5": 0.5,
    NaN: Number.NaN,
    Infinity: Number.POSITIVE_INFINITY,
    "1e300": 1e300,
    "3n": 3n,
    '""': "",
    '"abc"': "abc",
    'Symbol("s")': Symbol("s"),
    "{}": {},
    "[]": [],
    "[undefined]": [undefined],
    "[[1], 2n]": [[1], 2n],
    "new Date(0)": new Date(0),
    "() => 1": () => 1,
  }).map(([text, value]) => ({ text, value }));

/** Arguments that are valid for many functions, so that the junk after them is reached. */
export const valid = (): Junk[] => [
  { text: "ones(2, 3)", value: main.ones([2, 3]) },
  { text: "ones(4)", value: main.ones([4]) },
  { text: 'parseLayout("(2,3):(3,1)")', value: main.parseLayout("(2,3):(3,1)") },
  { text: "[2, 3]", value: [2, 3] },
  { text: "2", value: 2 },
];

const isClass = (value: object): boolean => /^class\b/.test(Function.prototype.toString.call(value));

type Callable = (...args: unknown[]) => unknown;

/**
 * Entries that are not called: their functions take records created by this library, a kernel or an allocation, and do
 * not check them again.
 */
const unchecked = ["./kernel", "./storage"];

function targetOf(name: string, value: unknown): Target[] {
  if (unchecked.includes(name.split(" ")[0] as string)) return [];
  if (typeof value !== "function" || name in excluded || value.prototype instanceof Error) return [];
  if (isClass(value)) return [{ name: `new ${name}`, call: (...args) => Reflect.construct(value, args) }];
  const count = ownArguments[name.split(" ")[1] as string];
  return [{ name, call: (...args) => (value as Callable)(...args.slice(0, count)) }];
}

/** Every exported function and constructor, those in exported tables (`linalg`, `fft`) and on functions (`scope.async`), and the methods of tensors. */
export function targets(): Target[] {
  const targets: Target[] = [];
  const seen = new Set<unknown>();
  for (const [entry, exports] of Object.entries(entries))
    for (const [name, value] of Object.entries(exports)) {
      if (seen.has(value)) continue;
      seen.add(value);
      targets.push(...targetOf(`${entry} ${name}`, value));
      const isPlain = typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
      if (isPlain || (typeof value === "function" && !isClass(value)))
        for (const [key, part] of Object.entries(value as object))
          targets.push(...targetOf(`${entry} ${name}.${key}`, part));
    }
  const { prototype } = main.Tensor;
  for (const key of Object.getOwnPropertyNames(prototype)) {
    const value = Object.getOwnPropertyDescriptor(prototype, key)?.value as unknown;
    if (key !== "constructor" && typeof value === "function")
      targets.push({
        name: `Tensor.${key}`,
        call: (...args) => (value as Callable).apply(main.ones([2, 3]), [...args]),
      });
  }
  return targets;
}
