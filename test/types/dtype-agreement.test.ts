/**
 * The compiler's dtypes are those of the program: the example of every op is run with tensors of other dtypes, as function and as
 * method, and the dtype of each result must belong to its type. Some calls with numbers, whose kind decides, are written here.
 */
import * as stridewise from "stridewise";
import { Tensor } from "stridewise";
import { expect, test } from "vitest";
import { exampleOf, opsOfPage } from "../support/ops-page.ts";
import { typeErrors } from "../support/type-errors.ts";

const names = Object.keys(stridewise).filter((name) => /^[a-z]\w*$/i.test(name) && name !== "var");
const dtypes = ["bool", "uint8", "int32", "int64", "float16", "float64", "complex64"] as const;

/** The tensors that are written in a call: [start, end] of each. */
function tensorsIn(code: string): [number, number][] {
  return [...code.matchAll(/(?<![\w.])(?:tensor|zeros|ones|arange|eye)\(/g)].map(({ index, 0: head }) => {
    let end = index + head.length;
    for (let depth = 1; depth > 0; end++)
      depth += "([{".includes(code[end] as string) ? 1 : ")]}".includes(code[end] as string) ? -1 : 0;
    return [index, end];
  });
}

/** The call with its tensors converted: the k-th one to the k-th of `targets`, the last of which is for all others too. */
function converted(code: string, targets: readonly (string | null)[]): string {
  const found = tensorsIn(code);
  return found.reduceRight((text, [, end], k) => {
    const target = targets[Math.min(k, targets.length - 1)] as string | null;
    return target === null ? text : `${text.slice(0, end)}.to("${target}")${text.slice(end)}`;
  }, code);
}

/** f(x, ...more) as x.f(...more), if there is such a method. */
function asMethod(code: string): string[] {
  const [, name, rest] = /^(\w+)\((.*)\)$/s.exec(code) ?? [];
  const first = tensorsIn(code)[0];
  if (name === undefined || rest === undefined || first?.[0] !== name.length + 1 || !(name in Tensor.prototype))
    return [];
  let end = first[1];
  const cast = /^\.to\("\w+"\)/.exec(code.slice(end))?.[0].length ?? 0;
  end += cast;
  const more = code.slice(end, -1).replace(/^, /, "");
  return /^[^,)]/.test(code.slice(end)) ? [] : [`${code.slice(first[0], end)}.${name}(${more})`];
}

const scalars = ["2", "0.5", "true", "2n", "-1", "{ re: 0, im: 1 }"];
const withNumbers = dtypes.flatMap((dtype) => {
  const x = `tensor([1, 0]).to("${dtype}")`;
  return [
    "pow",
    "add",
    "mul",
    "sub",
    "div",
    "floorDivide",
    "maximum",
    "clampMin",
    "clampMax",
    "eq",
    "remainder",
    "atan2",
    "floatPower",
    "fmod",
    "bitwiseAnd",
    "copysign",
    "hypot",
    "heaviside",
    "ldexp",
    "logaddexp",
    "xlogy",
    "nextafter",
    "lerp",
  ]
    .flatMap((op) =>
      scalars.flatMap((scalar) => [
        `${op}(${x}, ${scalar}${op === "lerp" ? ", 0.5" : ""})`,
        ...(op === "lerp" ? [] : [`${op}(${scalar}, ${x})`]),
        `${x}.${op}(${scalar}${op === "lerp" ? ", 0.5" : ""})`,
      ]),
    )
    .concat(
      scalars.flatMap((scalar) => [
        `${x}.clamp(${scalar})`,
        `${x}.clamp(0, ${scalar})`,
        `clamp(${x}, null, ${scalar})`,
        `where(tensor([true]), ${x}, ${scalar})`,
        `${x}.where(tensor([true]), ${scalar})`,
      ]),
    );
});

/** The dtypes of the tensors in a result, each with the path to it. */
function resultsOf(value: unknown, path: string): [path: string, dtype: string][] {
  if (value instanceof Tensor) return [[path, value.dtype]];
  if (typeof value !== "object" || value === null || path.length > 40) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    resultsOf(part, `${path}[${/^\d+$/.test(key) ? key : JSON.stringify(key)}]`),
  );
}

test("results have a dtype that belongs to their type", { timeout: 240_000 }, async () => {
  const examples = opsOfPage().map(([name, op]) => exampleOf(name, op));
  const patterns = [...dtypes.flatMap((d) => [[d], [d, null], [null, d], [d, "int64"], ["int32", d]])];
  const codes = new Set(examples.flatMap((code) => patterns.map((targets) => converted(code, targets))));
  for (const code of [...codes, ...withNumbers]) for (const method of [code, ...asMethod(code)]) codes.add(method);
  const lines = [
    `import { ${names.join(", ")} } from "stridewise";`,
    "type D<X> = X extends { readonly dtype: infer D } ? D : unknown;",
  ];
  const line = lines.length;
  const sources: string[] = [];
  for (const code of codes) {
    let results: [string, string][];
    try {
      results = resultsOf(
        new Function(...names, "x", `return ${code};`)(
          ...names.map((name) => (stridewise as unknown as Record<string, unknown>)[name]),
        ),
        "",
      );
    } catch {
      continue;
    }
    for (const [path, dtype] of results) {
      sources.push(`${code}${path} is ${dtype}`);
      lines.push(`{ const value = ${code}; const d: D<(typeof value)${path}> = "${dtype}"; void d; }`);
    }
  }
  const errors = (await typeErrors(lines.join("\n"))).filter(
    (error) => /TS2322/.test(error) && / to type '"|to type 'unknown|dtype|type 'never'/.test(error),
  );
  const wrong = errors.map(
    (error) => `${sources[Number.parseInt(error, 10) - line - 1]}: ${error.replace(/^.*?: /, "")}`,
  );
  expect(sources.length).toBeGreaterThan(10_000);
  expect(wrong).toEqual([]);
});
