/** `stridewise/cute` has all commonly used parts of CuTe, and functions that the main entry and the layout entry share are the same. */
import { expect, test } from "vitest";
import * as cute from "../../src/cute.ts";
import * as stridewise from "../../src/index.ts";
import * as layout from "../../src/layout/index.ts";

const table = cute as Readonly<Record<string, unknown>>;

test("every function of the layout algebra is there", () => {
  expect(Object.keys(layout).filter((name) => !(name in cute))).toEqual([]);
});

test("names that the main entry has are the same there, apart from ops", () => {
  const ops = ["flatten", "select", "take", "concatenate", "append", "slice", "unflatten"];
  const others = Object.entries(stridewise).filter(([name, value]) => name in cute && table[name] !== value);
  expect(others.map(([name]) => name).filter((name) => !ops.includes(name))).toEqual([]);
});

test.each([
  "makeTensor makeTensorLike makeFragmentLike makeIdentityTensor gmem smem rmem localTile localPartition innerPartition outerPartition",
  "copy copyIf cooperativeCopy gemm axpby fill clear transform makeTiledCopy makeTiledMma mmaAtom",
  "makeLayout composition zippedDivide swizzle recastLayout int _8 E printLayout printLatex printTensor elemLess shapeDiv parseLayout explain",
])("one import is enough: %s", (names) => {
  expect(names.split(" ").filter((name) => table[name] === undefined)).toEqual([]);
});

test("shared functions take layouts and tensors", () => {
  const { _4, _8, coalesce, filter, flatten, gmem, localTile, makeLayout, makeTensor, parseLayout } = cute;
  const nested = parseLayout("((2,2),3):((1,2),4)") as cute.Layout;
  const tensor = makeTensor(gmem(new Float32Array(12)), nested);
  expect(String(flatten(nested))).toBe(String(flatten(tensor).layout));
  expect(String(coalesce(nested))).toBe(String(coalesce(tensor).layout));
  expect(String(filter(nested))).toBe(String(filter(tensor).layout));
  const matrix = makeTensor(new Float32Array(64), makeLayout([_8, _8]));
  expect(String(localTile(matrix, [_4, _4], [1, 1]).layout)).toBe("(_4,_4):(_1,_8)");
});
