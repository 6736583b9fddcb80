/**
 * Lockfiles name versions and hashes, never the host of a package: each user has their own registry. They have an entry
 * for every package that they mention, including those for other platforms; without them `npm ci` fails and `npm
 * install` changes the file.
 */
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { projectRoot } from "../support/command.ts";

const lockfiles = ["package-lock.json", "bench/package-lock.json", "lab/package-lock.json"].filter((path) =>
  existsSync(projectRoot + path),
);

interface Entry {
  readonly version?: string;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** The entry that a package at `path` resolves a name to: next to it or in a folder above it. */
function resolve(packages: Readonly<Record<string, Entry>>, path: string, name: string): Entry | undefined {
  const found = packages[`${path === "" ? "" : `${path}/`}node_modules/${name}`];
  if (found !== undefined || path === "") return found;
  return resolve(packages, path.slice(0, Math.max(0, path.lastIndexOf("node_modules/") - 1)), name);
}

test.each(lockfiles)("%s records no hosts", (path) => {
  const hosts = readFileSync(projectRoot + path, "utf8").match(/"resolved": *"[a-z+]+:.*/g) ?? [];
  expect(hosts, `${path}: keep omit-lockfile-registry-resolved=true in .npmrc and create the lockfile again`).toEqual(
    [],
  );
});

test.each(lockfiles)("%s has an entry for every package it mentions, of every platform", (path) => {
  const { packages } = JSON.parse(readFileSync(projectRoot + path, "utf8")) as { packages: Record<string, Entry> };
  const missing: string[] = [];
  let optional = 0;
  for (const [path, { dependencies = {}, optionalDependencies = {} }] of Object.entries(packages)) {
    for (const name of Object.keys(dependencies))
      if (resolve(packages, path, name) === undefined) missing.push(`${path}: ${name}`);
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const entry = resolve(packages, path, name);
      optional++;
      const isExact = /^\d/.test(version);
      if (entry?.optional !== true || (isExact && entry.version !== version))
        missing.push(`${path}: ${name}@${version}`);
      // npm skips a package for another platform by what its entry says.
      else if (isExact && entry.os === undefined && entry.cpu === undefined) missing.push(`${name}: os or cpu`);
    }
  }
  expect(missing, `${path}: add entries with version, os, cpu and optional; npm keeps them`).toEqual([]);
  expect(optional).toBeGreaterThan(10);
});
