/** The errors of tensors. Read the text file in this folder as a user would; `-u` updates it. */
import { expect, test } from "vitest";
import * as api from "../../src/api.ts";
import { parseLayout } from "../../src/layout/notation.ts";
import { Storage } from "../../src/storage/storage.ts";
import { range } from "../../src/tensor/access/indexing.ts";
import { scope } from "../../src/tensor/scope.ts";
import { identityBits, layoutTensor, type Tensor, tensorOver } from "../../src/tensor/tensor.ts";

/** Input that the types reject: users of plain JavaScript can still pass it. */
const wrong = <T>(value: unknown): T => value as T;
/** Shapes that are only known at run time, as if read from a file. */
const zeros = (...shape: number[]): Tensor => api.zeros(shape);
const arange = (end: number): Tensor => api.arange(end);
const constView = (): Tensor =>
  tensorOver(Storage.allocate(24, { zeroed: true }), "float32", 0, [2, 3], [3, 1], identityBits("const", "none"));
/** A tensor over a nested layout. */
const nested = (text: string): Tensor =>
  layoutTensor(Storage.allocate(4096, { zeroed: true }), "float32", 0, parseLayout(text), 0);
const disposed = (): Tensor => {
  const t = zeros(2, 3);
  t.label = "weights";
  t.dispose();
  return t;
};
const at = (t: Tensor, ...items: unknown[]): Tensor => (t.at as (...items: unknown[]) => Tensor)(...items);

const mistakes: Readonly<Record<string, () => unknown>> = {
  "index: past the end": () => zeros(2, 3).get(2, 0),
  "index: before the start": () => zeros(2, 3).get(0, -4),
  "index: a fraction": () => zeros(2, 3).get(0.5, 0),
  "index: too few": () => zeros(2, 3, 4).get(1, 1),
  "index: one for several axes": () => zeros(2, 3).get(3),
  "index: one for several axes, to store": () => zeros(2, 3).set(3, 1),
  "index: one for several axes, of an address": () => zeros(2, 3).dataPtr([3]),
  "index: past the end in column-major order": () => zeros(2, 3).getColMajor(6),
  "index: of a nested mode": () => nested("((2,3),4):((1,2),6)").get([2, 0], 0),
  "index: a coordinate that does not fit": () => nested("((2,3),4):((1,2),6)").get([0, 0, 0], 0),
  "set: past the end": () => zeros(2, 3).set(0, 3, 1),
  "item: of many": () => zeros(2, 3).item(),
  "at: past the end": () => at(zeros(2, 3), 0, 3),
  "at: too many": () => at(zeros(2, 3), 0, 0, 0),
  "at: two ellipses": () => at(zeros(2, 3), "...", "..."),
  "at: a list": () => at(zeros(4, 3), [0, 2]),
  "at: an invalid index": () => at(zeros(2, 3), "first"),
  "at: a step of 0": () => at(zeros(2, 3), range(0, 2, wrong<1>(0))),
  "at: a float tensor as index": () => at(zeros(2, 3), api.tensor([0.5])),
  "at: a mask of a different shape": () => at(zeros(2, 3), api.tensor([true, false, true])),
  "pick: past the end": () => zeros(2, 3).pick([0, 2]),

  "axis: out of range": () => zeros(2, 3).unsqueeze(4),
  "axis: of a scalar": () => zeros().select(0, 0),
  "axis: twice": () => zeros(2, 3, 4).permute(0, 1, 1),
  "axis: not all of them": () => zeros(2, 3, 4).permute(0, 1),
  "axis: an unknown name": () => zeros(2, 3).rename(["row", "col"]).select("rows", 0),
  "axis: a name where there are none": () => zeros(2, 3).select("row", 0),
  "names: one twice": () => zeros(2, 3).rename(["row", "row"]),
  "names: too few": () => zeros(2, 3).rename(["row"]),
  "transpose: of rank 3 without axes": () => zeros(2, 3, 4).transpose(),

  "select: past the end": () => zeros(2, 3).select(1, 3),
  "select: of an empty axis": () => zeros(2, 0).select(1, 0),
  "narrow: past the end": () => zeros(2, 3).narrow(1, 2, 2),
  "narrow: a negative length": () => zeros(2, 3).narrow(1, 0, wrong<number>(-1)),
  "slice: a step of 0": () => zeros(2, 3).slice(0, 0, 2, 0),
  "split: pieces of 0": () => zeros(4).split(0),
  "split: sizes that do not add up": () => zeros(7).split([3, 3]),
  "chunk: 0 chunks": () => zeros(7).chunk(0),
  "diagonal: one axis twice": () => zeros(2, 3).diagonal(0, 1, 1),
  "unfold: a window too long": () => zeros(4).unfold(0, 5, 1),
  "view: needs a copy": () => arange(6).view(2, 3).T.view(6),
  "view: a different size": () => arange(6).view(4, 2),
  "view: two unknown sizes": () => arange(6).view(-1, -1),
  "view: an unknown size of an empty tensor": () => zeros(0, 3).view(0, -1),
  "view: a fractional size": () => arange(6).view(2.5, 2),
  "reshape: a different size": () => arange(6).reshape(4, -1),
  "unflatten: a different size": () => arange(6).unflatten(0, [4, 2]),
  "expand: a different size": () => zeros(2, 3).expand(4, 3),
  "expand: fewer axes": () => zeros(2, 3).expand(3),
  "expand: an unknown new axis": () => zeros(3).expand(-1, 3),
  "asStrided: outside": () => arange(4).asStrided([3, 3], [2, 1]),
  "asStrided: before the start": () => arange(4).asStrided([2], [-1]),
  "asStrided: a stride too few": () => arange(4).asStrided([2, 2], wrong<[number, number]>([1])),
  "view(dtype): last stride": () => zeros(4, 4).T.view("float64"),
  "view(dtype): size": () => zeros(4, 3).view("float64"),
  "view(dtype): scalar": () => zeros().view("int8"),
  "view(dtype): unknown": () => zeros(4).view(wrong<"float32">("float31")),
  "viewAsComplex: last size": () => zeros(3, 3).viewAsComplex(),
  "viewAsReal: not complex": () => zeros(3).viewAsReal(),
  "imag: not complex": () => zeros(3).imag,
  "a nested mode has no stride": () => nested("((2,3),4):((1,4),16)").narrow(0, 0, 2),
  "a swizzled layout has no modes": () => nested("Sw<1,0,1> o 0 o (4,4):(4,1)").permute(1, 0),
  "expect: a different shape": () => zeros(2, 3).expect([2, 4]),

  "write: to a const view": () => constView().fill_(1),
  "write: one element of a const view": () => constView().set(0, 0, 1),
  "write: to a constant": () => api.constant(1, [2, 3]).fill_(2),
  "write: through a view of a const view": () => constView().T.at(0).fill_(1),
  "write: several elements at one address": () => zeros(1, 3).expand(2, 3).copy_(zeros(2, 3)),
  "write: over elements that are read": () => {
    const t = arange(4);
    t.narrow(0, 1, 3).copy_(t.narrow(0, 0, 3));
  },
  "copy_: a different shape": () => zeros(2, 3).copy_(zeros(2, 4)),
  "copy_: a larger shape": () => zeros(1).copy_(zeros(3)),
  "set_: a different dtype": () => api.zeros([2], { dtype: "int32" }).set_(zeros(2)),
  "resize_: a negative size": () => zeros(2).resize_(-1),
  "resize_: memory of another owner": () => api.fromBuffer(new Float32Array(4)).resize_(8),
  "resize: a storage that shrank": () => {
    const t = arange(4);
    t.storage.resize(8);
    return t.get(3);
  },

  "dispose: used afterward": () => disposed().get(0, 0),
  "dispose: a view of it afterward": () => disposed().T,
  "scope: used outside": () => {
    let escaped: Tensor | undefined;
    scope(() => {
      escaped = zeros(2);
    });
    return escaped?.get(0);
  },
  "scope: a promise": () => scope(async () => 1),
  "move: used afterward": () => {
    const t = zeros(2);
    t.move();
    return t.get(0);
  },
  "move: a view": () => zeros(2, 3).T.move(),
  "cloneBy: unknown": () => zeros(2).cloneBy(wrong<"copy">("borrow")),

  "tensor: ragged": () => api.tensor(wrong<number[]>([[1, 2], [3]])),
  "tensor: ragged deeper": () =>
    api.tensor(
      wrong<number[]>([
        [[1], [2]],
        [[3], 4],
      ]),
    ),
  "tensor: an element that is a string": () => api.tensor(wrong<number[]>([1, "2"])),
  "tensor: a promise": () => api.tensor(wrong<number[]>(Promise.resolve([1, 2]))),
  "tensor: undefined": () => api.tensor(wrong<number>(undefined)),
  "tensor: too large for int8": () => api.tensor([300], { dtype: "int8" }),
  "tensor: too large for int64": () => api.tensor(2n ** 63n),
  "tensor: an unknown dtype": () => api.tensor([1], { dtype: wrong<"float32">("float") }),
  "tensor: names for other axes": () => api.tensor([1, 2], { names: ["row", "col"] }),
  "zeros: a negative size": () => zeros(2, -3),
  "zeros: a number for a shape": () => api.zeros(wrong<number[]>(3)),
  "arange: a step of 0": () => api.arange(0, 5, 0),
  "arange: a step away from the end": () => api.arange(0, 5, -1),
  "linspace: a negative count": () => api.linspace(0, 1, -1),
  "randint: an empty range": () => api.randint(3, 3, [2]),
  "fromBuffer: too short": () => api.fromBuffer(new Float32Array(4), { shape: [2, 3] }),
  "fromBuffer: an odd address": () => api.fromBuffer(new Uint8Array(9).subarray(1), { dtype: "float32" }),
  "contiguous: a format of a different rank": () => zeros(2, 3).contiguous("channelsLast"),
  "int64 past 2^53": () => api.tensor([2n ** 53n + 1n]).get(0),
};

const classes = /^(Disposed|DType|Index|Layout|Overflow|Shape|Storage|Stridewise|Write)Error$/;

/** Errors name the caller of dispose(), which differs between machines. */
const withoutLocations = (message: string): string => message.replaceAll(/, at [^;]*;/g, ", at <call site>;");

test("every mistake has a message that names the function, the arguments and the remedy", async () => {
  const messages = Object.entries(mistakes).map(([name, run]) => {
    try {
      const result = run();
      return `${name}\n  no error: ${String(result)}`;
    } catch (error) {
      const { name: kind, message } = error as Error;
      return `${name}\n  ${kind}: ${withoutLocations(message).replaceAll("\n", "\n  ")}`;
    }
  });
  await expect(`${messages.join("\n\n")}\n`).toMatchFileSnapshot("tensor-errors.txt");
});

test.each(Object.entries(mistakes))("%s: an error of this library, and none a bug", (_name, run) => {
  expect(run).toThrow(
    expect.objectContaining({ name: expect.stringMatching(classes), message: expect.stringMatching(/^[A-Za-z]+_?: /) }),
  );
});
