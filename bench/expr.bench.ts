/**
 * The affine primitives compared with hand-written JavaScript: `i * 128 + 64` in a loop, as one affine and as one of
 * many live affines, and an index expression with division. The tree walk is the method of mllm.
 */
import { AffinePrimitives } from "../src/expr/affine-primitives.ts";
import { compileToFunction } from "../src/expr/compile.ts";
import { evaluate } from "../src/expr/evaluate.ts";
import { parse } from "../src/expr/parse.ts";
import { compare, describeMachine } from "./harness.ts";

const count = 100_000;
console.log(describeMachine(), `\nTimes are for ${count} evaluations.`);

await compare(
  "i * 128 + 64",
  contenders("i * 128 + 64", (i) => i * 128 + 64),
);
await compare(
  "(i / 8) * 64 + i % 8",
  contenders("(i / 8) * 64 + i % 8", (i) => Math.floor(i / 8) * 64 + (i % 8)),
);

// Fifty affines of seven shapes, called in turn from one call site, which sees many closures.
const ap = new AffinePrimitives();
const texts = ["i*3+1", "i+j", "i*2+j*5+7", "i+j+k", "i/4", "i%8+j", "min(i,j)*2"];
const many = Array.from({ length: 50 }, (_, n) => ap.create(`${texts[n % texts.length]} + ${n}`));
const simple = many.filter((_, n) => n % texts.length === 0);
ap.i = 1;
ap.j = 2;
ap.k = 3;
const first = ap.create("i * 128 + 64");
await compare("one affine, then the same loop over many", {
  "one affine": () => sumOver([first]),
  "8 affines of one shape": () => sumOver(simple),
  "50 affines of 7 shapes": () => sumOver(many),
});

function sumOver(affines: readonly (() => number)[]): number {
  let sum = 0;
  for (let i = 0, next = 0; i < count; i++) {
    ap.i = i;
    sum += (affines[next] as () => number)();
    next = next + 1 === affines.length ? 0 : next + 1;
  }
  return sum;
}

function contenders(text: string, hand: (i: number) => number): Record<string, () => number> {
  const expr = parse(text);
  const symbols = new AffinePrimitives();
  const affine = symbols.create(text);
  const compiled = compileToFunction(expr, ["i"]);
  return {
    "hand-written": () => {
      let sum = 0;
      for (let i = 0; i < count; i++) sum += hand(i);
      return sum;
    },
    AffinePrimitives: () => {
      let sum = 0;
      for (let i = 0; i < count; i++) {
        symbols.i = i;
        sum += affine();
      }
      return sum;
    },
    compileToFunction: () => {
      let sum = 0;
      for (let i = 0; i < count; i++) sum += compiled(i);
      return sum;
    },
    "walk of the tree": () => {
      let sum = 0;
      for (let i = 0; i < count; i++) sum += evaluate(expr, { i });
      return sum;
    },
  };
}
