/** The compiler reports wrong calls on tensors in a sentence, and accepts all others. */
import { expect, test } from "vitest";
import { typeErrors } from "../support/type-errors.ts";

const preamble = [
  'import { _, ellipsis, range, tensor, zeros } from "stridewise";',
  'import { add } from "../../../test/types/tensor-functions.ts";',
  "declare const n: number;",
  "const scalar = tensor(1), row = zeros([3]), matrix = zeros([2, 3]), cube = zeros([2, 3, 4]), batch = zeros([n, 3]);",
];

const sentences: readonly (readonly [call: string, parameter: string])[] = [
  ["tensor([[1, 2], [3]])", "tensor: the rows at depth 1 differ in length"],
  ["tensor([[[1], [2]], [[3], []]])", "tensor: the rows at depth 2 differ in length"],
  ["tensor([1, [2]])", "tensor: arrays and single values are mixed at depth 1"],
  ["matrix.permute(0, 2)", "permute: axis 2 is out of range for rank 2: [2,3]"],
  ["cube.permute([0, 1])", "permute: 2 axes for rank 3: [2,3,4]"],
  ["cube.permute(0, 1, -2)", "permute: axis -2 appears twice in [0,1,-2]"],
  ["batch.permute(0, -3)", "permute: axis -3 is out of range for rank 2: [n,3]"],
  ["matrix.transpose(0, 2)", "transpose: axis 2 is out of range for rank 2: [2,3]"],
  ["scalar.transpose(1, 0)", "transpose: axis 1 is out of range for rank 0: []"],
  ["cube.transpose(1)", "transpose: 1 axes for rank 3: [2,3,4]"],
  ["cube.movedim(3, 0)", "movedim: axis 3 is out of range for rank 3: [2,3,4]"],
  ["cube.movedim([0, 1], [0])", "movedim: 2 axes cannot move to 1 destinations"],
  ["cube.movedim([0, 1], [2, -1])", "movedim: axis -1 appears twice in [2,-1]"],
  ["cube.squeeze(-4)", "squeeze: axis -4 is out of range for rank 3: [2,3,4]"],
  ["cube.unsqueeze(4)", "unsqueeze: axis 4 is out of range for the new rank 4: [2,3,4]"],
  ["cube.reshape(5, 5)", "reshape: [2,3,4] has 24 elements and [5,5] has 25"],
  ["cube.reshape([7, -1])", "reshape: the 24 elements of [2,3,4] do not fill [7,-1]"],
  ["cube.reshape([-1, -1])", "reshape: only one size can be -1: [-1,-1]"],
  ["cube.reshape(-2, 12)", "reshape: size -2 is negative in [-2,12]"],
  ["cube.view([2, 13])", "view: [2,3,4] has 24 elements and [2,13] has 26"],
  ["cube.flatten(2, 1)", "flatten: axis 2 comes after axis 1: [2,3,4]"],
  ["cube.flatten(0, 3)", "flatten: axis 3 is out of range for rank 3: [2,3,4]"],
  ["cube.unflatten(2, [3, 2])", "unflatten: [4] has 4 elements and [3,2] has 6"],
  ["matrix.expand(2, 4)", "expand: size 3 cannot expand to 4: [2,3] to [2,4]"],
  ["matrix.expand([3])", "expand: [3] has fewer axes than [2,3]"],
  ["row.expand([-1, 3])", "expand: -1 in [-1,3] matches no axis of [3]"],
  ["row.broadcastTo([4, 5])", "broadcastTo: size 3 cannot expand to 5: [3] to [4,5]"],
  ["row.expandAs(cube)", "expandAs: size 3 cannot expand to 4: [3] to [2,3,4]"],
  ["matrix.select(0, 2)", "select: index 2 is out of range for axis 0 of size 2: [2,3]"],
  ["matrix.select(-1, -4)", "select: index -4 is out of range for axis -1 of size 3: [2,3]"],
  ["scalar.select(0, 0)", "select: axis 0 is out of range for rank 0: []"],
  ["cube.narrow(2, 1, 4)", "narrow: 4 indices from 1 on do not fit in axis 2 of size 4: [2,3,4]"],
  ["cube.narrow(2, 0, -1)", "narrow: the length -1 is negative"],
  ["cube.slice(3, 1)", "slice: axis 3 is out of range for rank 3: [2,3,4]"],
  ["cube.split([1, 2], 2)", "split: the sizes [1,2] add up to 3, and axis 2 has size 4: [2,3,4]"],
  ["cube.split(1, 3)", "split: axis 3 is out of range for rank 3: [2,3,4]"],
  ["cube.chunk(2, 3)", "chunk: axis 3 is out of range for rank 3: [2,3,4]"],
  ["cube.unbind(-4)", "unbind: axis -4 is out of range for rank 3: [2,3,4]"],
  ["cube.diagonal(0, 1, -2)", "diagonal: axes 1 and -2 are the same: [2,3,4]"],
  ["cube.unfold(1, 4, 1)", "unfold: windows of 4 do not fit in axis 1: [2,3,4]"],
  ["scalar.unfold(0, 2, 1)", "unfold: windows of 2 do not fit in axis 0: []"],
  ["cube.asStrided([2, 2], [1])", "asStrided: sizes and strides must have the same length, got 2 and 1"],
  ["matrix.at(0, 1, 2)", "at: 3 indices for rank 2: [2,3]"],
  ["matrix.at(_, 3)", "at: index 3 is out of range for axis 1 of size 3: [2,3]"],
  ["matrix.at(null, ellipsis, -4)", "at: index -4 is out of range for axis 1 of size 3: [2,3]"],
  ["matrix.at(ellipsis, ellipsis)", "at: only one ellipsis is allowed"],
  ["matrix.at(range(1), ellipsis, 0, 0)", "at: 3 indices for rank 2: [2,3]"],
  ["add(matrix, zeros([4]))", "add: sizes 3 and 4 differ and neither is 1: [2,3] and [4]"],
  ["add(batch, zeros([7, 5]))", "add: sizes 3 and 5 differ and neither is 1: [n,3] and [7,5]"],
  ["matrix.get(3)", "get: 1 index for rank 2: [2,3]; getColMajor takes one"],
  ["batch.get(n)", "get: 1 index for rank 2: [n,3]; getColMajor takes one"],
  ["cube.get(1, 2)", "get: 2 indices for rank 3: [2,3,4]"],
  ["row.get(1, 2)", "get: 2 indices for rank 1: [3]"],
  ["matrix.set(3, 1.5)", "set: 1 index for rank 2: [2,3]; setColMajor takes one"],
  ["cube.set(1, 2, 1.5)", "set: 2 indices for rank 3: [2,3,4]"],
  ["matrix.expect([2, 4])", "expect: the shape is [2,3], not [2,4]"],
  ["batch.expect([2, 3, 4])", "expect: the shape is [n,3], not [2,3,4]"],
];

/** The errors in the code only, not in the sources it imports. */
const errorsIn = async (...lines: string[]): Promise<string[]> =>
  (await typeErrors([...preamble, ...lines].join("\n"))).filter((error) => /^\d/.test(error));

test("a wrong call has a helpful error", { timeout: 60_000 }, async () => {
  const errors = await errorsIn(...sentences.map(([call]) => `${call};`));
  expect(errors.map((error) => error.replace(/TS2345: .*parameter of type '"(.*)"'\.$/, "$1"))).toEqual(
    sentences.map(([, sentence], i) => `${i + 1 + preamble.length}: ${sentence}`),
  );
});

test("invalid arguments do not compile", { timeout: 60_000 }, async () => {
  const calls = [
    "matrix.permute(null)",
    'matrix.reshape("2")',
    'matrix.view("float31")',
    "matrix.select(0)",
    "matrix.transpose(true, 0)",
    "matrix.at(undefined)",
    'matrix.at("all")',
    "tensor(new Date())",
    'tensor([1], { dtype: "float" })',
    "matrix.expandAs([2, 3])",
    "const a: typeof matrix = cube",
    "const b: typeof matrix = matrix.dyn()",
    "const c: typeof matrix = batch",
  ];
  const errors = await errorsIn(...calls);
  expect(errors.map((error) => Number.parseInt(error, 10) - preamble.length - 1)).toEqual(calls.map((_, i) => i));
});

test("a hover shows shape, dtype and space and nothing else", { timeout: 60_000 }, async () => {
  const calls: readonly (readonly [code: string, shown: string])[] = [
    ["cube", 'Tensor<[2, 3, 4], "float32", Space>'],
    ["cube.transpose(0, 1).flatten(1)", 'Tensor<[3, 8], "float32", Space>'],
    ["batch.permute(1, 0)", 'Tensor<[3, number], "float32", Space>'],
    ["cube.at(_, 0, range(2))", 'Tensor<[2, 2], "float32", Space>'],
    ['tensor([[1], [2]], { dtype: "int8" }).T', 'Tensor<[1, 2], "int8", Space>'],
    ["cube.dyn()", 'Tensor<Shape, "float32", Space>'],
  ];
  const shown = await errorsIn(...calls.map(([code], i) => `export const c${i}: 0 = ${code};`));
  expect(shown).toEqual(
    calls.map(([, type], i) => `${preamble.length + 1 + i}: TS2322: Type '${type}' is not assignable to type '0'.`),
  );
});
