/** The cube root: against exact cubes, against the one of JavaScript in units in the last place, special values, and its gradient. */
import { type Tensor, tensor } from "stridewise";
import { expect, test } from "vitest";
import { refusals } from "../../../test/support/refusals.ts";
import { cbrt } from "./special-functions.ts";

const elements = (t: Tensor): number[] => t.toArray() as number[];

test("cubes have exact roots, and special values are as in NumPy", () => {
  const roots = [-1290, -3, -1, 0, 1, 2, 5, 208063];
  for (const dtype of ["float64", "int64"] as const)
    expect(
      elements(
        cbrt(
          tensor(
            roots.map((root) => root ** 3),
            { dtype },
          ),
        ) as Tensor,
      ),
    ).toEqual(roots);
  const special = [0, -0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, NaN];
  for (const dtype of ["float32", "float64"] as const)
    expect(elements(cbrt(tensor(special, { dtype })))).toEqual(special);
  expect([cbrt(tensor([true])).dtype, cbrt(tensor([8], { dtype: "float16" })).dtype]).toEqual(["float32", "float16"]);
});

test.each([
  ["float32", 2 ** -23, -149, 127, 1],
  ["float64", 2 ** -52, -1074, 1023, 2],
] as const)("%s is right to within 2 units in the last place", (dtype, unit, low, high, max) => {
  const values = Array.from({ length: 4000 }, (_, i) => {
    const size = 2 ** (low + ((high - low) * i) / 4000) * (1 + ((i * 0.618) % 1) / 2);
    return i % 2 === 0 ? size : -size;
  });
  const x = tensor(values, { dtype }) as Tensor;
  const expected = elements(x).map(Math.cbrt);
  elements(cbrt(x)).forEach((root, i) => {
    // A unit of the power of two below the root.
    const step = unit * 2 ** Math.floor(Math.log2(Math.abs(expected[i]!)));
    expect(Math.abs(root - expected[i]!) / step, String(values[i])).toBeLessThanOrEqual(max);
  });
});

test("the gradient is 1 / (3 root^2)", () => {
  const x = tensor([8, -27], { requiresGrad: true });
  cbrt(x).sum().backward();
  const [a, b] = elements(x.grad as Tensor) as [number, number];
  expect([a, b]).toEqual([expect.closeTo(1 / 12, 6), expect.closeTo(1 / 27, 6)]);
});

test("complex numbers are refused", () => {
  expect(refusals([() => cbrt(tensor([1]).to("complex64"))])).toMatchInlineSnapshot(
    `"DTypeError: cbrt: not defined for complex numbers, which have three cube roots. Use pow(x, 1 / 3)"`,
  );
});
