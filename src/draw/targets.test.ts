/** Pictures take a tensor itself: it is drawn where its view begins, as if layout and offset had been written out. */
import { expect, test } from "vitest";
import { _, makeLayout } from "../layout/index.ts";
import { range } from "../tensor/access/indexing.ts";
import { makeIdentityTensor } from "../tensor/cute/make-like.ts";
import { makeTensor } from "../tensor/cute/make-tensor.ts";
import { localTile } from "../tensor/cute/partition.ts";
import { installMethods } from "../tensor/install.ts";
import { memoryPicture, partitionPicture, slicePicture, toText } from "./index.ts";

installMethods();

const matrix = makeTensor(new Float32Array(24), [4, 6]);
const tile = localTile(matrix, [2, 3], [1, 1]);
const written = { layout: tile.layout, offset: tile.storageOffset };

test("a slice of a view", () => {
  expect(tile.storageOffset).toBe(14);
  expect(toText(slicePicture(tile, [1, _]))).toBe(toText(slicePicture(written, [1, _])));
  expect(toText(slicePicture(tile, [1, _]))).toContain("at offset 15");
});

test("a partitioned view", () => {
  const tv = makeLayout([2, 3], [3, 1]);
  expect(toText(partitionPicture(tile, tv, { highlight: 1 }))).toBe(
    toText(partitionPicture(written, tv, { highlight: 1 })),
  );
});

test("a memory and views of it, named by their labels", () => {
  const back = matrix.at(range(null, null, -1), 0);
  back.label = "back";
  const text = toText(memoryPicture({ length: 24, views: [matrix, back, tile] }));
  expect(text).toContain("back = (4):(-1) at offset 3");
  expect(text).toContain("view 2 = (2,3):(_1,4) at offset 14");
});

test("a layout begins at 0, and coordinates begin nowhere", () => {
  const layout = makeLayout([2, 3]);
  expect(toText(slicePicture(layout, [1, _]))).toBe(toText(slicePicture({ layout }, [1, _])));
  expect(toText(slicePicture(makeIdentityTensor([2, 3]), [1, _]))).toContain("(1,2)");
});
