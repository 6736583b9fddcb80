/**
 * The default dtype in the type checker: without a declaration only float32 can be set; with one, all dependent types
 * are those of the results.
 */
import * as stridewise from "stridewise";
import { afterEach, expect, test } from "vitest";
import { typeErrors } from "../support/type-errors.ts";

const { getDefaultDType, setDefaultDType } = stridewise;
afterEach(() => setDefaultDType("float32"));

/** Calls whose dtype is the default, or the complex dtype of the same precision. */
const calls = [
  "zeros([2])",
  "ones([2])",
  "empty([2])",
  "full([2], 1)",
  "full([2], { re: 1, im: 2 })",
  "constant(1)",
  "eye(2)",
  "eye(2, 3)",
  "arange(3)",
  "arange(0, 3)",
  "linspace(0, 1, 3)",
  "logspace(0, 1, 3)",
  "fromFunction([2], (i) => i)",
  "rand([2])",
  "randn([2])",
  "tensor(1)",
  "tensor([[1, 2]])",
  "tensor({ re: 1, im: 2 })",
  "tensor([1n]).sqrt()",
  "tensor([1n]).div(2n)",
  "tensor([true]).add(1)",
  "tensor([1n]).mul({ re: 1, im: 2 })",
  "zeros([2]).add(1)",
  "zeros([2]).matmul(zeros([2]))",
  // Independent of the default.
  "tensor([1n])",
  "zeros([2], { dtype: 'float32' })",
  "zeros([2], { dtype: 'float32' }).mul({ re: 1, im: 2 })",
  "tensor(new Float32Array(2))",
  "zeros([2], { dtype: 'float16' }).add(1)",
];

const dtypesNow = (): string[] =>
  calls.map((call) => {
    const names = Object.keys(stridewise).filter((name) => /^[a-z]\w*$/i.test(name) && name !== "var");
    const make = new Function(...names, `return ${call}.dtype;`) as (...values: unknown[]) => string;
    return make(...names.map((name) => (stridewise as Record<string, unknown>)[name]));
  });

const imports =
  'import { arange, constant, empty, eye, fromFunction, full, getDefaultDType, linspace, logspace, ones, rand, randn, setDefaultDType, tensor, type Tensor, zeros } from "stridewise";';
const equal = "type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;";
const declared = (dtypes: string): string =>
  `declare module "stridewise" { interface DefaultTypes { dtype: ${dtypes} } }`;
/** Code that compiles if and only if each call has its dtype. */
const claims = (dtypes: readonly string[]): string[] =>
  calls.flatMap((call, i) => [
    `const t${i} = ${call};`,
    `export const is${i}: Equal<(typeof t${i})["dtype"], "${dtypes[i]}"> = true;`,
  ]);

test("types and results agree, without a declaration and with one", { timeout: 120_000 }, async () => {
  expect(await typeErrors([imports, equal, ...claims(dtypesNow())].join("\n"))).toEqual([]);
  setDefaultDType("float64" as never);
  expect(dtypesNow()).toContain("complex128");
  const lines = [imports, equal, declared('"float64"'), 'setDefaultDType("float64");', ...claims(dtypesNow())];
  expect(await typeErrors(lines.join("\n"))).toEqual([]);
});

test("a default that is not declared does not compile, and the compiler suggests the remedy", {
  timeout: 120_000,
}, async () => {
  const call = 'setDefaultDType("float64");';
  expect(
    await typeErrors([imports, 'setDefaultDType("float32");', "setDefaultDType(getDefaultDType());", call].join("\n")),
  ).toEqual([
    `4: TS2345: Argument of type '"float64"' is not assignable to parameter of type '"setDefaultDType: declare it first, so that types are right: declare module \\"stridewise\\" { interface DefaultTypes { dtype: \\"float64\\" } }"'.`,
  ]);
  expect(await typeErrors([imports, 'setDefaultDType("int32");'].join("\n"))).toEqual([
    `2: TS2345: Argument of type '"int32"' is not assignable to parameter of type '"setDefaultDType: the default must be a floating-point dtype"'.`,
  ]);
});

test("a program with several defaults declares them all, and its types name them all", {
  timeout: 120_000,
}, async () => {
  const both = '"float32" | "float64"';
  const code = [
    imports,
    equal,
    declared(both),
    'setDefaultDType("float64");',
    'setDefaultDType("float32");',
    "const made = zeros([2]), sum = made.add(tensor(new Float32Array(2))), wide = made.add(tensor(new Float64Array(2)));",
    `export const isBoth: Equal<(typeof made)["dtype"], ${both}> = true;`,
    `export const sumIsBoth: Equal<(typeof sum)["dtype"], ${both}> = true;`,
    'export const isWide: Equal<(typeof wide)["dtype"], "float64"> = true;',
  ];
  expect(await typeErrors(code.join("\n"))).toEqual([]);
});

test("throws unless the dtype is a float, and nothing changes", () => {
  for (const dtype of ["int32", "bool", "complex64"])
    expect(() => setDefaultDType(dtype as never)).toThrow(`the default must be a floating-point dtype, got ${dtype}`);
  expect(() => setDefaultDType("float" as never)).toThrow('setDefaultDType: "float" is not a dtype');
  expect(getDefaultDType()).toBe("float32");
});
