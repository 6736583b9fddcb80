/** Transfers of files report their progress, and stop with the reason of an aborted signal, without leaving a file behind. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { arange } from "stridewise";
import { afterAll, describe, expect, test } from "vitest";
import {
  type ByteSource,
  encodeNpy,
  encodeNpz,
  encodeSafetensors,
  type FileProgress,
  loadNpy,
  loadNpz,
  loadSafetensors,
  openSafetensors,
  saveNpy,
  saveNpz,
  saveSafetensors,
  type TransferOptions,
} from "./index.ts";

const folder = mkdtempSync(join(tmpdir(), "stridewise-watch-"));
afterAll(() => rmSync(folder, { recursive: true }));

const piece = 2 ** 24;
/** Two pieces and a part. */
const x = arange(8_400_000);
const small = arange(1000);

/** Aborts a controller with a reason at the n-th report. */
function stopping(n: number): {
  readonly reason: Error;
  readonly reports: FileProgress[];
  readonly options: TransferOptions;
} {
  const controller = new AbortController();
  const reason = new Error("enough");
  const reports: FileProgress[] = [];
  const onProgress = (progress: FileProgress): void => {
    reports.push(progress);
    if (reports.length === n) controller.abort(reason);
  };
  return { reason, reports, options: { signal: controller.signal, onProgress } };
}

const saves: Record<string, (path: string, options: TransferOptions) => Promise<void>> = {
  saveNpy: (path, options) => saveNpy(path, x, options),
  saveNpz: (path, options) => saveNpz(path, { x }, options),
  // The parts of a small file are pieces too.
  "saveNpz, compressed": (path, options) => saveNpz(path, { small, more: small }, { compress: true, ...options }),
  saveSafetensors: (path, options) => saveSafetensors(path, { x }, options),
};

describe.each(Object.entries(saves))("%s", (name, save) => {
  const path = join(folder, name);

  test("reports each piece of the file", async () => {
    const { reports, options } = stopping(Infinity);
    await save(path, options);
    const { length } = readFileSync(path);
    expect(reports.length).toBeGreaterThanOrEqual(Math.ceil(length / piece));
    expect(reports.at(-1)).toEqual({ done: length, total: length });
    let last = 0;
    for (const { done, total } of reports) {
      expect(total).toBe(length);
      expect(done).toBeGreaterThan(last);
      expect(done - last).toBeLessThanOrEqual(piece);
      last = done;
    }
    rmSync(path);
  });

  test("throws the reason of an aborted signal, and leaves the old file", async () => {
    for (const old of [null, "old"]) {
      if (old !== null) writeFileSync(path, old);
      for (const n of [1, 2]) {
        const { reason, reports, options } = stopping(n);
        await expect(save(path, options)).rejects.toBe(reason);
        expect(reports.length).toBe(n);
        expect(readdirSync(folder)).toEqual(old === null ? [] : [name]);
        if (old !== null) expect(readFileSync(path, "utf8")).toBe(old);
      }
    }
    rmSync(path);
  });

  test("does nothing if the signal is aborted before", async () => {
    await expect(save(path, { signal: AbortSignal.abort("late") })).rejects.toBe("late");
    expect(readdirSync(folder)).toEqual([]);
  });
});

/** The body of a response that arrives in chunks. */
function inChunks(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at === bytes.length) return controller.close();
      const chunk = bytes.subarray(at, at + 10_000_000);
      at += chunk.length;
      controller.enqueue(chunk);
    },
  });
}

const loads: Record<
  string,
  readonly [bytes: Uint8Array<ArrayBuffer>, load: (input: never, options: TransferOptions) => Promise<unknown>]
> = {
  loadNpy: [encodeNpy(x), loadNpy],
  loadNpz: [encodeNpz({ x }), loadNpz],
  loadSafetensors: [encodeSafetensors({ x }), loadSafetensors],
  openSafetensors: [
    encodeSafetensors({ x }),
    async (input, options) => (await openSafetensors(input, options)).readTensor("x"),
  ],
};

describe.each(Object.entries(loads))("%s", (name, [bytes, load]) => {
  const path = join(folder, `${name}.in`);
  const inputs: Record<string, () => unknown> = {
    "a path": () => path,
    "a Blob": () => new Blob([bytes]),
    "a Response": () => new Response(inChunks(bytes), { headers: { "content-length": `${bytes.length}` } }),
    "a source": (): ByteSource => ({ size: bytes.length, read: async (begin, end) => bytes.subarray(begin, end) }),
  };

  test.each(Object.entries(inputs))("reports its progress on %s, and stops with the signal", async (_, make) => {
    writeFileSync(path, bytes);
    const { reports, options } = stopping(Infinity);
    await load(make() as never, options);
    const max = Math.max(...reports.map(({ done }) => done));
    expect(max).toBeGreaterThanOrEqual(x.size * 4);
    expect(reports.at(-1)).toMatchObject({ total: bytes.length });
    expect(reports.length).toBeGreaterThanOrEqual(3);
    const stopped = stopping(2);
    await expect(load(make() as never, stopped.options)).rejects.toBe(stopped.reason);
    expect(stopped.reports.length).toBe(2);
    await expect(load(make() as never, { signal: AbortSignal.abort("late") })).rejects.toBe("late");
    rmSync(path);
  });
});

test("the tensor that is loaded in pieces has the elements of the file", async () => {
  const path = join(folder, "whole.npy");
  await saveNpy(path, x, { onProgress: () => undefined });
  const loaded = await loadNpy(path, { onProgress: () => undefined });
  expect(loaded.sub(x).abs().max().item()).toBe(0);
  rmSync(path);
});

test("an error of onProgress stops a save, and leaves no file", async () => {
  const error = new TypeError("broken");
  const saving = saveNpy(join(folder, "broken.npy"), x, {
    onProgress: () => {
      throw error;
    },
  });
  await expect(saving).rejects.toBe(error);
  expect(readdirSync(folder)).toEqual([]);
});
