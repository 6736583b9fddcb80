/** Regular expressions of RE2: full matches, equal to those of JavaScript where the syntaxes agree, and errors where RE2 has none. */
import { expect, test } from "vitest";
import { seededRandom } from "../../test/support/files.ts";
import { OnnxError } from "./error.ts";
import { FullMatch } from "./regex.ts";

test("random patterns match the same texts as in JavaScript", () => {
  const random = seededRandom(11);
  const pick = <T>(list: readonly T[]): T => list[random(list.length)];
  const pattern = (depth: number): string => {
    const kind = random(depth > 0 ? 9 : 5);
    if (kind < 3) return pick(["a", "b", "c", ".", "\\d", "\\w", "[ab]", "[^a]", "[a-c1]", "\\.", "1"]);
    if (kind === 3) return pick(["^", "$", "\\b", "\\B"]);
    if (kind === 4) return "";
    if (kind === 5) return `(${pattern(depth - 1)})${pick(["*", "+", "?", "{2}", "{1,3}", "{0,}", "*?", "+?"])}`;
    if (kind === 6) return `(?:${pattern(depth - 1)}|${pattern(depth - 1)})`;
    return pattern(depth - 1) + pattern(depth - 1);
  };
  for (let k = 0; k < 3000; k++) {
    const source = pattern(4);
    const ours = new FullMatch(source);
    const theirs = new RegExp(`^(?:${source})$`);
    for (let j = 0; j < 8; j++) {
      const text = Array.from({ length: random(6) }, () => pick(["a", "b", "c", "1", ".", " "])).join("");
      expect(ours.test(text), `${source} on ${JSON.stringify(text)}`).toBe(theirs.test(text));
    }
  }
});

test.each([
  ["(?i)straSSe", "STRASSE", true],
  ["(?i:a)b", "Ab", true],
  ["(?i:a)b", "AB", false],
  ["(?P<year>\\d{4})-(?<month>\\d\\d)", "2024-05", true],
  ["[[:alpha:]]+[[:^digit:]]", "abc", true],
  ["\\p{Greek}+\\pL", "αβγ", true],
  ["\\P{Greek}", "α", false],
  ["\\Qa.b\\E+", "a.bb", true],
  ["\\Qa.b\\E", "a.b", true],
  ["\\Aa\\z", "a", true],
  [".", "\n", false],
  [".", "\r", true],
  ["(?s).", "\n", true],
  ["(?m)a$\\n^b", "a\nb", true],
  ["\\x41\\x{1F600}", "A😀", true],
  ["[\\x41-\\x43]+", "ABC", true],
  ["[]a]+", "]a", true],
  ["[a-]+", "a-", true],
  ["\\s", "\u00a0", false],
  ["a{,2}", "a{,2}", true],
  ["", "", true],
])("%s on %j is %s", (pattern, text, expected) => {
  expect(new FullMatch(pattern).test(text)).toBe(expected);
});

test.each([
  "(a",
  "a)",
  "[a",
  "*",
  "a**",
  "(?=a)",
  "(?<!a)",
  "\\1",
  "[z-a]",
  "a{1001}",
  "\\p{Nothing}",
  "\\C",
  "((a{100}){100}){100}",
])("%s is refused", (pattern) => {
  expect(() => new FullMatch(pattern)).toThrow(OnnxError);
});

test("deep nesting is refused", () => {
  expect(() => new FullMatch("(".repeat(9999))).toThrow("nests more than 500 groups");
});

test("a pattern that takes other engines exponential time takes linear time", () => {
  expect(new FullMatch("(a|aa)+b").test("a".repeat(2000))).toBe(false);
});
