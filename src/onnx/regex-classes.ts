/** The named classes of characters in regular expressions of RE2. Those of Perl and POSIX have ASCII characters only. */
/** True for the code points of a class. */
export type CodeTest = (code: number) => boolean;

/** The class of a regular expression of JavaScript for one character. */
const matching =
  (expression: RegExp): CodeTest =>
  (code) =>
    expression.test(String.fromCodePoint(code));

const perl: Readonly<Record<string, RegExp>> = { d: /^\d$/, s: /^[\t\n\f\r ]$/, w: /^\w$/ };

/** The class of \d, \D, \s, \S, \w or \W; null for other escapes. */
export function classOf(escape: string): CodeTest | null {
  const lower = escape.toLowerCase();
  const expression = Object.hasOwn(perl, lower) ? perl[lower] : undefined;
  if (expression === undefined) return null;
  const test = matching(expression);
  return escape === lower ? test : (code) => !test(code);
}

const posix: Readonly<Record<string, RegExp>> = {
  alnum: /^[0-9A-Za-z]$/,
  alpha: /^[A-Za-z]$/,
  ascii: /^\p{ASCII}$/u,
  blank: /^[\t ]$/,
  cntrl: /^\p{Cc}$/u,
  digit: /^\d$/,
  graph: /^[!-~]$/,
  lower: /^[a-z]$/,
  print: /^[ -~]$/,
  punct: /^[!-/:-@[-`{-~]$/,
  space: /^[\t\n\v\f\r ]$/,
  upper: /^[A-Z]$/,
  word: /^\w$/,
  xdigit: /^[0-9A-Fa-f]$/,
};

/** The class [[:name:]]; null if there is none. */
export function posixClass(name: string): CodeTest | null {
  if (!Object.hasOwn(posix, name)) return null;
  const test = matching(posix[name]);
  return (code) => code < 128 && test(code);
}

/** The class of pL, p{Greek}, p{^Greek} or P{Greek}: a category or a script of Unicode; null if there is none. */
export function namedClass(escape: string): CodeTest | null {
  const [, name] = /^[pP]\{?\^?(\w+)\}?$/.exec(escape) ?? [];
  const isNegated = escape.startsWith("P") !== escape.includes("^");
  for (const property of [name, `Script=${name}`])
    try {
      const test = matching(new RegExp(`^\\p{${property}}$`, "u"));
      // Other properties of JavaScript, such as Alphabetic, are not classes of RE2.
      if (property === name && name.length > 2) continue;
      return isNegated ? (code) => !test(code) : test;
    } catch {}
  return name === "Any" ? () => !isNegated : null;
}

/** A class that also has the other cases of its characters. */
export const withoutCase =
  (test: CodeTest): CodeTest =>
  (code) => {
    const char = String.fromCodePoint(code);
    return [char, char.toLowerCase(), char.toUpperCase()].some((each) => {
      const other = each.codePointAt(0) as number;
      return [...each].length === 1 && test(other);
    });
  };
