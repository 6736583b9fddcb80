/** Every rule of the verifier: kernels that keep it, and kernels that break it with their findings. */
import { describe, expect, test } from "vitest";
import { kernelTexts } from "../../../test/support/kernel-texts.ts";
import { randomKernel } from "../../../test/support/kernels.ts";
import { constant, sym } from "../../expr/expr.ts";
import type { DType } from "../../storage/dtype.ts";
import { KernelError } from "./error.ts";
import type { Kernel, Statement } from "./kernel.ts";
import { parseKernel } from "./parse.ts";
import type { Scalar } from "./scalar.ts";
import { constantScalar, loadScalar, namedScalar, parameterScalar } from "./scalar.ts";
import { loopSymbol } from "./symbols.ts";
import { checkKernel, formatFinding, kernelRules, verifyKernel } from "./verify.ts";

const findingsOf = (kernel: Kernel | string, apart: readonly string[] = []): readonly string[] =>
  verifyKernel(typeof kernel === "string" ? parseKernel(kernel) : kernel, { apart }).map(formatFinding);

const open: Readonly<Record<string, readonly string[]>> = {
  plane: [
    "unproved, writes, line 24: out[j*out_m + i + out_at] = x[j*x_m + i + x_at] + y[i*y_n + j*y_m + y_at]: two units of u may access the same element of out; this kernel does not rule it out.",
  ],
  histogram: [
    "unproved, bounds, line 13: bins[at_bin] = bins[at_bin] + int32(1): bins[at_bin] may leave the 256 elements of bins.",
  ],
};

test.each(Object.entries(kernelTexts))("%s keeps every rule", (name, text) => {
  expect(findingsOf(text)).toEqual(open[name] ?? []);
});

test("facts about the layouts prove rules that the kernel alone does not", () => {
  expect(findingsOf(kernelTexts["plane"] as string, ["out"])).toEqual([]);
});

test("random kernels keep every rule", () => {
  for (let seed = 0; seed < 40; seed++) expect(findingsOf(randomKernel(seed)), `${seed}`).toEqual([]);
});

/** A kernel with a few parameters, whose parallel loop has this body. */
const around = (...lines: readonly string[]): string =>
  [
    "kernel k",
    "  buffer x: float32 read",
    "  buffer out: float32 write",
    "  buffer io: float32 readwrite",
    "  scalar a: float32",
    "  size n: 0..1000",
    "  size d: -5..5",
    "  modes rest: x, out",
    "{",
    "  parallel u in 0..n {",
    ...lines.map((line) => `    ${line}`),
    "  }",
    "}",
  ].join("\n");

/** The same with statements as data, for kernels that the parser rejects. */
const kernelOver = (...body: readonly Statement[]): Kernel => {
  const kernel = parseKernel(around());
  return { ...kernel, body: [{ ...(kernel.body[0] as Statement & { kind: "loop" }), body }] };
};

const u = loopSymbol("u");
const store = (value: Scalar, index = u): Statement => ({ kind: "store", buffer: "out", index, value });
const one = constantScalar("float32", 1);
const raw = (value: object): Scalar => value as Scalar;
const asDType = (dtype: DType): Scalar => constantScalar(dtype, dtype === "bool" ? true : 1);

const breakages: Readonly<Record<string, Readonly<Record<string, readonly [Kernel | string, ...string[]]>>>> = {
  names: {
    "a name bound twice": [
      around("let t: float32 = a", "serial i in 0..4 {", "let t: float32 = a", "}"),
      "error, names, line 13: let t: float32 = a: t is bound twice. Rename one of them.",
    ],
    "a name out of its list": [
      around("serial i in 0..4 {", "let t: float32 = a", "}", "out[u] = t"),
      "error, names, line 14: out[u] = t: t is used before or outside of the list that binds it.",
    ],
    "a loop index after its loop": [
      around("serial i in 0..4 {", "}", "out[u + i] = a"),
      "error, names, line 13: out[i + u] = a: i is used before or outside of the list that binds it.",
    ],
    "a name that nothing binds": [
      kernelOver(store(namedScalar("float32", "t")), store(one, loopSymbol("v"))),
      "error, names, line 11: out[u] = t: t is not bound.",
      "error, names, line 12: out[v] = float32(1): v is not bound.",
    ],
    "a name used as something else": [
      kernelOver(store(loadScalar("float32", "a", u)), store(parameterScalar("float32", "rest"))),
      "error, names, line 11: out[u] = a[u]: a is a scalar parameter, and not a buffer.",
      "error, names, line 12: out[u] = rest: rest is a mode list, and not a scalar parameter.",
    ],
    "a reserved name": [
      around("let where: float32 = a"),
      'error, names, line 11: let where: float32 = a: "where" is not a valid name. Use letters, digits and _, and no reserved word.',
    ],
    "a mode list that names a size": [
      around().replace("rest: x, out", "rest: x, n"),
      "error, names, line 8: modes rest: x, n: n is not a buffer parameter.",
    ],
    "offsets for each buffer of a mode list": [
      around("walk rest at u -> x_at", "out[x_at + u] = a"),
      "error, names, line 11: walk rest at u -> x_at: rest has 2 buffers, and 1 offsets are named.",
    ],
    "sizes without a value": [
      { ...kernelOver(store(one)), sizes: [{ name: "n", min: 4, max: 3 }] },
      "error, names, line 6: size n: 4..3: n has no value from 4 to 3. Use integers, the smaller one first.",
    ],
  },
  dtypes: {
    "a store of a different dtype": [
      around("out[u] = int32(1)"),
      "error, dtypes, line 11: out[u] = int32(1): out holds float32, but the value is int32. Cast it first.",
    ],
    "a mask that is not bool": [
      around("out[u] = a where a"),
      "error, dtypes, line 11: out[u] = a where a: the mask must be bool, got float32.",
    ],
    "accumulators of two dtypes, and without the function": [
      around(
        "accumulator s: float32 = a",
        "accumulator h: float16 = float16(0)",
        "accumulator b: bool = bool(true)",
        "s add= int32(1)",
        "h add= float16(1)",
        "b mul= bool(true)",
      ),
      "error, dtypes, line 14: s add= int32(1): s is float32, but the value is int32. Cast it first.",
      "error, dtypes, line 15: h add= float16(1): add: takes integer, float, complex values of one dtype, got float16, float16. Cast to float32 first.",
      "error, dtypes, line 16: b mul= bool(true): mul: takes integer, float, complex values of one dtype, got bool, bool.",
    ],
    "a fetch of a float": [
      around("fetch k = x[u]", "out[u + k] = a"),
      "error, dtypes, line 11: fetch k = x[u]: a fetch needs an integer, got float32.",
      "unproved, writes, line 12: out[k + u] = a: two units of u may access the same element of out; this kernel does not rule it out.",
    ],
    "values that no maker returns": [
      kernelOver(
        store(raw({ kind: "call", dtype: "float32", fn: "add", args: [one, asDType("int32")] })),
        store(raw({ kind: "call", dtype: "float32", fn: "lt", args: [one, one] })),
        store(raw({ kind: "call", dtype: "float32", fn: "twice", args: [one] })),
        store(raw({ kind: "cast", dtype: "float32", how: "value", of: one })),
        store(raw({ kind: "cast", dtype: "float32", how: "bits", of: asDType("int64") })),
        store(raw({ kind: "load", dtype: "float32", buffer: "x", index: u, mask: asDType("bool") })),
        store(raw({ kind: "load", dtype: "float32", buffer: "x", index: u, mask: one, otherwise: one })),
        { kind: "let", name: "t", value: loadScalar("int32", "x", u) },
        { kind: "let", name: "v", value: parameterScalar("float64", "a") },
        { kind: "let", name: "w", value: constantScalar("int8", 300) },
        { kind: "let", name: "y", value: constantScalar("int32", 1.5) },
        { kind: "let", name: "z", value: raw({ kind: "index", dtype: "bool", value: u }) },
      ),
      "error, dtypes, line 11: out[u] = float32(1) + int32(1): add: takes integer, float, complex values of one dtype, got float32, int32. Cast one of them first.",
      "error, dtypes, line 12: out[u] = float32(1) < float32(1): lt is bool, but is used as float32.",
      "error, dtypes, line 13: out[u] = twice(float32(1)): twice is not a function.",
      "error, dtypes, line 14: out[u] = float32(float32(1)): a cast from float32 to itself. Omit it.",
      "error, dtypes, line 15: out[u] = bits_float32(int64(1)): bitcast: int64 and float32 have different sizes.",
      "error, dtypes, line 16: out[u] = x[u where bool(true)]: load of x: a masked load needs the value where the mask is false.",
      "error, dtypes, line 17: out[u] = x[u where float32(1) else float32(1)]: load of x: the mask must be bool, got float32.",
      "error, dtypes, line 18: let t: int32 = x[u]: x is float32, but is used as int32.",
      "error, dtypes, line 19: let v: float64 = a: a is float32, but is used as float64.",
      "error, dtypes, line 20: let w: int8 = int8(300): constant: value cannot be converted to type int8 without overflow: got 300, and int8 holds -128 to 127. Choose a wider dtype.",
      "error, dtypes, line 21: let y: int32 = int32(1.5): 1.5 is not a constant of int32. Use an integer, past 2^53 as a bigint.",
      "error, dtypes, line 22: let z: bool = bool[u]: an integer expression cannot be a value of bool. Cast it from int32.",
    ],
  },
  access: {
    "a load of a written buffer, a store to a read one": [
      around("out[u] = out[u]", "io[u] = io[u]")
        .replace("out: float32 write", "out: float32 read")
        .replace("io: float32 readwrite", "io: float32 write"),
      "error, access, line 11: out[u] = out[u]: out is declared read, and is stored to. Make it write or readwrite.",
      "error, access, line 12: io[u] = io[u]: io is declared write, and is loaded. Make it readwrite.",
    ],
  },
  expressions: {
    "a symbol with other bounds": [
      kernelOver(store(one, sym("u", { min: 0, max: 7 }))),
      "error, expressions, line 11: out[u] = float32(1): the bounds of the symbol u differ from those of its declaration. Create it with the same bounds.",
    ],
    "starts and indices below 0": [
      around("serial i in -4..n {", "}", "serial j in d..n {", "}", "index k = u - n", "index l = -1"),
      "error, expressions, line 11: serial i in -4..n {: the loop starts at -4, which is below 0.",
      "unproved, expressions, line 13: serial j in d..n {: the loop starts at d, which may be below 0.",
      "unproved, expressions, line 15: index k = -n + u: the index is -n+u, which may be below 0.",
      "error, expressions, line 16: index l = -1: the index is -1, which is below 0.",
    ],
    "a divisor that may be 0": [
      around("out[u] = x[u%n + u/(n + 1)]"),
      "unproved, expressions, line 11: out[u] = x[u/(n + 1) + u%n]: n divides, and may be 0.",
    ],
    "a divisor that is 0 once names are replaced": [
      around("index z = 0", "out[u] = x[u/z]"),
      "unproved, expressions, line 1: kernel k: could not be decided: floorDiv: the divisor is the constant 0.",
    ],
  },
  loops: {
    "no parallel loop": [
      "kernel k\n{\n  index i = 3\n}",
      "error, loops, line 3: index i = 3: the last statement of a kernel is its parallel loop.",
    ],
    "nothing at all": [
      "kernel k\n{\n}",
      "error, loops, line 1: kernel k: the last statement of a kernel is its parallel loop.",
    ],
    "two parallel loops, one inside another, one not from 0": [
      "kernel k\n{\n  parallel u in 1..3 {\n    parallel v in 0..2 {\n    }\n  }\n  parallel w in 0..1 {\n  }\n}",
      "error, loops, line 3: parallel u in 1..3 {: only index statements may come before the parallel loop.",
      "error, loops, line 3: parallel u in 1..3 {: the parallel loop starts at 1, and must start at 0.",
      "error, loops, line 4: parallel v in 0..2 {: a parallel loop is inside another loop.",
    ],
    "an unrolled loop of open length": [
      around("unrolled i in 0..n {", "}"),
      "error, loops, line 11: unrolled i in 0..n {: an unrolled loop has constant bounds, got 0 and n.",
    ],
    "steps of a serial loop": [
      kernelOver({ kind: "loop", mode: "serial", index: "i", from: constant(0), to: constant(8), by: 2, body: [] }),
      "error, loops, line 11: serial i in 0..8 {: only vector loops go by more than 1, got 2.",
    ],
  },
  vector: {
    "steps of 3, and a vector loop in another": [
      around("vector i in 0..n by 3 {", "vector j in 0..4 by 4 {", "}", "}"),
      "error, vector, line 11: vector i in 0..n by 3 {: a vector loop goes by a power of two, got 3.",
      "error, vector, line 12: vector j in 0..4 by 4 {: a vector loop is inside another one.",
    ],
    "one element for all iterations": [
      around("vector i in 0..n by 4 {", "out[u] = x[i]", "}"),
      "error, vector, line 12: out[u] = x[i]: every iteration of i stores to the same elements of out.",
    ],
    "iterations that meet": [
      around(
        "allocate t: float32[16] in smem",
        "vector i in 0..8 by 4 {",
        "out[8*u + i/2] = x[i]",
        "io[9*u + i + 1] = io[9*u + i]",
        "t[i + 1] = t[i]",
        "io[9*u] = a where x[i] < a",
        "}",
      ),
      "unproved, vector, line 13: out[8*u + i/2] = x[i]: two iterations of i may access the same element of out; this kernel does not rule it out.",
      "unproved, vector, line 14: io[i + 9*u + 1] = io[i + 9*u]: two iterations of i may access the same element of io; this kernel does not rule it out.",
      "unproved, vector, line 15: t[i + 1] = t[i]: two iterations of i may access the same element of t; this kernel does not rule it out.",
      "unproved, vector, line 16: io[9*u] = a where x[i] < a: two iterations of i may access the same element of io; this kernel does not rule it out.",
    ],
    "an accumulator that is read, or combined in two ways, where it is added to": [
      around(
        "accumulator s: float32 = a",
        "accumulator p: float32 = a",
        "vector i in 0..4 by 4 {",
        "s add= x[i]",
        "out[4*u + i] = s",
        "p mul= a",
        "p add= a",
        "}",
      ),
      "error, vector, line 17: p add= a: p is combined by mul and by add in one vector loop.",
      "error, vector, line 15: out[i + 4*u] = s: s is read in the vector loop that adds to it, where it has no value yet.",
    ],
  },
  memory: {
    "memory and barriers in a vector loop": [
      around("vector i in 0..4 by 4 {", "allocate t: float32[4] in rmem", "barrier", "}"),
      "error, memory, line 12: allocate t: float32[4] in rmem: memory is allocated inside a vector loop.",
      "error, memory, line 13: barrier: a barrier is inside a vector loop.",
    ],
    "memory before the parallel loop, and none at all": [
      "kernel k\n{\n  allocate t: float32[4] in smem\n  parallel u in 0..1 {\n    allocate v: float32[0] in rmem\n  }\n}",
      "error, loops, line 3: allocate t: float32[4] in smem: only index statements may come before the parallel loop.",
      "error, memory, line 3: allocate t: float32[4] in smem: memory is allocated outside of the parallel loop.",
      "error, memory, line 5: allocate v: float32[0] in rmem: the length of v must be a positive integer, got 0.",
    ],
  },
  bounds: {
    "indices that leave allocated memory": [
      around(
        "allocate t: float32[8] in smem",
        "serial i in 0..9 {",
        "t[i] = a",
        "}",
        "t[8] = a",
        "t[-1] = a",
        "serial j in 2..9 {",
        "t[10 - j] = a where a < a",
        "t[9 - j] = t[j - 3]",
        "}",
      ),
      "error, bounds, line 13: t[i] = a: t[i] leaves the 8 elements of t.",
      "error, bounds, line 15: t[8] = a: t[8] leaves the 8 elements of t.",
      "error, bounds, line 16: t[-1] = a: t[-1] leaves the 8 elements of t.",
      "unproved, bounds, line 18: t[-j + 10] = a where a < a: t[-j+10] may leave the 8 elements of t.",
      "error, bounds, line 19: t[-j + 9] = t[j - 3]: t[j-3] leaves the 8 elements of t.",
    ],
    "indices that may leave it": [
      around("allocate t: float32[8] in smem", "serial i in 0..n {", "t[i] = a", "t[i%8] = a", "t[i%9] = a", "}"),
      "unproved, bounds, line 13: t[i] = a: t[i] may leave the 8 elements of t.",
      "unproved, bounds, line 15: t[i%9] = a: t[i%9] may leave the 8 elements of t.",
    ],
  },
  writes: {
    "one element for all units": [
      around("out[3] = a", "serial i in 0..n {", "out[i] = a", "out[2*i + 1] = a where a < a", "}"),
      "error, writes, line 11: out[3] = a: every unit of u stores to the same elements of out.",
      "error, writes, line 13: out[i] = a: every unit of u stores to the same elements of out.",
      "unproved, writes, line 14: out[2*i + 1] = a where a < a: two units of u may access the same element of out; this kernel does not rule it out.",
    ],
    "units that reach into each other": [
      around("serial i in 0..5 {", "out[4*u + i] = a", "io[5*u + i] = io[5*u + i + 1]", "}"),
      "unproved, writes, line 12: out[i + 4*u] = a: two units of u may access the same element of out; this kernel does not rule it out.",
      "unproved, writes, line 13: io[i + 5*u] = io[i + 5*u + 1]: two units of u may access the same element of io; this kernel does not rule it out.",
    ],
    "two stores that meet": [
      around("out[2*u] = a", "out[2*u + 2] = a"),
      "unproved, writes, line 11: out[2*u] = a: two units of u may access the same element of out; this kernel does not rule it out.",
      "unproved, writes, line 12: out[2*u + 2] = a: two units of u may access the same element of out; this kernel does not rule it out.",
    ],
    "units that fold onto each other": [
      around("out[u/2] = a", "io[-u] = a"),
      "unproved, writes, line 11: out[u/2] = a: two units of u may access the same element of out; this kernel does not rule it out.",
      "unproved, writes, line 12: io[-u] = a: two units of u may access the same element of io; this kernel does not rule it out.",
    ],
  },
  threads: {
    "a threads loop that is not last, or not from 0 to a constant": [
      around("threads t in 0..4 {", "}", "out[u] = a"),
      "error, threads, line 11: threads t in 0..4 {: a threads loop is the last statement of the parallel loop.",
      "error, threads, line 13: out[u] = a: it is computed once for all threads. Move it into the threads loop.",
    ],
    "threads under a condition, and in threads": [
      around("if a < a {", "threads t in 1..n {", "threads v in 0..4 {", "}", "}", "}"),
      "error, threads, line 11: if a < a {: it is computed once for all threads. Move it into the threads loop.",
      "error, threads, line 12: threads t in 1..n {: a threads loop is the last statement of the parallel loop.",
      "error, threads, line 12: threads t in 1..n {: a threads loop is from 0 to a constant of 1 or more, got 1 and n.",
      "error, threads, line 13: threads v in 0..4 {: a threads loop is the last statement of the parallel loop.",
      "error, threads, line 13: threads v in 0..4 {: a kernel has one threads loop.",
    ],
    "memory of a unit in a thread, and memory of a thread in a unit": [
      around("allocate r: float32[4] in rmem", "threads t in 0..4 {", "allocate s: float32[4] in smem", "}"),
      "error, threads, line 11: allocate r: float32[4] in rmem: r belongs to one thread. Allocate it in the threads loop.",
      "error, threads, line 13: allocate s: float32[4] in smem: s is shared by the threads. Allocate it before the threads loop.",
    ],
  },
  barriers: {
    "a barrier under a condition on the thread": [
      around("threads t in 0..4 {", "if int32[t] < int32[n] {", "barrier", "}", "}"),
      'error, barriers, line 13: barrier: the barrier is under the condition "if int32[t] < int32[n]", which depends on the thread t. Move it out.',
    ],
    "a barrier in a loop over a number of rounds that depends on the thread": [
      around(
        "threads t in 0..4 {",
        "fetch k = int32[t] * int32[n]",
        "index m = max(k, 0) + 1",
        "serial i in 0..m {",
        "barrier",
        "}",
        "}",
      ),
      'error, barriers, line 15: barrier: the barrier is in the loop "serial i in 0..m", which depends on m, m on k, k on the thread t. Move it out.',
    ],
    "a barrier under a condition on shared memory, and under two conditions": [
      around(
        "allocate s: float32[4] in smem",
        "threads t in 0..4 {",
        "s[t] = a",
        "let v: float32 = s[0]",
        "if v < a {",
        "serial i in 0..n {",
        "if x[i] < x[t] {",
        "barrier",
        "}",
        "}",
        "}",
        "}",
      ),
      'error, barriers, line 18: barrier: the barrier is under the condition "if v < a", which depends on v, v on elements of s, which the kernel stores to. Move it out.',
      'error, barriers, line 18: barrier: the barrier is under the condition "if x[i] < x[t]", which depends on the thread t. Move it out.',
    ],
    "an accumulator that threads with a condition change": [
      around(
        "threads t in 0..4 {",
        "accumulator c: int32 = int32(0)",
        "if int32[t] < int32[n] {",
        "c add= int32(1)",
        "}",
        "if c < int32(1) {",
        "barrier",
        "}",
        "}",
      ),
      'error, barriers, line 17: barrier: the barrier is under the condition "if c < int32(1)", which depends on c, which each thread has. Move it out.',
    ],
  },
  races: {
    "one element for all threads": [
      around("allocate s: float32[8] in smem", "threads t in 0..8 {", "s[3] = a", "barrier", "out[u] = s[t]", "}"),
      "error, races, line 13: s[3] = a: every thread of t stores to the same elements of s.",
      "error, races, line 15: out[u] = s[t]: every thread of t stores to the same elements of out.",
    ],
    "a missing barrier, and one at the end of a loop alone": [
      around(
        "allocate s: float32[9] in smem",
        "threads t in 0..8 {",
        "s[t] = a",
        "io[8*u + t] = s[t + 1]",
        "barrier",
        "serial i in 0..n {",
        "s[t] = a",
        "barrier",
        "io[8*u + t] = s[t + 1]",
        "}",
        "}",
      ),
      "unproved, races, line 13: s[t] = a: two threads of t may access the same element of s; this kernel does not rule it out.",
      "unproved, races, line 17: s[t] = a: two threads of t may access the same element of s; this kernel does not rule it out.",
    ],
  },
};

test("barriers between the accesses of threads, and uniform conditions around them, keep the rules", () => {
  const apart = around(
    "index k = u%2",
    "let v: float32 = x[u]",
    "allocate s: float32[9] in smem",
    "threads t in 0..8 {",
    "s[t] = a",
    "barrier",
    "if v < a {",
    "serial i in 0..n {",
    "let w: float32 = s[t + 1]",
    "barrier",
    "s[t] = w + x[k]",
    "barrier",
    "}",
    "}",
    "out[8*u + t] = s[t]",
    "}",
  );
  expect(findingsOf(apart)).toEqual([]);
});

test("every rule has kernels that break it", () => {
  expect(Object.keys(breakages)).toEqual(kernelRules.map(({ name }) => name));
});

describe.each(Object.entries(breakages))("%s", (rule, kernels) => {
  test.each(Object.entries(kernels))("%s", (_, [kernel, ...findings]) => {
    expect(findingsOf(kernel).filter((each) => each.includes(`, ${rule}, `) || findings.includes(each))).toEqual(
      findings,
    );
  });
});

test("disjoint iterations, and a single iteration, keep the rule", () => {
  const apart = around(
    "vector i in 0..8 by 4 {",
    "io[16*u + 2*i] = io[16*u + 2*i] + io[16*u + 2*i + 1]",
    "serial j in 0..3 {",
    "out[24*u + 3*i + j] = x[j]",
    "}",
    "}",
    "vector k in 0..1 by 4 {",
    "io[16*u + 15] = x[k]",
    "}",
  );
  expect(findingsOf(apart)).toEqual([]);
});

test("an accumulator of a vector loop's own iteration may be read", () => {
  expect(findingsOf(kernelTexts["sumColumns"] as string)).toEqual([]);
});

test("checkKernel lists the errors, and only those", () => {
  const kernel = parseKernel(around("out[u/2] = int32(1)", "io[3] = a"));
  expect(() => checkKernel(kernel)).toThrow(KernelError);
  expect(() => checkKernel(kernel)).toThrowErrorMatchingInlineSnapshot(`
    [KernelError: kernel k: failed verification.
      error, dtypes, line 11: out[u/2] = int32(1): out holds float32, but the value is int32. Cast it first.
      error, writes, line 12: io[3] = a: every unit of u stores to the same elements of io.]
  `);
  expect(() => checkKernel(parseKernel(around("out[u/2] = a")))).not.toThrow();
});
