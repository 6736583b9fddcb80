/**
 * Polynomials as short text, without spaces: 4*n+1, n/4, (i+1)/4, i%8, ceil(n/4), min(n,8), abs(n).
 * Promises: parsing the text with the same symbols gives an equal expression. `/` rounds down, unary minus binds
 * tighter than `*`, and a rounded quotient that is followed by a factor or a sign stands in parentheses.
 */
import { gcd } from "../base/ints.ts";
import { divisorOf } from "./bounds.ts";
import { type Atom, collect, type Polynomial, scale, type Term } from "./polynomial.ts";

export function print({ constant, terms }: Polynomial): string {
  let text = "";
  for (const term of terms) {
    const [negative, product] = printTerm(term, text === "");
    text += (negative ? "-" : text && "+") + product;
  }
  if (constant === 0 && text) return text;
  return text + (constant >= 0 && text ? "+" : "") + constant;
}

/** Whether the term is subtracted, and the text of its absolute part. */
function printTerm({ num, den, atoms }: Term, isFirst: boolean): [negative: boolean, text: string] {
  let negative = num < 0;
  const size = Math.abs(num);
  const factors = size === 1 ? [] : [`${size}`];
  for (const atom of atoms) {
    const [flips, text, isProduct] = printAtom(atom);
    if (flips) negative = !negative;
    const bare = !isProduct || (atoms.length === 1 && size === 1 && den === 1 && !(isFirst && negative));
    factors.push(bare ? text : `(${text})`);
  }
  return [negative, factors.join("*") + (den === 1 ? "" : `/${den}`)];
}

/** Whether the text is the negative of the atom, the text, and whether it binds like a product. */
function printAtom(atom: Atom): [flips: boolean, text: string, isProduct: boolean] {
  if (atom.kind === "symbol") return [false, atom.name, false];
  if (atom.kind === "product") return [false, atom.args.map((arg) => printOperand(arg)).join("*"), true];
  if (atom.kind !== "mod" && atom.kind !== "floorDiv") return [false, `${atom.kind}(${atom.args.map(print)})`, false];
  const [a, b] = atom.args as [Polynomial, Polynomial];
  if (atom.kind === "mod") return [false, `${printOperand(a, true)}%${printOperand(b)}`, true];
  // -floorDiv(-x, b) = ceil(x / b); with constants, floorDiv(x + b - g, b) = ceil(x / b) where g divides x and b
  const flips = b.terms.length > 0 && (a.terms[0]?.num ?? a.constant) < 0;
  const x = flips ? scale(a, -1) : collect(a.terms);
  const isCeil = flips || (b.terms.length === 0 && a.constant === b.constant - gcd(divisorOf(x), b.constant));
  const numerator = isCeil ? x : a;
  const quotient = `${printOperand(numerator, true)}/${printOperand(b)}`;
  if (!isCeil) return [false, quotient, true];
  // `ceil` takes one division only.
  return [
    flips,
    quotient.split("/").length > 2 ? `ceilDiv(${print(numerator)},${print(b)})` : `ceil(${quotient})`,
    false,
  ];
}

function printOperand(a: Polynomial, isLeft = false): string {
  const text = print(a);
  const pieces = a.terms.length + (a.constant === 0 && a.terms.length > 0 ? 0 : 1);
  return pieces > 1 || (!isLeft && /[-*/%]/.test(text)) ? `(${text})` : text;
}
