/**
 * Junk in, a named error out: public functions, constructors and tensor methods are called with arguments that no type would allow; which are
 * not, and why, is in `../support/junk-targets.ts`.
 * It may return, or throw an error of this library; it must not throw an engine's own TypeError or RangeError.
 */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { projectRoot } from "../support/command.ts";
import { argumentLists, callWith, drawsFrom } from "../support/junk-calls.ts";
import { entries, junk, targets, valid } from "../support/junk-targets.ts";

test("every entry of the package is listed", () => {
  const { exports } = JSON.parse(readFileSync(`${projectRoot}/package.json`, "utf8")) as { exports: object };
  const programs = ["./worker", "./types/*", "./package.json"];
  expect(Object.keys(exports).filter((name) => !programs.includes(name))).toEqual(Object.keys(entries));
});

test("junk arguments throw named errors", async () => {
  const draw = drawsFrom(20261117);
  const faults: string[] = [];
  for (const target of targets())
    for (const args of argumentLists(junk(), valid(), 2, draw)) {
      const fault = await callWith(target, args);
      if (fault !== null) faults.push(fault);
    }
  expect(faults).toEqual([]);
}, 120_000);
