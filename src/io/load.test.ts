/** Options of every function that reads or writes files: an unknown one, or a wrong value, is an error with its name, and nothing is read or written. */
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { StridewiseError } from "../base/errors.ts";
import * as io from "./index.ts";
import { copyToTensor } from "./tensor-arrays.ts";

const x = copyToTensor({ dtype: "uint8", shape: [2], order: "C", bytes: Uint8Array.of(1, 2) });
const path = join(tmpdir(), "stridewise-never-written");
const npy = io.encodeNpy(x);
const npz = io.encodeNpz({ x });
const safetensors = io.encodeSafetensors({ x });

/** Of each function the arguments before its options, and the options that it has. */
const functions: Record<string, readonly [args: readonly unknown[], known: readonly string[]]> = {
  loadNpy: [[npy], ["maxBytes", "maxTensors", "signal", "onProgress"]],
  loadNpz: [[npz], ["names", "maxBytes", "maxTensors", "signal", "onProgress"]],
  loadSafetensors: [[safetensors], ["names", "maxBytes", "maxTensors", "signal", "onProgress"]],
  openSafetensors: [[safetensors], ["maxBytes", "maxTensors", "signal", "onProgress"]],
  parseNpy: [[npy], ["maxBytes", "maxTensors"]],
  parseNpySequence: [[npy], ["maxBytes", "maxTensors"]],
  parseNpz: [[npz], ["names", "maxBytes", "maxTensors"]],
  npzNames: [[npz], ["maxBytes", "maxTensors"]],
  parseSafetensors: [[safetensors], ["names", "maxBytes", "maxTensors"]],
  encodeNpy: [[x], ["version"]],
  encodeNpz: [[{ x }], []],
  encodeNpzCompressed: [[{ x }], []],
  saveNpy: [
    [path, x],
    ["version", "signal", "onProgress"],
  ],
  saveNpz: [
    [path, { x }],
    ["compress", "signal", "onProgress"],
  ],
  encodeSafetensors: [[{ x }], ["metadata"]],
  saveSafetensors: [
    [path, { x }],
    ["metadata", "signal", "onProgress"],
  ],
};

/** Functions that have no options. */
const withoutOptions = ["decodeGraph", "encodeGraph", "loadGraph", "saveGraph"];

test("every function is in a list", () => {
  const all = Object.entries(io).filter(([name, value]) => typeof value === "function" && /^[a-z]/.test(name));
  expect(all.map(([name]) => name).sort()).toEqual([...Object.keys(functions), ...withoutOptions].sort());
});

const wrong: Record<string, readonly unknown[]> = {
  names: ["x", [1], new Set(["x"])],
  maxBytes: [-1, 1.5, "1", NaN, 1n],
  maxTensors: [-1, 1.5, null],
  version: [0, 4, "1"],
  compress: [1, "yes"],
  metadata: ["author", ["author"], 3],
  signal: [true, {}, new AbortController()],
  onProgress: [true, {}],
};

describe.each(Object.entries(functions))("%s", (name, [args, known]) => {
  const call = async (options: unknown): Promise<unknown> =>
    (io as unknown as Record<string, (...all: unknown[]) => unknown>)[name]?.(...args, options);
  const refuses = async (options: unknown, message: RegExp | string): Promise<void> => {
    await expect(call(options)).rejects.toThrow(message);
    await expect(call(options)).rejects.toBeInstanceOf(StridewiseError);
    expect(existsSync(path)).toBe(false);
  };
  test("refuses an unknown option, and names those that there are", async () => {
    const list = known.length === 0 ? "It takes no options." : `The options are ${known.join(", ")}.`;
    await refuses({ bogus: 1 }, `${name}: there is no option bogus. ${list}`);
    for (const one of known)
      await refuses({ [`${one}s`]: 1 }, `${name}: there is no option ${one}s. ${list} Did you mean ${one}?`);
  });
  test("throws unless the value is an object", async () => {
    for (const options of [null, "metadata", 3, [1], new Map(), () => 1])
      await refuses(options, `${name}: options must be an object`);
  });
  test("refuses a wrong value", async () => {
    for (const one of known)
      for (const value of wrong[one] as unknown[])
        await refuses({ [one]: value }, new RegExp(`^${name}: ${one} must be `));
  });
  test("takes options that are undefined", async () => {
    if (!name.startsWith("save")) await call(Object.fromEntries(known.map((one) => [one, undefined])));
  });
});

test("text next to metadata is an error with the right form", async () => {
  const text = (known: string): string =>
    `: there is no option author. The options are ${known}. Free text goes into metadata: { metadata: { author: "..." } }.`;
  await expect(io.saveSafetensors(path, { x }, { author: "me" } as never)).rejects.toThrow(
    `saveSafetensors${text("metadata, signal, onProgress")}`,
  );
  expect(() => io.encodeSafetensors({ x }, { author: "me" } as never)).toThrow(`encodeSafetensors${text("metadata")}`);
  const { metadata } = io.parseSafetensors(io.encodeSafetensors({ x }, { metadata: { author: "me" } }));
  expect(metadata.get("author")).toBe("me");
  expect(() => io.encodeNpz({ x }, { compress: true } as never)).toThrow("To compress, call encodeNpzCompressed.");
});

test("a tensor without a name is refused where names are needed", async () => {
  for (const save of [io.saveNpz, io.saveSafetensors])
    await expect(save(path, x as never)).rejects.toThrow(
      `${save.name}: needs tensors by name, such as { weight: x }, got a tensor`,
    );
  for (const encode of [io.encodeNpz, io.encodeSafetensors])
    expect(() => encode(undefined as never)).toThrow(`${encode.name}: needs tensors by name`);
});
