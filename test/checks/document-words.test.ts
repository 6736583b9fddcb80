/** The documents use the words of the field: a list of retired words with their replacements, outside of code. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { projectRoot } from "../support/command.ts";

const retired: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/\bway back\b|\bgoing back\b/i, "backward pass"],
  [/\bleft away\b/i, "omitted, optional"],
  [/\btold\b/i, "given, passed, reported"],
  [/\bso many\b/i, "the number of"],
  [/\bkin\b|\b(its|their) like\b/i, "similar ops, related functions"],
  [/\bof one's own\b/i, "user-defined"],
  [/\brooms?\b/i, "folder, scratch buffer, workspace"],
  [/\bstarting values\b/i, "initialization"],
  [/\blearning rates over time\b/i, "learning-rate schedule"],
  [/\brefused? by name\b/i, "throws a named error"],
  [/\bis no (dtype|layout|array|tensor|multiple|such)\b/i, "is not a"],
  [/\bremember(s|ed)?\b/i, "cache, cached"],
  [/\bright where it was not\b/i, "fixed"],
  [
    /\b(optimi|normali|initiali|recogni|factori|summari)s(e|er|ers|es|ed|ing|ation|ations)\b/i,
    "American spelling: -ize",
  ],
  [/\b(colour|neighbour|behaviour|licence)/i, "American spelling: color, neighbor, behavior, license"],
];

const under = (folder: string): readonly string[] =>
  readdirSync(projectRoot + folder, { recursive: true, encoding: "utf8" }).map(
    (path) => `${folder}/${path.replaceAll("\\", "/")}`,
  );

/** All documents except the pages that are generated from the comments of ops. */
const markdown = [...readdirSync(projectRoot), ...["docs", "examples", "test"].flatMap(under)]
  .filter((path) => path.endsWith(".md") && !path.startsWith("docs/ops/"))
  .sort();

test.each(markdown)("%s has no retired words", (path) => {
  const prose = readFileSync(projectRoot + path, "utf8")
    .replaceAll(/^```.*?^```/gms, "")
    .replaceAll(/`[^`\n]*`|\]\([^)]*\)/g, "");
  const found = retired.flatMap(([pattern, replacement]) => {
    const [word] = pattern.exec(prose) ?? [];
    return word === undefined ? [] : [`"${word}": write ${replacement}`];
  });
  expect(found).toEqual([]);
});
