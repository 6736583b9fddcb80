/** Long and repeated formulas are computed, differentiated, or throw a named error; the stack never overflows. */
import { expect, test } from "vitest";
import { elementwise, StridewiseError, tensor } from "../../src/index.ts";

const chain = (count: number, each: (value: string) => string): string => {
  let text = "let t0 = x; ";
  for (let i = 0; i < count; i++) text += `let t${i + 1} = ${each(`t${i}`)}; `;
  return `${text}t${count}`;
};

const families: Readonly<Record<string, (count: number) => string>> = {
  sums: (n) => Array(n).fill("x").join(" + "),
  squares: (n) => chain(n, (t) => `${t} * ${t} + 1`),
  choices: (n) => chain(n, (t) => `${t} > 0 ? ${t} * 0.5 : -${t}`),
  quotients: (n) => chain(n, (t) => `${t} / (${t} + 1.0)`),
  powers: (n) => chain(n, (t) => `${t} ** 3`),
  extremes: (n) => `max(${Array(n).fill("x * x").join(", ")})`,
  // Each is a few dozen values of a kernel, more than WebAssembly has locals for.
  functions: (n) => chain(n, (t) => `softplus(${t})`),
};

test.each(Object.keys(families).flatMap((name) => [10, 2000].map((count) => [name, count] as const)))(
  "%s, %i times",
  (name, count) => {
    const text = (families[name] as (count: number) => string)(name === "functions" ? Math.min(count, 990) : count);
    const x = tensor([0.5, 1.5]).requiresGrad_();
    const run = (): void => {
      (elementwise(text, { x }) as ReturnType<typeof tensor>).sum().backward();
      expect(x.grad?.shape).toEqual([2]);
    };
    if (count === 10) run();
    else expect(run).toThrow(StridewiseError);
  },
);
