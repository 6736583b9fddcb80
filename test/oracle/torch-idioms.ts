/**
 * PyTorch's ops that are written otherwise here: operators of Python, conversions by name, copies of views, forms that one name of
 * PyTorch has for several purposes. Each is a function of PyTorch's arguments, which calls other ops by their PyTorch names.
 */
import * as api from "../../src/api.ts";
import type { DType } from "../../src/storage/dtype.ts";
import { Tensor } from "../../src/tensor/tensor.ts";

type Keywords = Readonly<Record<string, unknown>>;
type Call = (op: string, args: readonly unknown[], keywords?: Keywords) => unknown;
type Idiom = (args: readonly unknown[], keywords: Keywords, call: Call) => unknown;

const isInteger = (value: unknown): value is number => Number.isInteger(value);
/** A 0-d tensor where a number is meant. */
const numberOf = (value: unknown): unknown => (value instanceof Tensor ? value.item() : value);
/** Python's integers are int64, as bigints are here. */
const asInt = (value: unknown): unknown => (isInteger(value) ? BigInt(value) : value);

/** A list of numbers is an index tensor. */
const itemOf = (item: unknown): never =>
  (Array.isArray(item)
    ? api.tensor(item as number[], { dtype: typeof item[0] === "boolean" ? "bool" : "int64" })
    : item) as never;

/** The operator with its operands exchanged. */
const reversed =
  (op: string): Idiom =>
  ([x, other], _keywords, call) =>
    call(op, [other, x]);
const converted =
  (dtype: DType): Idiom =>
  ([x]) =>
    (x as Tensor).to(dtype);
const copied =
  (op: string): Idiom =>
  (args, keywords, call) => {
    const view = call(op, args, keywords) as Tensor | readonly Tensor[];
    return view instanceof Tensor ? view.clone() : view.map((part) => part.clone());
  };
const alias =
  (op: string): Idiom =>
  (args, keywords, call) =>
    call(op, args, keywords);
/** Tensors one by one or as a list. */
const listed =
  (op: string): Idiom =>
  (args, keywords, call) =>
    call(op, [args.length === 1 && Array.isArray(args[0]) ? args[0] : args], keywords);
/** With `unbiased`, as PyTorch allowed before `correction`. */
const corrected =
  (op: string): Idiom =>
  ([x, dim, ...more], { unbiased, ...keywords }, call) => {
    const isFlag = typeof dim === "boolean";
    const flag = isFlag ? dim : (more[0] ?? unbiased);
    const correction = flag === undefined ? {} : { correction: flag ? 1 : 0 };
    const keepdim = more[1] === undefined ? {} : { keepdim: more[1] };
    return call(op, [x, isFlag ? undefined : dim], { ...keywords, ...correction, ...keepdim });
  };
/** max(x), max(x, dim, keepdim) or max(x, other). */
const extreme =
  (op: string): Idiom =>
  (args, keywords, call) =>
    args[1] instanceof Tensor || keywords.other !== undefined
      ? call(`${op}imum`, args, keywords)
      : call(op, args, keywords);
/** Whether indices are given, too, is the last argument of PyTorch's or a keyword. */
const valuesOf =
  (op: string): Idiom =>
  ([x, size, isBoth], { output_size, return_indices }, call) =>
    call(op, [x, size ?? output_size], { return_indices: isBoth ?? return_indices ?? false });
const likeOther =
  (make: (shape: readonly number[], options: { dtype: DType }, value: unknown) => Tensor, hasValue = false): Idiom =>
  ([x, shape, value], { dtype, fill_value }) =>
    make(
      shape as readonly number[],
      { dtype: (dtype ?? (x as Tensor).dtype) as DType },
      hasValue ? (value ?? fill_value) : undefined,
    );

const operators: Readonly<Record<string, Idiom>> = {
  __radd__: reversed("add"),
  __rsub__: reversed("sub"),
  __rmul__: reversed("mul"),
  __rdiv__: reversed("div"),
  __rmod__: reversed("remainder"),
  __rpow__: reversed("pow"),
  __rand__: reversed("bitwise_and"),
  __ror__: reversed("bitwise_or"),
  __rxor__: reversed("bitwise_xor"),
  __rmatmul__: reversed("matmul"),
  positive: ([x]) => x,
  true_divide: alias("div"),
  conj_physical: alias("conj"),
};

const conversions: Readonly<Record<string, Idiom>> = {
  bool: converted("bool"),
  byte: converted("uint8"),
  char: converted("int8"),
  short: converted("int16"),
  int: converted("int32"),
  long: converted("int64"),
  half: converted("float16"),
  bfloat16: converted("bfloat16"),
  float: converted("float32"),
  double: converted("float64"),
  cfloat: converted("complex64"),
  cdouble: converted("complex128"),
  to: ([x, dtype]) => (x as Tensor).to(dtype as DType),
};

const views: Readonly<Record<string, Idiom>> = {
  H: ([x], _keywords, call) => call("conj", [(x as Tensor).T]),
  mH: ([x], _keywords, call) => call("conj", [(x as Tensor).mT]),
  // Nothing is conjugated or negated later than it is asked for.
  resolve_conj: ([x]) => x,
  resolve_neg: ([x]) => x,
  ravel: alias("flatten"),
  unsafe_chunk: alias("chunk"),
  unsafe_split: alias("split"),
  split_with_sizes: alias("split"),
  narrow: ([x, dim, start, length], _keywords, call) => call("narrow", [x, dim, numberOf(start), length]),
  tensor_split: ([x, at, dim], { dim: axis }) => {
    const indices = at instanceof Tensor ? ((at as Tensor).toArray() as number | number[]) : (at as number | number[]);
    return (x as Tensor).tensorSplit(indices as number, (dim ?? axis ?? 0) as number);
  },
  index: ([x, items]) => (x as Tensor).at(...(items as never[]).map(itemOf)),
  setitem_: ([x, items, value]) => (x as Tensor).assignAt((items as never[]).map(itemOf) as never, value as Tensor),
  alias_copy: ([x]) => (x as Tensor).clone(),
  as_strided_copy: copied("as_strided"),
  diagonal_copy: copied("diagonal"),
  expand_copy: copied("expand"),
  narrow_copy: copied("narrow"),
  permute_copy: copied("permute"),
  split_with_sizes_copy: copied("split"),
  squeeze_copy: copied("squeeze"),
  t_copy: copied("t"),
  transpose_copy: copied("transpose"),
  unfold_copy: copied("unfold"),
  unsqueeze_copy: copied("unsqueeze"),
  view_copy: copied("view"),
};

/** An op that has no form here that writes to its first argument. */
const written =
  (op: string): Idiom =>
  (args, keywords, call) =>
    (args[0] as Tensor).copy_(call(op, args, keywords) as Tensor);

const creation: Readonly<Record<string, Idiom>> = {
  arange: (args, keywords, call) =>
    call("arange", keywords.dtype === undefined && args.every(isInteger) ? args.map(asInt) : args, keywords),
  full: ([shape, value], keywords, call) =>
    call("full", [shape, keywords.dtype === undefined ? asInt(value) : value], keywords),
  linspace: ([start, end, steps], keywords, call) =>
    call("linspace", [numberOf(start), numberOf(end), steps], keywords),
  logspace: ([start, end, steps, base], keywords, call) =>
    call("logspace", [numberOf(start), numberOf(end), steps], base === undefined ? keywords : { ...keywords, base }),
  scalar_tensor: ([value], { dtype }) => api.tensor(value as number, { dtype: dtype as DType }),
  new_empty: likeOther((shape, options) => api.empty(shape, options)),
  new_zeros: likeOther((shape, options) => api.zeros(shape, options)),
  new_ones: likeOther((shape, options) => api.ones(shape, options)),
  new_full: likeOther((shape, options, value) => api.full(shape, value as number, options), true),
  randint: (args, keywords, call) => {
    const [low, high, shape] = Array.isArray(args[1]) ? [0, ...args] : args;
    return call("randint", [asInt(low), asInt(high), shape], keywords);
  },
  randint_like: ([x, ...bounds], keywords, call) => {
    const { shape, dtype } = x as Tensor;
    return call("randint", [...bounds, shape], { dtype, ...keywords });
  },
  hann_window: ([length], keywords, call) => call("signal.windows.hann", [length], { ...keywords, sym: false }),
  fill: ([x, value], keywords) => (x as Tensor).clone().fill_((value ?? keywords.value) as number),
};

const forms: Readonly<Record<string, Idiom>> = {
  max: extreme("max"),
  min: extreme("min"),
  var: corrected("var"),
  std: corrected("std"),
  var_mean: corrected("var_mean"),
  std_mean: corrected("std_mean"),
  adaptive_max_pool1d: valuesOf("adaptive_max_pool1d"),
  adaptive_max_pool2d: valuesOf("adaptive_max_pool2d"),
  adaptive_max_pool3d: valuesOf("adaptive_max_pool3d"),
  lu: ([A, _pivot, hasInfos], _keywords, call) => call(hasInfos === true ? "linalg.lu_factor_ex" : "lu", [A]),
  meshgrid: listed("meshgrid"),
  broadcast_tensors: listed("broadcast_tensors"),
  block_diag: listed("block_diag"),
  cumsum_: written("cumsum"),
  addmm_: written("addmm"),
  cartesian_prod: listed("cartesian_prod"),
};

/** All of them, by PyTorch's names. */
export const idioms: Readonly<Record<string, Idiom>> = {
  ...operators,
  ...conversions,
  ...views,
  ...creation,
  ...forms,
};
