/**
 * An editor shows the sentence of an op: at functions and methods, at their in-place forms, and for every overload. The
 * examples of docs/ops, which are the calls here, compile.
 */
import { expect, test } from "vitest";
import * as stridewise from "../../src/index.ts";
import { Tensor } from "../../src/index.ts";
import { viewMethods } from "../../src/tensor/views/view-methods.ts";
import { hoverTexts } from "../support/hover.ts";
import { opTypes } from "../support/op-types.ts";
import { exampleOf, opsOfPage } from "../support/ops-page.ts";
import { typeErrors } from "../support/type-errors.ts";

const names = Object.keys(stridewise).filter((name) => /^[a-z]\w*$/i.test(name) && name !== "var");
const head = `import { ${names.join(", ")} } from "stridewise";\ndeclare const x: Tensor;`;
const ops = opsOfPage();

test("the compiler accepts every example of docs/ops", { timeout: 120_000 }, async () => {
  const lines = ops.map(([name, op]) => `${exampleOf(name, op)};`);
  const errors = await typeErrors([head, ...lines].join("\n"));
  expect(errors.map((error) => error.replace(/^\d+/, (line) => lines[Number(line) - 3] ?? line))).toEqual([]);
});

/**
 * True for methods that are declared by hand, with their own documentation: views, and in-place forms that are also
 * functions.
 */
const hasOwnWords = (method: string): boolean =>
  method in viewMethods || (method.endsWith("_") && method in stridewise);

test("an editor shows the sentence of an op at its function, its method and its in-place form", {
  timeout: 120_000,
}, async () => {
  const types = opTypes(ops.map(([name]) => name));
  const queries = ops.flatMap(([name, op]) => {
    const { sentence, isMethod, signatures } = types.get(name) as NonNullable<ReturnType<typeof types.get>>;
    const call = exampleOf(name, op).replace("(", "|(");
    return [
      // Overloads with their own documentation.
      { line: `${call};`, expected: signatures.length === 1 ? sentence : "" },
      ...(isMethod ? [name, `${name}_`] : [])
        .filter((method) => method in Tensor.prototype)
        .map((method) => ({ line: `x.${method}|;`, expected: hasOwnWords(method) ? "" : sentence })),
    ];
  });
  const calls = [
    "x.add|(1)",
    "x.add_|(1)",
    "x.clamp_|(0, 1)",
    "x.max|()",
    "x.max|(1)",
    "x.max|(x)",
    "x.sort|()",
    "x.topk|(2)",
    "x.median|(0)",
    "x.std|(0)",
    "x.var|(0)",
  ].map((line) => ({ line: `${line};`, expected: "" }));
  const all = [...queries, ...calls];
  const shown = await hoverTexts(
    head,
    all.map(({ line }) => line),
  );
  const wrong = all.filter(({ expected }, k) => shown[k] === "" || !(shown[k] as string).startsWith(expected));
  expect(wrong.map(({ line }) => line)).toEqual([]);
  expect(all.length).toBeGreaterThan(ops.length);
});
