/** Named axes: the names of views, names as axis arguments of all functions, and errors. */
import { describe, expect, test } from "vitest";
import { ShapeError } from "../base/errors.ts";
import { _ } from "../layout/coord.ts";
import { makeLayout } from "../layout/layout.ts";
import { Storage } from "../storage/storage.ts";
import { range } from "./access/indexing.ts";
import { type Axis, axisOf } from "./axes.ts";
import { installMethods } from "./install.ts";
import { type AxisName, setNames, unifyNames } from "./names.ts";
import { layoutTensor, type Tensor, tensorOver } from "./tensor.ts";

installMethods();

/** A float32 tensor of the shape, with names. */
function named(
  shape: readonly number[],
  names: readonly AxisName[] | null,
  dtype: "float32" | "complex64" = "float32",
) {
  const size = shape.reduce((a, b) => a * b, 1);
  let step = size;
  const strides = shape.map((n) => {
    step /= n;
    return step;
  });
  const t = tensorOver(Storage.allocate(size * 8, { zeroed: true }), dtype, 0, shape, strides);
  setNames("test", t, names);
  return t;
}

const names = ["batch", "row", "col"] as const;
const cube = (): Tensor => named([2, 3, 4], names);

const carried: Readonly<Record<string, readonly [view: (t: Tensor) => Tensor, names: readonly AxisName[] | null]>> = {
  permute: [(t) => t.permute(2, 0, 1), ["col", "batch", "row"]],
  "permute by name": [(t) => t.permute("col", "batch", "row"), ["col", "batch", "row"]],
  transpose: [(t) => t.transpose(0, 2), ["col", "row", "batch"]],
  T: [(t) => t.T, ["col", "row", "batch"]],
  mT: [(t) => t.mT, ["batch", "col", "row"]],
  movedim: [(t) => t.movedim("col", 0), ["col", "batch", "row"]],
  "squeeze of a different axis": [(t) => t.narrow(1, 0, 1).squeeze(), ["batch", "col"]],
  unsqueeze: [(t) => t.unsqueeze(1), ["batch", null, "row", "col"]],
  select: [(t) => t.select("row", 1), ["batch", "col"]],
  narrow: [(t) => t.narrow("col", 1, 2), names],
  slice: [(t) => t.slice("col", null, null, -2), names],
  split: [(t) => t.split(2, "col")[1] as Tensor, names],
  chunk: [(t) => t.chunk(2, "col")[0] as Tensor, names],
  tensorSplit: [(t) => t.tensorSplit(3, "col")[2] as Tensor, names],
  unbind: [(t) => t.unbind("row")[0] as Tensor, ["batch", "col"]],
  diagonal: [(t) => t.diagonal(0, "row", "col"), ["batch", null]],
  unfold: [(t) => t.unfold("row", 2, 1), ["batch", "row", "col", null]],
  expand: [(t) => t.narrow(0, 0, 1).expand(5, 6, 3, 4), [null, "batch", "row", "col"]],
  broadcastTo: [(t) => t.broadcastTo([1, 2, 3, 4]), [null, "batch", "row", "col"]],
  unflatten: [(t) => t.unflatten("col", [2, 2]), ["batch", "row", null, null]],
  at: [(t) => t.at(0, _, range(1, 3)), ["row", "col"]],
  "at with ...": [(t) => t.at("...", 2), ["batch", "row"]],
  "at with a new axis": [(t) => t.at(null, 1), [null, "row", "col"]],
  detach: [(t) => t.detach(), names],
  clone: [(t) => t.clone(), names],
  "clone in a different order": [(t) => t.T.clone("contiguous"), ["col", "row", "batch"]],
  "contiguous, of a copy": [(t) => t.mT.contiguous(), ["batch", "col", "row"]],
  "to a different dtype": [(t) => t.to("float64"), names],
  "view as a dtype of the same size": [(t) => t.view("int32"), names],
  "view as a smaller dtype": [(t) => t.view("int8"), names],
  data: [(t) => t.data, names],
  move: [(t) => t.clone().move(), names],
  "clone as alias": [(t) => t.cloneBy("alias"), names],
  rename: [(t) => t.rename(["a", null, "c"]), ["a", null, "c"]],
  "rename by a table": [(t) => t.rename({ row: "y", col: "x" }), ["batch", "y", "x"]],
  "rename to nothing": [(t) => t.rename(null), null],
  "a view that regroups forgets": [(t) => t.view(6, 4), null],
  "asStrided forgets": [(t) => t.asStrided([2], [1]), null],
};

test.each(Object.entries(carried))("%s", (_name, [view, expected]) => {
  const t = cube();
  expect(view(t).names).toEqual(expected);
  expect(t.names).toEqual(names);
});

test("tensors without names have none after any view", () => {
  for (const [name, [view]] of Object.entries(carried))
    if (
      !/rename|name|movedim|select|narrow|slice|split|chunk|Split|unbind|diagonal|unfold|unflatten|squeeze of/.test(
        name,
      )
    )
      expect(view(named([2, 3, 4], null)).names, name).toBe(null);
});

test("a name stands for its axis wherever one is asked for", () => {
  const byAxis: Readonly<Record<string, (t: Tensor, axis: Axis) => Tensor | readonly Tensor[]>> = {
    transpose: (t, axis) => t.transpose(axis, 0),
    movedim: (t, axis) => t.movedim([axis], [0]),
    squeeze: (t, axis) => t.squeeze(axis),
    "squeeze of several": (t, axis) => t.squeeze([axis]),
    select: (t, axis) => t.select(axis, 1),
    narrow: (t, axis) => t.narrow(axis, 1, 1),
    slice: (t, axis) => t.slice(axis, 1),
    split: (t, axis) => t.split(2, axis),
    chunk: (t, axis) => t.chunk(2, axis),
    tensorSplit: (t, axis) => t.tensorSplit(2, axis),
    unbind: (t, axis) => t.unbind(axis),
    diagonal: (t, axis) => t.diagonal(0, axis, 0),
    unfold: (t, axis) => t.unfold(axis, 2, 1),
    flatten: (t, axis) => t.flatten(axis, 2),
    unflatten: (t, axis) => t.unflatten(axis, [-1, 1]),
    pick: (t, axis) => t.pick([0, 1], axis),
  };
  const shown = (result: Tensor | readonly Tensor[]): unknown =>
    [result].flat().map((t) => [(t as Tensor).shape, (t as Tensor).stride, (t as Tensor).storageOffset]);
  for (const [name, view] of Object.entries(byAxis))
    for (const [axis, known] of [
      [1, "row"],
      [2, "col"],
    ] as const)
      expect(shown(view(cube(), known)), name).toEqual(shown(view(cube(), axis)));
});

test("names survive on layouts that are kept: nested and static modes", () => {
  const layout = makeLayout([2, [2, 3]], [6, [1, 2]]);
  const t = layoutTensor(Storage.allocate(48, { zeroed: true }), "float32", 0, layout, 0).rename(["row", "col"]);
  expect(t.permute("col", "row").names).toEqual(["col", "row"]);
  expect(t.select("row", 1).names).toEqual(["col"]);
  expect(t.select("col", 5).storageOffset).toBe(5);
});

test("complex numbers opened and closed keep the names of their axes", () => {
  const t = named([2, 3], ["row", "col"], "complex64");
  expect(t.viewAsReal().names).toEqual(["row", "col", null]);
  expect(t.viewAsReal().viewAsComplex().names).toEqual(["row", "col"]);
  expect([t.real.names, t.imag.names]).toEqual([
    ["row", "col"],
    ["row", "col"],
  ]);
});

describe("refused", () => {
  const refusals: Readonly<Record<string, readonly [() => unknown, RegExp]>> = {
    "an axis that is not there": [
      () => cube().select("rows", 0),
      /^select: there is no axis 'rows'.*Did you mean 'row'\?$/,
    ],
    "a name where there are none": [() => named([2], null).select("row", 0), /have no names. Name them: rename/],
    "a name twice": [
      () => cube().rename(["a", "b", "a"]),
      /^rename: the name 'a' occurs twice, at axes 0 and 2. Rename one of them$/,
    ],
    "too few names": [() => cube().rename(["a"]), /^rename: names must have one entry per axis \(3\), got 1: \[a\]$/],
    "values that are not names": [() => cube().rename(["a b", null, null]), /"a b" is not a name; use letters/],
    "renaming what is not there": [
      () => cube().rename({ depth: "z" }),
      /^rename: there is no axis 'depth'; the axes are/,
    ],
    "renaming into a conflict": [() => cube().rename({ row: "col" }), /occurs twice, at axes 1 and 2/],
  };
  test.each(Object.entries(refusals))("%s", (_name, [run, text]) => {
    expect(run).toThrow(text);
  });
});

test("the names of two tensors are aligned at the last axis, and a conflict is an error", () => {
  expect(unifyNames("add", cube(), named([4], ["col"]))).toEqual(names);
  expect(unifyNames("add", named([4], null), cube())).toEqual(names);
  expect(unifyNames("add", named([3, 4], [null, "col"]), named([3, 4], ["row", null]))).toEqual(["row", "col"]);
  expect(() => unifyNames("add", cube(), named([4], ["row"]))).toThrow(ShapeError);
  expect(() => unifyNames("add", cube(), named([4], ["row"]))).toThrow(
    "add: axis -1 is 'col' in one tensor and 'row' in the other; rename one of them",
  );
});

test("axes count from both ends, and a scalar has 0 and -1", () => {
  for (const axis of [-3, -2, -1, 0, 1, 2]) expect(axisOf("test", cube(), axis)).toBe((axis + 3) % 3);
  const scalar = named([], null);
  expect([axisOf("test", scalar, 0), axisOf("test", scalar, -1)]).toEqual([0, 0]);
  for (const axis of [3, -4, 0.5, NaN]) expect(() => axisOf("test", cube(), axis)).toThrow(/is out of range, expected/);
});
