/**
 * Texts use the words of the field: a list of retired words with their replacements, checked in the documents, in the
 * comments and strings of sources, tests, examples and benchmarks, and in the names of sources, examples and benchmarks. Code in
 * documents and strings without spaces (paths, keys) are not checked.
 */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { projectRoot } from "../support/command.ts";
import { wordsOf } from "../support/source-words.ts";

type Entry = readonly [pattern: RegExp, replacement: string];

const retired: readonly Entry[] = [
  [/\bway back\b|\bgoing back\b/i, "backward pass"],
  [/\bleft away\b/i, "omitted, optional"],
  [/\btold\b/i, "given, passed, reported"],
  [/\bso many\b/i, "the number of"],
  [/\bkin\b|\b(its|their) like\b/i, "similar ops, related functions"],
  [/\bof one's own\b/i, "user-defined"],
  [/\brooms?\b/i, "folder, scratch buffer, workspace"],
  [/\bstarting values\b/i, "initialization"],
  [/\blearning rates over time\b/i, "learning-rate schedule"],
  [/\brefus(e|ed|es|al|als) by name\b/i, "throws a named error"],
  [/(?<!\bthere )\b(is|are|was|were) no (?!(longer|more|less|op|\w+er than)\b)/i, "is not a"],
  [/\bremember(s|ed|ing)?\b/i, "cache, cached"],
  [/\bright where it was not\b/i, "fixed"],
  [/\banew\b/i, "again"],
  [/\b(lies?|lying|stands?|standing) (apart|together|beside|one after|next)\b/i, "strided, contiguous, adjacent"],
  [/\bbeside\b/i, "next to, with, compared with"],
  [/\bwhose it is\b/i, "the buffer it belongs to"],
  [/\bhow many it were\b/i, "the number of"],
  [/\bturned over\b/i, "negated, reversed"],
  [/\bthe (short|long) way\b/i, "fast path, fallback"],
  [/\bat hand\b/i, "available"],
  [/\bpulses?\b/i, "forced collection"],
  [/\b(towards|afterwards|outwards)\b/i, "toward, afterward, outward"],
  [/\bexactly (if|when)\b/i, "if and only if"],
  [/(?<!\b(leave|leaves|left|leaving)\b.{0,60})\bbehind\b/i, "after, past, next to; of"],
  [/\bpresent (value|state|call|launch|block|one|version|tensor|learning)\b/i, "current"],
  [/\bwhat (is|are|they|it) refuse[sd]?\b/i, "errors"],
  [/; else\b/i, "; otherwise"],
  [/\bdata sets?\b/i, "dataset"],
  [/\b(tensor|sample)s? without axes\b/i, "0-d tensor, 0-d sample"],
  [/\banother (order|form|shape|dtype|kind|width|color|rank|nesting|radix|size|layout)\b/i, "a different ..."],
  [/\b(exclude|excludes) each other\b/i, "are mutually exclusive"],
  [/\breason of a\b/i, "reason for a"],
  [/\bclass numbers\b/i, "class indices"],
  [/\bnot asked for\b/i, "not requested"],
  [/\bplain records?\b|\blists? (and|or) records?\b/i, "plain object, lists and objects"],
  [
    /, also (of|in|inside|through|writes|with|where|when|during|after|between|for|on)\b|\balso if\b/i,
    "including, even if",
  ],
  [/\bfrom the back\b/i, "from the last axis, from the end"],
  [/\biff\b/i, "if and only if"],
  [/\b(is|are) named twice\b/i, "appears twice"],
  [/[0-9] %(?!\s*[\w(])/, "5%, without a space"],
  [
    /\b(optimi|normali|initiali|recogni|factori|summari|seriali|speciali|generali|minimi|maximi|organi|synchroni|vectori|parenthesi|materiali|paralleli|quanti|regulari|standardi|randomi)s(e|er|ers|es|ed|ing|ation|ations)\b/i,
    "American spelling: -ize",
  ],
  [
    /\b(colour|neighbour|behaviour|favour|licence|centre|metres?\b|catalogue|labelled|modelled|cancelled|analyse)/i,
    "American spelling: color, neighbor, behavior, license, center, meter, catalog, canceled",
  ],
];

const retiredNames: readonly Entry[] = [
  [/^given$/, "options, args, operands"],
  [/^(made|found|told)$/, "result, or the noun of the result"],
  [/^places?$/, "slot, index, address, offset"],
  [/^rooms?$/, "scratch, workspace, folder"],
];

const under = (folder: string): readonly string[] =>
  readdirSync(projectRoot + folder, { recursive: true, encoding: "utf8" })
    .map((path) => `${folder}/${path.replaceAll("\\", "/")}`)
    .filter((path) => !/\/(?:node_modules|out)\//.test(path))
    .sort();

/** Returns a complaint for each entry that matches one of the texts. */
function complaints(texts: readonly string[], entries: readonly Entry[]): readonly string[] {
  return entries.flatMap(([pattern, replacement]) =>
    texts.flatMap((text) => {
      const match = pattern.exec(text);
      if (match === null) return [];
      const around = text.slice(Math.max(0, match.index - 30), match.index + match[0].length + 30);
      return [`"${match[0]}" in "${around}": write ${replacement}`];
    }),
  );
}

/** All documents except the pages that are generated from the comments of ops. */
const documents = [...readdirSync(projectRoot), ...["docs", "examples", "test"].flatMap(under)]
  .filter((path) => path.endsWith(".md") && !path.startsWith("docs/ops/"))
  .sort();

test.each(documents)("%s has no retired words", (path) => {
  const prose = readFileSync(projectRoot + path, "utf8")
    .replaceAll(/^```.*?^```/gms, "")
    .replaceAll(/`[^`\n]*`|\]\([^)]*\)/g, "");
  expect(complaints([prose], retired)).toEqual([]);
});

test.each(["src", "test", "examples", "bench"])("comments and strings in %s have no retired words", (folder) => {
  const paths = under(folder).filter((path) => /\.(ts|mjs)$/.test(path) && !path.endsWith("/words.test.ts"));
  expect(paths.length).toBeGreaterThan(5);
  expect(
    paths.flatMap((path) => complaints(wordsOf(path).texts, retired).map((complaint) => `${path}: ${complaint}`)),
  ).toEqual([]);
});

test("no title of a test starts with a relative clause", () => {
  const paths = [...under("src"), ...under("test")].filter((path) => path.endsWith(".test.ts"));
  const titles: readonly Entry[] = [
    [/^what /, 'the subject: "invalid shapes throw", not "what does not fit is refused"'],
  ];
  expect(paths.length).toBeGreaterThan(300);
  expect(
    paths.flatMap((path) => complaints(wordsOf(path).texts, titles).map((complaint) => `${path}: ${complaint}`)),
  ).toEqual([]);
});

test("no comment on a declaration in src starts with a relative clause", () => {
  const paths = under("src").filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"));
  const starts: readonly Entry[] = [
    [/^\*+ ?(what|where|how|which|who|why)\b/i, "a noun phrase, or for a function a verb"],
  ];
  expect(paths.length).toBeGreaterThan(300);
  expect(
    paths.flatMap((path) => complaints(wordsOf(path).texts, starts).map((complaint) => `${path}: ${complaint}`)),
  ).toEqual([]);
});

test.each(["src", "examples", "bench"])("names in %s are not retired words", (folder) => {
  const paths = under(folder).filter((path) => /\.(ts|mjs)$/.test(path));
  expect(
    paths.flatMap((path) => complaints(wordsOf(path).names, retiredNames).map((complaint) => `${path}: ${complaint}`)),
  ).toEqual([]);
});

test("every list can fail", () => {
  const { texts, names } = wordsOf("a.ts", "/** Is left away. */ const [made] = ['x is no dtype', 'remember'];");
  expect(complaints(texts, retired)).toHaveLength(2);
  expect(complaints(names, retiredNames)).toHaveLength(1);
  expect(complaints(["there is no dtype", "is no longer than", "optimize", "placement"], retired)).toEqual([]);
});
