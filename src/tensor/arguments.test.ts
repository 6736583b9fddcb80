/**
 * Arguments of the wrong kind, as plain JavaScript can give them: each is refused with a sentence that names the function and the
 * value, never by a crash inside, never by doing something else.
 */
import * as stridewise from "stridewise";
import { StridewiseError } from "stridewise";
import { expect, test } from "vitest";

type Loose = Readonly<Record<string, (...args: unknown[]) => unknown>>;
const make = stridewise as unknown as Loose;
const matrix = (): Loose => stridewise.zeros([3, 4]) as unknown as Loose;

const three = stridewise.tensor([3n]);

const refusals: Readonly<Record<string, readonly [call: () => unknown, says: RegExp]>> = {
  "assignAt, one index instead of a list": [() => matrix().assignAt?.(0, 5), /^assignAt: .*list.*got 0/],
  "assignAt, nothing": [() => matrix().assignAt?.(), /^assignAt: .*list.*got nothing/],
  "pick, one index instead of a list": [() => matrix().pick?.(1), /^pick: .*list.*got 1/],
  "copy_, a number": [() => matrix().copy_?.(5), /^copy_: .*tensor.*got 5/],
  "copy_, an array": [() => matrix().copy_?.([1, 2]), /^copy_: .*tensor.*got \[1, 2\].*tensor\(/],
  "assign, an array that does not fit": [() => matrix().assign?.([1, 2, 3, 4, 5]), /^assign: .*do not broadcast/],
  "assign, an array of text": [() => matrix().assign?.(["a"]), /^assign: /],
  "expandAs, a number": [() => matrix().expandAs?.(5), /^expandAs: .*tensor.*got 5/],
  "broadcastTo, sizes one by one": [() => matrix().broadcastTo?.(2, 3, 4), /^broadcastTo: .*array.*got 2/],
  "split, nothing": [() => matrix().split?.(), /^split: .*got nothing/],
  "split, fractional sizes": [() => matrix().split?.([1.5, 1.5]), /^split: .*1\.5/],
  "unflatten, no sizes": [() => matrix().unflatten?.(0), /^unflatten: .*array.*got undefined/],
  "expect, no shape": [() => matrix().expect?.(), /^expect: .*array.*got undefined/],
  "rename, nothing": [() => matrix().rename?.(), /^rename: .*got nothing/],
  "isContiguous, no format": [() => matrix().isContiguous?.("rows"), /^isContiguous: .*channelsLast.*got "rows"/],
  "contiguous, no format": [() => matrix().contiguous?.("rows"), /^contiguous: .*channelsLast.*got "rows"/],
  "clone, no format": [() => matrix().clone?.("rows"), /^clone: .*channelsLast.*got "rows"/],
  "zeros, no format": [() => make.zeros?.([2], { memoryFormat: "rows" }), /^zeros: .*channelsLast.*got "rows"/],
  "zerosLike, a number": [() => make.zerosLike?.(5), /^zerosLike: .*tensor.*got 5/],
  "fromFunction, no function": [() => make.fromFunction?.([2]), /^fromFunction: .*function.*got nothing/],
  "arange, text": [() => make.arange?.("5"), /^arange: .*got '5'/],
  "arange, nothing": [() => make.arange?.(), /^arange: .*got nothing/],
  "tensor, a dtype as the options": [() => make.tensor?.([1], "int32"), /^tensor: .*\{ dtype: .*got "int32"/],
  "zeros, a dtype as the options": [() => make.zeros?.([1], "int32"), /^zeros: .*\{ dtype: .*got "int32"/],
  "zeros, an unknown option": [() => make.zeros?.([1], { dtype: "int8", nams: ["x"] }), /^zeros: .*nams.*names/],
  "onesLike, an unknown option": [
    () => make.onesLike?.(stridewise.zeros([1]), { dtpye: "int8" }),
    /^onesLike: .*dtpye.*dtype/,
  ],
  "zeros, more bytes than can be counted": [() => make.zeros?.([1e10, 1e10]), /^zeros: .*\[10000000000, 10000000000\]/],
  "promoteTypes, no dtype": [() => make.promoteTypes?.("foo", "int8"), /^promoteTypes: "foo" is not a dtype/],
  "canCast, no dtype": [() => make.canCast?.("int8"), /^canCast: undefined is not a dtype/],
  "pick, a float tensor": [() => matrix().pick?.(stridewise.zeros([1])), /^pick: .*float32/],
  "pick, an index tensor": [() => matrix().pick?.(three), /^pick: index 3 is out of range for axis 0 with size 3/],
  "assignAt, an index tensor": [() => matrix().assignAt?.([three], 1), /^assignAt: index 3 .* axis 0 with size 3/],
  "at, an index tensor after an integer": [
    () => (stridewise.zeros([2, 3]) as unknown as Loose).at?.(0, three),
    /^at: index 3 is out of range for axis 1 with size 3/,
  ],
  "at, an index tensor after a new axis": [
    () => (stridewise.zeros([3, 2]) as unknown as Loose).at?.(null, "...", null, three, 0),
    /^at: index 3 is out of range for axis 0 with size 3/,
  ],
};

test.each(Object.entries(refusals))("%s", (_name, [call, says]) => {
  expect(call).toThrow(StridewiseError);
  expect(call).toThrow(says);
});

test("a refused call writes nothing", () => {
  const t = stridewise.zeros([3, 4]);
  expect(() => (t as unknown as Loose).assignAt?.(0, 5)).toThrow();
  expect(t.toArray().flat()).toEqual(new Array(12).fill(0));
  expect(t.version).toBe(0);
});
