/** Convolutions and their transposes: which sizes, paddings and groups there are, and how the others are refused. */
import { conv1d, conv2d, convTranspose1d, convTranspose2d, convTranspose3d, ones, type Tensor } from "stridewise";
import { describe, expect, test } from "vitest";
import { refusals } from "../../../test/support/refusals.ts";

describe.each(["cpu", "meta"] as const)("on the %s device", (device) => {
  const full = (...shape: number[]): Tensor => ones(shape, { device }) as Tensor;

  test("a transpose of less than one element is refused", () => {
    expect(
      refusals([
        () => convTranspose1d(full(1, 1, 2), full(1, 1, 1), null, { padding: 1 }),
        () => convTranspose1d(full(1, 2), full(1, 1, 1), null, { padding: 2 }),
        () => convTranspose2d(full(1, 4, 2, 3), full(4, 1, 1, 1), null, { padding: [1, 2] }),
        () => convTranspose3d(full(1, 1, 2, 2, 2), full(1, 1, 1, 1, 1), null, { padding: [0, 1, 0] }),
      ]),
    ).toMatchInlineSnapshot(`
      "ShapeError: convTranspose1d: the output size (0) of an input (2) is too small. Use less padding
      ShapeError: convTranspose1d: the output size (-2) of an input (2) is too small. Use less padding
      ShapeError: convTranspose2d: the output size (0 x -1) of an input (2 x 3) is too small. Use less padding
      ShapeError: convTranspose3d: the output size (2 x 0 x 2) of an input (2 x 2 x 2) is too small. Use less padding"
    `);
    const min = convTranspose1d(full(1, 1, 2), full(1, 1, 1), null, { padding: 1, stride: 2, outputPadding: 1 });
    expect(min.shape).toEqual([1, 1, 2]);
    expect(convTranspose1d(full(1, 1, 3), full(1, 1, 1), null, { padding: 1 }).shape).toEqual([1, 1, 1]);
  });

  test("output padding is smaller than stride or dilation, on every axis", () => {
    expect(
      refusals([
        () => convTranspose1d(full(1, 1, 4), full(1, 1, 3), null, { outputPadding: 1 }),
        () =>
          convTranspose2d(full(1, 1, 4, 4), full(1, 1, 3, 3), null, {
            outputPadding: [1, 2],
            stride: [2, 1],
            dilation: [1, 2],
          }),
      ]),
    ).toMatchInlineSnapshot(`
      "ShapeError: convTranspose1d: outputPadding must be smaller than stride or dilation, got [1], [1] and [1]
      ShapeError: convTranspose2d: outputPadding must be smaller than stride or dilation, got [1, 2], [2, 1] and [1, 2]"
    `);
    expect(
      convTranspose2d(full(1, 1, 4, 4), full(1, 1, 3, 3), null, {
        outputPadding: 1,
        stride: [2, 1],
        dilation: [1, 2],
      }).shape,
    ).toEqual([1, 1, 10, 9]);
  });

  test("groups are a positive integer that divides the filters", () => {
    const groups = (count: unknown) => ({ groups: count as number });
    expect(
      refusals([
        ...[0, -1, 0.5, NaN, "2"].map((count) => () => conv2d(full(1, 1, 3, 3), full(2, 1, 1, 1), null, groups(count))),
        () => conv1d(full(1, 2, 3), full(3, 1, 1), null, groups(2)),
        () => convTranspose2d(full(1, 2, 3, 3), full(2, 1, 1, 1), null, groups(0)),
        () => convTranspose1d(full(1, 2, 3), full(2, 2, 1), null, groups(0.5)),
        () => convTranspose1d(full(1, 3, 3), full(3, 1, 1), null, groups(2)),
      ]),
    ).toMatchInlineSnapshot(`
      "ShapeError: conv2d: groups must be a positive integer, got 0
      ShapeError: conv2d: groups must be a positive integer, got -1
      ShapeError: conv2d: groups must be a positive integer, got 0.5
      ShapeError: conv2d: groups must be a positive integer, got NaN
      ShapeError: conv2d: groups must be a positive integer, got "2"
      ShapeError: conv1d: the first size of weight must be divisible by groups=2, got [3, 1, 1]
      ShapeError: convTranspose2d: groups must be a positive integer, got 0
      ShapeError: convTranspose1d: groups must be a positive integer, got 0.5
      ShapeError: convTranspose1d: the first size of weight must be divisible by groups=2, got [3, 1, 1]"
    `);
  });
});
