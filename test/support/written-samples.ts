/** The samples of ops that are written above them, `@example softmin(tensor([1, 2]), 0)`. Needs Node; pages receive them from there. */
import { readdirSync, readFileSync } from "node:fs";
import { projectRoot } from "./command.ts";

/** Returns the samples above all ops, by name. */
export function writtenSamples(): Record<string, string[]> {
  const byName: Record<string, string[]> = {};
  for (const path of readdirSync(`${projectRoot}src/ops`, { recursive: true, encoding: "utf8" })) {
    if (!path.endsWith(".ts")) continue;
    for (const [, name = "", sample = ""] of readFileSync(`${projectRoot}src/ops/${path}`, "utf8").matchAll(
      /@example ([\w.]+)\((.*)\)/g,
    ))
      byName[name] = [...(byName[name] ?? []), sample];
  }
  return byName;
}
