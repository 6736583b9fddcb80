/**
 * The order in which the factors of a sum of products are multiplied, two at a time: the one with the fewest multiplications, by trying
 * all groupings for up to eight factors, and greedily (the cheapest pair next) for more.
 */
import { listOf } from "../../base/list-of.ts";

type Letters = readonly string[];

/** Pairs of indices into the list of factors; a pair is removed, and its product is appended. */
export type ContractionOrder = readonly (readonly [number, number])[];

const maxForAll = 8;

/** The number of multiplications of a product of two factors. */
function costOf(a: Letters, b: Letters, sizes: ReadonlyMap<string, number>): number {
  let cost = 1;
  for (const letter of new Set([...a, ...b])) cost *= sizes.get(letter) ?? 1;
  return cost;
}

/** The letters of a product that other factors or the output need. */
function lettersLeft(together: Letters, needed: ReadonlySet<string>): string[] {
  return [...new Set(together)].filter((letter) => needed.has(letter));
}

/** Returns the order for factors with these letters. */
export function contractionOrder(
  factors: readonly Letters[],
  output: Letters,
  sizes: ReadonlyMap<string, number>,
): ContractionOrder {
  if (factors.length < 2) return [];
  return factors.length <= maxForAll ? bestOrder(factors, output, sizes) : greedyOrder(factors, output, sizes);
}

interface Tree {
  readonly cost: number;
  readonly letters: Letters;
  /** The two sets of factors that are multiplied; null for one factor. */
  readonly parts: readonly [number, number] | null;
}

function bestOrder(factors: readonly Letters[], output: Letters, sizes: ReadonlyMap<string, number>): ContractionOrder {
  const all = 2 ** factors.length - 1;
  const trees: Tree[] = [];
  for (let set = 1; set <= all; set++) {
    const needed = new Set(output);
    factors.forEach((letters, k) => {
      if ((set & (1 << k)) === 0) for (const letter of letters) needed.add(letter);
    });
    if ((set & (set - 1)) === 0) {
      trees[set] = { cost: 0, letters: factors[Math.log2(set)], parts: null };
      continue;
    }
    let best: Tree | null = null;
    for (let part = (set - 1) & set; part > set >> 1 || (part > 0 && part >= (set ^ part)); part = (part - 1) & set) {
      const [a, b] = [trees[part], trees[set ^ part]];
      const cost = a.cost + b.cost + costOf(a.letters, b.letters, sizes);
      if (best === null || cost < best.cost)
        best = { cost, letters: lettersLeft([...a.letters, ...b.letters], needed), parts: [part, set ^ part] };
    }
    trees[set] = best as Tree;
  }
  return pairsOf(trees, all, factors.length);
}

/** Converts a tree of products to pairs of indices into the shrinking list. */
function pairsOf(trees: readonly Tree[], all: number, count: number): ContractionOrder {
  const list = listOf(count, (k) => 1 << k);
  const order: (readonly [number, number])[] = [];
  const visit = (set: number): void => {
    const { parts } = trees[set];
    if (parts === null) return;
    for (const part of parts) visit(part);
    order.push(parts.map((part) => list.indexOf(part)) as [number, number]);
    for (const part of parts) list.splice(list.indexOf(part), 1);
    list.push(set);
  };
  visit(all);
  return order;
}

/** A remaining factor, with the later factor that is cheapest to multiply it by. */
interface Factor {
  readonly letters: ReadonlySet<string>;
  /** The number of its elements. */
  readonly size: number;
  cost: number;
  partner: Factor | null;
}

/** Each factor keeps its cheapest partner, so that a step examines only the pairs with the new product. */
function greedyOrder(
  factors: readonly Letters[],
  output: Letters,
  sizes: ReadonlyMap<string, number>,
): ContractionOrder {
  const uses = new Map(output.map((letter) => [letter, 1]));
  const count = (letters: Iterable<string>, by: number): void => {
    for (const letter of letters) uses.set(letter, (uses.get(letter) ?? 0) + by);
  };
  const factorOf = (letters: Letters): Factor => {
    const distinct = new Set(letters);
    count(distinct, 1);
    return { letters: distinct, size: costOf(letters, [], sizes), cost: Infinity, partner: null };
  };
  const pair = (a: Factor, b: Factor): void => {
    let cost = a.size;
    for (const letter of b.letters) if (!a.letters.has(letter)) cost *= sizes.get(letter) ?? 1;
    // Infinite costs are equal.
    if (a.partner === null || cost < a.cost) [a.cost, a.partner] = [cost, b];
  };
  let list = factors.map(factorOf);
  const findPartner = (i: number): void => {
    const a = list[i];
    a.partner = null;
    for (let j = i + 1; j < list.length; j++) pair(a, list[j]);
  };
  for (const i of list.keys()) findPartner(i);
  const order: (readonly [number, number])[] = [];
  while (list.length > 1) {
    let i = 0;
    for (let k = 1; k < list.length - 1; k++) if (list[k].cost < list[i].cost) i = k;
    const a = list[i];
    const b = a.partner as Factor;
    order.push([i, list.indexOf(b)]);
    count(a.letters, -1);
    count(b.letters, -1);
    const left = [...new Set([...a.letters, ...b.letters])].filter((letter) => (uses.get(letter) as number) > 0);
    const product = factorOf(left);
    list = list.filter((factor) => factor !== a && factor !== b);
    list.push(product);
    for (let k = 0; k < list.length - 1; k++) {
      const factor = list[k];
      if (factor.partner === a || factor.partner === b) findPartner(k);
      else pair(factor, product);
    }
  }
  return order;
}
