/** Static sizes and strides of results, shown by `_`. As in CuTe, static integers stay static and no others become static. */
import {
  _,
  _1,
  _2,
  _3,
  _4,
  _8,
  _16,
  composition,
  downcast,
  flatDivide,
  formatLayout,
  localPartition,
  localTile,
  logicalDivide,
  makeLayout,
  sliceAndOffset,
  swizzle,
  tiledDivide,
  upcast,
  zippedDivide,
} from "stridewise/layout";
import { expect, test } from "vitest";

const mixed = makeLayout([8, _4], [_2, 16]);
const swizzled = composition(swizzle(2, 0, 3), makeLayout([_8, _8], [_8, _1]));
const rows = makeLayout([4, _4]);

test.each<[text: string, layout: Parameters<typeof formatLayout>[0], expected: string]>([
  ["upcast by 1 changes nothing", upcast(mixed, 1), "(8,_4):(_2,16)"],
  ["upcast by 1 keeps modes of size 1", upcast(makeLayout([_1, 6], [_3, _2]), 1), "(_1,6):(_3,_2)"],
  ["downcast by 1 changes nothing", downcast(mixed, 1), "(8,_4):(_2,16)"],
  ["composition by mode with _1 keeps strides", composition(mixed, [_1, _1]), "(_1,_1):(_2,16)"],
  ["composition by mode with 1 keeps strides", composition(mixed, [1, _4]), "(1,_4):(_2,16)"],
  [
    "composition with _1:_1 keeps the stride",
    composition(makeLayout([_8, _4], [_2, _16]), makeLayout(_1, _1)),
    "_1:_2",
  ],
  ["a row of a swizzled layout", sliceAndOffset([_2, _], swizzled)[0], "((_2,_2,_2)):((_1,_-2,_4))"],
  ["a column of a swizzled layout", sliceAndOffset([_, _3], swizzled)[0], "((_4,_2)):((_7,_32))"],
  [
    "a column at a dynamic index: strides that depend on it",
    sliceAndOffset([_, 3], swizzled)[0],
    "((_4,_2)):((7,_32))",
  ],
  ["a tile of a swizzled layout", localTile(swizzled, [_4, _4], [0, 1])[0], "Sw<2,0,3> o 4 o (_4,_4):(_8,_1)"],
  [
    "a partition of a swizzled layout",
    localPartition(swizzled, makeLayout([_2, _2]), 1)[0],
    "Sw<2,0,3> o 8 o (_4,_4):(_16,_2)",
  ],
  ["a dynamic quotient of 1 in logicalDivide", logicalDivide(makeLayout(4), _4), "(_4,1):(_1,_4)"],
  ["a dynamic tile in logicalDivide", logicalDivide(makeLayout(_4), 4), "(4,1):(_1,4)"],
  ["a dynamic quotient of 1 in zippedDivide", zippedDivide(rows, [_4, _4]), "((_4,_4),(1,_1)):((_1,4),(_4,_0))"],
  ["a dynamic quotient of 1 in tiledDivide", tiledDivide(rows, [_4, _4]), "((_4,_4),1,_1):((_1,4),_4,_0)"],
  ["a dynamic quotient of 1 in flatDivide", flatDivide(rows, [_4, _4]), "(_4,_4,1,_1):(_1,4,_4,_0)"],
  ["a dynamic size that upcast divides to 1", upcast(makeLayout(8), 8), "1:_1"],
])("%s", (_text, layout, expected) => {
  expect(formatLayout(layout)).toBe(expected);
});
