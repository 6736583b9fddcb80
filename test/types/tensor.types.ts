/**
 * The compiler's knowledge of tensors: the shapes of created tensors, of every view and of every index. Code without
 * known shapes is in tensor-generic.types.ts, errors are in tensor-errors.test.ts; tensor-agreement.test.ts compares
 * with run time.
 */
import { _, type DType, ellipsis, range, type Shape, type Tensor, tensor, zeros } from "stridewise";
import type { TensorData } from "../../src/tensor/create/from-data.ts";
import type { DTypeOfData, RaggedFault, ShapeOfNested } from "../../src/tensor/types/nested-data.ts";
import type { IsKnown, NumelOf, Rank, SizeAt } from "../../src/tensor/types/types.ts";
import type { Equal, Expect } from "../support/types.ts";
import { add } from "./tensor-functions.ts";

declare const n: number;
declare const numbers: number[];
declare const choice: 2 | 4;
declare const axisChoice: 0 | 1;
declare const some: Tensor;
declare const floats: Tensor<Shape, "float32">;
declare const mask: Tensor<Shape, "bool">;
declare const data: TensorData;
declare const rowChoice: [1, 2] | [1, 2, 3];
declare const maybe: number | undefined;

const scalar = tensor(3);
const row = zeros([5]);
const matrix = zeros([2, 3]);
const cube = zeros([2, 3, 4]);
const batch = zeros([n, 3, 4]);
const ones = zeros([1, 3, 1, 4]);
const chosen = zeros([choice, 3]);
const nine = zeros([1, 2, 1, 2, 1, 2, 1, 2, 1]);
const sizes = [2, 3] as const;

type Float<S extends Shape> = Tensor<S, "float32">;

// ---- Making -----------------------------------------------------------------------------------------------------

const grid = tensor([
  [1, 2, 3],
  [4, 5, 6],
]);
const long = tensor([[[1], [2]]]);
const flags = tensor([true, false]);
const bigs = tensor([1n, 2n]);
const complexes = tensor([{ re: 1, im: 2 }]);
const doubles = tensor(new Float64Array(3));
const bytes = tensor(new Uint8ClampedArray(3));
const withDType = tensor([[1], [2]], { dtype: "int32" });
const withAnyDType = tensor([1], { dtype: "int8" as DType });
const dynamic = tensor(numbers);
const dynamicRows = tensor([numbers, numbers]);
const anyData = tensor(data);
const anyRows = tensor([data, data]);
const anyLength = tensor([rowChoice, rowChoice]);
const stacked = tensor([matrix, matrix]);
const stackedDynamic = tensor([some, some]);
const typedRows = tensor([new Int8Array(3), new Uint8Array(3)]);
const mixed = tensor([1, true]);
const empty = tensor([]);
const emptyRows = tensor([[], []]);
const fromConst = zeros(sizes);
const fromShape = zeros(matrix.shape);
const fromNumbers = zeros(numbers);

export type Created = [
  Expect<Equal<typeof scalar, Float<[]>>>,
  Expect<Equal<typeof matrix, Float<[2, 3]>>>,
  Expect<Equal<typeof grid, Float<[2, 3]>>>,
  Expect<Equal<typeof long, Float<[1, 2, 1]>>>,
  Expect<Equal<typeof flags, Tensor<[2], "bool">>>,
  Expect<Equal<typeof bigs, Tensor<[2], "int64">>>,
  Expect<Equal<typeof complexes, Tensor<[1], "complex64">>>,
  Expect<Equal<typeof doubles, Tensor<[number], "float64">>>,
  Expect<Equal<typeof bytes, Tensor<[number], "uint8">>>,
  Expect<Equal<typeof withDType, Tensor<[2, 1], "int32">>>,
  Expect<Equal<typeof withAnyDType, Tensor<[1], DType>>>,
  Expect<Equal<typeof dynamic, Float<[number]>>>,
  Expect<Equal<typeof dynamicRows, Float<[2, number]>>>,
  Expect<Equal<typeof anyData, Tensor<Shape, DType>>>,
  Expect<Equal<typeof anyRows, Tensor<Shape, DType>>>,
  Expect<Equal<typeof anyLength, Float<[2, number]>>>,
  Expect<Equal<typeof stacked, Float<[2, 2, 3]>>>,
  Expect<Equal<typeof stackedDynamic, Tensor<Shape, DType>>>,
  Expect<Equal<typeof typedRows, Tensor<[2, number], DType>>>,
  Expect<Equal<typeof mixed, Tensor<[2], "float32" | "bool">>>,
  Expect<Equal<typeof empty, Float<[0]>>>,
  Expect<Equal<typeof emptyRows, Float<[2, 0]>>>,
  Expect<Equal<typeof fromConst, Float<[2, 3]>>>,
  Expect<Equal<typeof fromShape, Float<[2, 3]>>>,
  Expect<Equal<typeof fromNumbers, Float<number[]>>>,
  Expect<Equal<typeof chosen, Float<[number, 3]>>>,
];

// biome-ignore lint/suspicious/noExplicitAny: data of unknown type
type Anything = any;
export type UnknownData = [
  Expect<
    Equal<[RaggedFault<TensorData>, ShapeOfNested<TensorData>, DTypeOfData<TensorData>], [undefined, Shape, DType]>
  >,
  Expect<Equal<RaggedFault<readonly [TensorData, TensorData]>, undefined>>,
  Expect<Equal<ShapeOfNested<readonly [TensorData, TensorData]>, Shape>>,
  Expect<
    Equal<[RaggedFault<Anything[]>, ShapeOfNested<Anything[]>, DTypeOfData<Anything[]>], [undefined, Shape, DType]>
  >,
];

export type Measured = [
  Expect<Equal<Rank<[2, 3]>, 2>>,
  Expect<Equal<Rank<[]>, 0>>,
  Expect<Equal<Rank<number[]>, number>>,
  Expect<Equal<Rank<[1] | [1, 2]>, number>>,
  Expect<Equal<Rank<(typeof nine)["shape"]>, number>>,
  Expect<Equal<NumelOf<[2, 3, 4]>, 24>>,
  Expect<Equal<NumelOf<[]>, 1>>,
  Expect<Equal<NumelOf<[2, number]>, number>>,
  Expect<Equal<NumelOf<[65536, 65536]>, number>>,
  Expect<Equal<SizeAt<[2, 3, 4], -1>, 4>>,
  Expect<Equal<SizeAt<[2, 3, 4], 1>, 3>>,
  Expect<Equal<SizeAt<[2, 3, 4], 0 | 1>, number>>,
  Expect<Equal<SizeAt<[2, 3, 4], "batch">, number>>,
  Expect<Equal<IsKnown<[2, 3]>, true>>,
  Expect<Equal<IsKnown<[2, number]>, false>>,
  Expect<Equal<IsKnown<[2, 3 | 4]>, false>>,
  Expect<Equal<IsKnown<number[]>, boolean>>,
];

// ---- Order of the axes ------------------------------------------------------------------------------------------

export const ordered = [
  cube.permute(2, 0, 1) satisfies Float<[4, 2, 3]>,
  cube.permute([2, 0, 1]) satisfies Float<[4, 2, 3]>,
  cube.permute(-1, 0, -2) satisfies Float<[4, 2, 3]>,
  batch.permute(1, 0, 2) satisfies Float<[3, number, 4]>,
  cube.permute(numbers) satisfies Float<[number, number, number]>,
  cube.permute("a", "b", 0) satisfies Float<[number, number, 2]>,
  floats.permute(1, 0) satisfies Tensor<[number, number], "float32">,
  cube.transpose(0, 2) satisfies Float<[4, 3, 2]>,
  cube.transpose(-1, -2) satisfies Float<[2, 4, 3]>,
  cube.transpose(1, 1) satisfies Float<[2, 3, 4]>,
  cube.transpose(0, n) satisfies Float<[number, number, number]>,
  scalar.transpose(0, -1) satisfies Float<[]>,
  cube.movedim(0, -1) satisfies Float<[3, 4, 2]>,
  cube.movedim(2, 0) satisfies Float<[4, 2, 3]>,
  cube.movedim([0, 1], [1, 2]) satisfies Float<[4, 2, 3]>,
  cube.movedim([2, 0], [0, -1]) satisfies Float<[4, 3, 2]>,
  cube.movedim(n, 0) satisfies Float<[number, number, number]>,
];
const permuted = cube.permute(2, 0, 1);
const transposedBy = matrix.transpose(axisChoice, 1);
const moved = zeros([2, 3, 4, 5, 6]).movedim([3, 0], [0, 3]);
export type Ordered = [
  Expect<Equal<typeof permuted, Float<[4, 2, 3]>>>,
  Expect<Equal<typeof transposedBy, Float<[number, number]>>>,
  Expect<Equal<typeof moved, Float<[5, 3, 4, 2, 6]>>>,
  Expect<Equal<(typeof cube)["T"], Float<[4, 3, 2]>>>,
  Expect<Equal<(typeof cube)["mT"], Float<[2, 4, 3]>>>,
  Expect<Equal<(typeof batch)["mT"], Float<[number, 4, 3]>>>,
  Expect<Equal<Tensor<Shape, "bool">["T"], Tensor<Shape, "bool">>>,
];

// ---- The same elements in other axes ----------------------------------------------------------------------------

const reshaped = cube.reshape(4, 6);
const reshapedList = cube.reshape([3, 8]);
const inferred = cube.reshape(4, -1);
const inferredFront = cube.reshape([-1, 2]);
const inferredOdd = zeros([7, 11, 13]).reshape([13, -1, 7]);
const inferredLarge = zeros([64, 4096, 512]).view([64, -1, 8, 64]);
const inferredUnknown = batch.reshape([n, -1]);
const reshapedUnion = cube.reshape(choice, -1);
const reshapedNumbers = cube.reshape(numbers);
const flat = cube.flatten();
const flatEnd = cube.flatten(1);
const flatFront = cube.flatten(0, 1);
const flatBatch = batch.flatten(1, -1);
const flatUnknown = batch.flatten();
const flatScalar = scalar.flatten();
const unflat = cube.unflatten(2, [2, 2]);
const unflatMissing = cube.unflatten(-1, [-1, 2]);
const squeezed = ones.squeeze();
const squeezedOne = ones.squeeze(0);
const squeezedNot = ones.squeeze(1);
const squeezedTwo = ones.squeeze([0, -2]);
const squeezedUnknown = batch.squeeze();
const squeezedAxisUnknown = batch.squeeze(0);
const squeezedKnownAxis = batch.squeeze(1);
const unsqueezed = matrix.unsqueeze(0);
const unsqueezedEnd = matrix.unsqueeze(-1);
const unsqueezedMiddle = matrix.unsqueeze(-2);
const unsqueezedSomewhere = matrix.unsqueeze(n);
const expanded = ones.expand([5, 3, 2, -1]);
const expandedMore = row.expand([4, 3, 5]);
const expandedTo = row.expand([n, -1]);

export type Regrouped = [
  Expect<Equal<typeof reshaped, Float<[4, 6]>>>,
  Expect<Equal<typeof reshapedList, Float<[3, 8]>>>,
  Expect<Equal<typeof inferred, Float<[4, 6]>>>,
  Expect<Equal<typeof inferredFront, Float<[12, 2]>>>,
  Expect<Equal<typeof inferredOdd, Float<[13, 11, 7]>>>,
  Expect<Equal<typeof inferredLarge, Float<[64, 4096, 8, 64]>>>,
  Expect<Equal<typeof inferredUnknown, Float<[number, number]>>>,
  Expect<Equal<typeof reshapedUnion, Float<[number, number]>>>,
  Expect<Equal<typeof reshapedNumbers, Float<number[]>>>,
  Expect<Equal<typeof flat, Float<[24]>>>,
  Expect<Equal<typeof flatEnd, Float<[2, 12]>>>,
  Expect<Equal<typeof flatFront, Float<[6, 4]>>>,
  Expect<Equal<typeof flatBatch, Float<[number, 12]>>>,
  Expect<Equal<typeof flatUnknown, Float<[number]>>>,
  Expect<Equal<typeof flatScalar, Float<[1]>>>,
  Expect<Equal<typeof unflat, Float<[2, 3, 2, 2]>>>,
  Expect<Equal<typeof unflatMissing, Float<[2, 3, 2, 2]>>>,
  Expect<Equal<typeof squeezed, Float<[3, 4]>>>,
  Expect<Equal<typeof squeezedOne, Float<[3, 1, 4]>>>,
  Expect<Equal<typeof squeezedNot, Float<[1, 3, 1, 4]>>>,
  Expect<Equal<typeof squeezedTwo, Float<[3, 4]>>>,
  Expect<Equal<typeof squeezedUnknown, Float<Shape>>>,
  Expect<Equal<typeof squeezedAxisUnknown, Float<Shape>>>,
  Expect<Equal<typeof squeezedKnownAxis, Float<[number, 3, 4]>>>,
  Expect<Equal<typeof unsqueezed, Float<[1, 2, 3]>>>,
  Expect<Equal<typeof unsqueezedEnd, Float<[2, 3, 1]>>>,
  Expect<Equal<typeof unsqueezedMiddle, Float<[2, 1, 3]>>>,
  Expect<Equal<typeof unsqueezedSomewhere, Float<[number, number, number]>>>,
  Expect<Equal<typeof expanded, Float<[5, 3, 2, 4]>>>,
  Expect<Equal<typeof expandedMore, Float<[4, 3, 5]>>>,
  Expect<Equal<typeof expandedTo, Float<[number, 5]>>>,
];

const bytesView = matrix.view("int8");
const sameBytes = matrix.view("int32");
const complexView = zeros([4, 2]).viewAsComplex();
const realView = tensor([{ re: 1, im: 2 }]).viewAsReal();
const strided = row.asStrided([2, n], [1, 1]);
export type ReadAnew = [
  Expect<Equal<typeof bytesView, Tensor<[2, number], "int8">>>,
  Expect<Equal<typeof sameBytes, Tensor<[2, 3], "int32">>>,
  Expect<Equal<typeof complexView, Tensor<[4], "complex64">>>,
  Expect<Equal<typeof realView, Float<[1, 2]>>>,
  Expect<Equal<(typeof complexes)["imag"], Float<[1]>>>,
  Expect<Equal<typeof strided, Float<[2, number]>>>,
];

// ---- Parts ------------------------------------------------------------------------------------------------------

const selected = cube.select(1, 0);
const selectedAny = cube.select(-1, n);
const selectedSomewhere = cube.select(n, 0);
const narrowed = cube.narrow(2, 1, 3);
const narrowedBy = cube.narrow(2, 1, n);
const sliced = cube.slice(2, 1);
const slicedBack = cube.slice(2, -3, -1);
const slicedStep = zeros([10]).slice(0, 1, 9, 3);
const slicedOver = cube.slice(2, 3, 100);
const slicedNone = cube.slice(2, 3, 1);
const slicedReverse = cube.slice(2, null, null, -1);
const slicedBy = cube.slice(2, maybe);
const pieces = cube.split(2, 2);
const unevenPieces = cube.split(3, 2);
const piecesOfNothing = zeros([2, 0]).split(3, 1);
const resized = zeros([2, 3]).resize_(5);
const reset = zeros([2, 3]).set_(zeros([4]));
const chosenPieces = cube.split([1, 3], 2);
const chunks = cube.chunk(2, -1);
const unevenChunks = cube.chunk(2, 1);
const unbound = cube.unbind();
const unboundEnd = cube.unbind(-1);
const diagonal = cube.diagonal();
const diagonalEnds = cube.diagonal(0, 0, -1);
const diagonalOff = cube.diagonal(1, 1, 2);
const windows = zeros([2, 10]).unfold(1, 4, 2);
const windowsBy = zeros([2, 10]).unfold(1, n, 2);
const scalarWindow = scalar.unfold(0, 1, 1);

export type Parts = [
  Expect<Equal<typeof selected, Float<[2, 4]>>>,
  Expect<Equal<typeof selectedAny, Float<[2, 3]>>>,
  Expect<Equal<typeof selectedSomewhere, Float<[number, number]>>>,
  Expect<Equal<typeof narrowed, Float<[2, 3, 3]>>>,
  Expect<Equal<typeof narrowedBy, Float<[2, 3, number]>>>,
  Expect<Equal<typeof sliced, Float<[2, 3, 3]>>>,
  Expect<Equal<typeof slicedBack, Float<[2, 3, 2]>>>,
  Expect<Equal<typeof slicedStep, Float<[3]>>>,
  Expect<Equal<typeof slicedOver, Float<[2, 3, 1]>>>,
  Expect<Equal<typeof slicedNone, Float<[2, 3, 0]>>>,
  Expect<Equal<typeof slicedReverse, Float<[2, 3, 4]>>>,
  Expect<Equal<typeof slicedBy, Float<[2, 3, number]>>>,
  Expect<Equal<typeof pieces, Float<[2, 3, 2]>[]>>,
  Expect<Equal<typeof unevenPieces, Float<[2, 3, number]>[]>>,
  Expect<Equal<typeof piecesOfNothing, Float<[2, 0]>[]>>,
  Expect<Equal<typeof resized, Float<Shape>>>,
  Expect<Equal<typeof reset, Float<Shape>>>,
  Expect<Equal<typeof chosenPieces, [Float<[2, 3, 1]>, Float<[2, 3, 3]>]>>,
  Expect<Equal<typeof chunks, Float<[2, 3, 2]>[]>>,
  Expect<Equal<typeof unevenChunks, Float<[2, number, 4]>[]>>,
  Expect<Equal<typeof unbound, Float<[3, 4]>[]>>,
  Expect<Equal<typeof unboundEnd, Float<[2, 3]>[]>>,
  Expect<Equal<typeof diagonal, Float<[4, 2]>>>,
  Expect<Equal<typeof diagonalEnds, Float<[3, 2]>>>,
  Expect<Equal<typeof diagonalOff, Float<[2, number]>>>,
  Expect<Equal<typeof windows, Float<[2, 4, 4]>>>,
  Expect<Equal<typeof windowsBy, Float<[2, number, number]>>>,
  Expect<Equal<typeof scalarWindow, Float<[1]>>>,
];

// ---- Indices ----------------------------------------------------------------------------------------------------

const atOne = cube.at(1);
const atAll = cube.at(1, 2, 3);
const atMiddle = cube.at(_, -1);
const atUnknown = cube.at(n, _, n);
const atRange = cube.at(_, range(1, null), range(-2));
const atNew = cube.at(null, _, null, 0);
const atEnd = cube.at(ellipsis, 0);
const atBoth = cube.at(0, ellipsis, null, range(0, 4, 2));
const atNothing = cube.at();
const atMask = cube.at(mask);
const atTensor = cube.at(_, floats);
const picked = cube.pick([2, 0], 1);
const pickedBy = cube.pick(numbers);
const pickedTensor = cube.pick(some, 1);
const atNested = cube.at([0, _], 1);

export type Indexed = [
  Expect<Equal<typeof atOne, Float<[3, 4]>>>,
  Expect<Equal<typeof atAll, Float<[]>>>,
  Expect<Equal<typeof atMiddle, Float<[2, 4]>>>,
  Expect<Equal<typeof atUnknown, Float<[3]>>>,
  Expect<Equal<typeof atRange, Float<[2, 2, 2]>>>,
  Expect<Equal<typeof atNew, Float<[1, 2, 1, 4]>>>,
  Expect<Equal<typeof atEnd, Float<[2, 3]>>>,
  Expect<Equal<typeof atBoth, Float<[3, 1, 2]>>>,
  Expect<Equal<typeof atNothing, Float<[2, 3, 4]>>>,
  Expect<Equal<typeof atMask, Float<Shape>>>,
  Expect<Equal<typeof atTensor, Float<Shape>>>,
  Expect<Equal<typeof picked, Float<[2, 2, 4]>>>,
  Expect<Equal<typeof pickedBy, Float<[number, 3, 4]>>>,
  Expect<Equal<typeof pickedTensor, Float<Shape>>>,
  Expect<Equal<typeof atNested, Float<Shape>>>,
];

// ---- Two shapes -------------------------------------------------------------------------------------------------

const sum = add(matrix, zeros([3]));
const outer = add(zeros([4, 1]), zeros([1, 5]));
const sumUnknown = add(batch, zeros([7, 3, 1]));
const sumSome = add(matrix, some);
const learned = some.expect([2, 3]);
const learnedSize = batch.expect([8, 3, 4]);
const forgotten = matrix.dyn();

export type Together = [
  Expect<Equal<typeof sum, Float<[2, 3]>>>,
  Expect<Equal<typeof outer, Float<[4, 5]>>>,
  Expect<Equal<typeof sumUnknown, Float<[7, 3, 4]>>>,
  Expect<Equal<typeof sumSome, Float<Shape>>>,
  Expect<Equal<typeof learned, Tensor<[2, 3]>>>,
  Expect<Equal<typeof learnedSize, Float<[8, 3, 4]>>>,
  Expect<Equal<typeof forgotten, Float<Shape>>>,
];
