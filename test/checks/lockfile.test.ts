/** Lockfiles name versions and hashes, never the host that a package came from: each user has their own registry. */
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { projectRoot } from "../support/command.ts";

const lockfiles = ["package-lock.json", "bench/package-lock.json", "lab/package-lock.json"].filter((path) =>
  existsSync(projectRoot + path),
);

test.each(lockfiles)("%s records no hosts", (path) => {
  const hosts = readFileSync(projectRoot + path, "utf8").match(/"resolved": *"[a-z+]+:.*/g) ?? [];
  expect(hosts, `${path}: keep omit-lockfile-registry-resolved=true in .npmrc and make the lockfile anew`).toEqual([]);
});
