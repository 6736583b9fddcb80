/**
 * Tensors as PyTorch 2.6 prints them, through `toString` of real tensors; dtypes are printed without the `torch.` of the records.
 * Texts of what there is not (sparse tensors) are skipped by name.
 */
import * as api from "../../src/api.ts";
import { boot } from "../../src/boot.ts";
import { dualLevel, makeDual } from "../../src/index.ts";
import { meta } from "../../src/storage/device.ts";
import type { DType } from "../../src/storage/dtype.ts";
import { Storage } from "../../src/storage/storage.ts";
import { getPrintOptions, type PrintChanges, setPrintOptions } from "../../src/tensor/print/print-options.ts";
import { type Tensor, tensorOver } from "../../src/tensor/tensor.ts";
import { failed, passed, skipped, type Verdict } from "./judge.ts";
import type { Fields } from "./records.ts";
import { valueOf } from "./torch-values.ts";
import type { Json } from "./values.ts";

interface Row {
  readonly name: string;
  readonly tensor: {
    readonly dtype: DType;
    readonly shape: readonly number[];
    readonly data?: readonly Json[];
    readonly arange_or_const?: "arange" | "zeros";
  } | null;
  readonly repr: string;
  readonly note?: string;
  readonly printoptions?: Readonly<Record<string, unknown>>;
}

/** Properties that elements do not show: the tensors that the notes describe. */
const noted: Readonly<Record<string, () => Tensor>> = {
  strided_T: () => api.arange(6).view(2, 3).T,
  requires_grad: () => api.ones([2], { requiresGrad: true }),
  requires_grad_0d: () => api.tensor(2, { requiresGrad: true }),
  grad_fn_sum: () => api.ones([2], { requiresGrad: true }).sum() as Tensor,
  expanded: () => api.ones([1]).expand([3]),
  meta: () => {
    boot();
    return tensorOver(Storage.allocate(24, { device: meta }), "float32", 0, [2, 3], [3, 1]);
  },
};

function tensorOf({ name, tensor }: Row): Tensor | null {
  const make = noted[name];
  if (make) return make();
  if (tensor === null) return null;
  const { dtype, shape, data, arange_or_const: pattern } = tensor;
  const t: Tensor = api.zeros([shape.reduce((a, b) => a * b, 1)], { dtype });
  for (let i = 0; i < t.size; i++) t.set(i, data ? valueOf(data[i] as Json) : pattern === "arange" ? i : 0);
  return t.view(shape);
}

const ourNames: Readonly<Record<string, string>> = {
  edgeitems: "edgeItems",
  linewidth: "lineWidth",
  sci_mode: "sciMode",
};
const changesOf = (recorded: Readonly<Record<string, unknown>>): PrintChanges =>
  Object.fromEntries(
    Object.entries(recorded).map(([name, value]) => [ourNames[name] ?? name, value === "inf" ? Infinity : value]),
  );

/** What is printed of a tensor with the tangent that the record has. */
const dualText = (t: Tensor): string => dualLevel(() => String(makeDual(t, api.tensor([3, 4]) as Tensor)));

/** {name, tensor, repr, printoptions?, note?}. */
export function judgeRepr(fields: Fields): Verdict {
  const row = fields as unknown as Row;
  if (/layout=|names=/.test(row.repr)) return skipped(`printing of ${row.name}`);
  const t = tensorOf(row);
  if (t === null) return skipped(`printing of ${row.name}`);
  const before = getPrintOptions();
  if (row.printoptions) setPrintOptions(changesOf(row.printoptions));
  const ours = row.name === "dual" ? dualText(t) : String(t);
  setPrintOptions(before);
  const recorded = row.repr.replaceAll("dtype=torch.", "dtype=");
  return ours === recorded ? passed("equal") : failed(recorded, ours);
}
