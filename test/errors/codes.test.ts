/** Each named error has a stable code, and the page of errors lists all of them. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ParseError, ShapeError, StridewiseError } from "../../src/index.ts";
import { projectRoot } from "../support/command.ts";

const names = readdirSync(`${projectRoot}/src`, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts") && !path.startsWith("cli"))
  .flatMap((path) =>
    Array.from(
      readFileSync(`${projectRoot}/src/${path}`, "utf8").matchAll(/override readonly name(?:: string)? = "(\w+)"/g),
      ([, name]) => name,
    ),
  );

const codeOf = (name: string): string => Object.create(StridewiseError.prototype, { name: { value: name } }).code;

test("a code follows from the name of the class", () => {
  expect(new ShapeError("x").code).toBe("ERR_SHAPE");
  expect(new ParseError("x", "text", 0).code).toBe("ERR_PARSE");
  expect(new StridewiseError("x").code).toBe("ERR_STRIDEWISE");
});

test("docs/errors.md lists every named error", () => {
  const page = readFileSync(`${projectRoot}/docs/errors.md`, "utf8");
  const rows = Array.from(page.matchAll(/^\| `(\w+)` \| `(\w+)` \|/gm), ([, code, name]) => [name, code]);
  expect(names.length).toBeGreaterThan(15);
  expect(rows.sort()).toEqual(names.map((name) => [name, codeOf(name)]).sort());
});
