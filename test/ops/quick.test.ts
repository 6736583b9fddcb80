/** The fast path of elementwise ops is taken for calls with tensors only, independent of earlier calls. */
import { expect, test } from "vitest";
import { gelu, logit, pow, round, rsub, sub, tensor } from "../../src/index.ts";

const x = tensor([0.256, 0.75]);

test("a call with options does not affect the next one without", () => {
  const plain = [round(x).toArray(), gelu(x).toArray(), logit(x).toArray()];
  expect(round(x, { decimals: 1 }).toArray()).not.toEqual(plain[0]);
  expect(gelu(x, { approximate: "tanh" }).toArray()).not.toEqual(plain[1]);
  expect(logit(x, 0.4).toArray()).not.toEqual(plain[2]);
  expect([round(x).toArray(), gelu(x).toArray(), logit(x).toArray()]).toEqual(plain);
});

test("operands keep their order if the formula names them in reverse", () => {
  const y = tensor([1, 1]);
  for (let call = 0; call < 3; call++) expect(rsub(x, y).toArray()).toEqual(sub(y, x).toArray());
});

test("a changed dtype or shape misses the fast path's cache", () => {
  const whole = tensor([2, 3], { dtype: "int32" });
  expect([pow(x, x).dtype, pow(whole, whole).dtype, pow(x, whole).dtype]).toEqual(["float32", "int32", "float32"]);
  expect(sub(x, tensor([[1], [2]])).shape).toEqual([2, 2]);
  expect(sub(x, x).shape).toEqual([2]);
});
