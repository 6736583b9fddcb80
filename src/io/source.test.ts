/** Sources: the same bytes from memory, Blobs, responses and paths; and writing that loses nothing when it fails. */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, test, vi } from "vitest";
import { FileError } from "./file-error.ts";
import { type FileInput, openPath, openSource, pathOf, writePath } from "./source.ts";

const folder = mkdtempSync(join(tmpdir(), "stridewise-files-"));
afterAll(() => rmSync(folder, { recursive: true }));
const content = Uint8Array.from({ length: 100 }, (_, i) => i);
const path = join(folder, "a b#%ü.bin");
writeFileSync(path, content);

const shared = new SharedArrayBuffer(100);
new Uint8Array(shared).set(content);
const inputs: Record<string, () => FileInput> = {
  bytes: () => content,
  "a window": () => new Uint8Array([9, ...content, 9]).subarray(1, 101),
  "a buffer": () => content.buffer,
  "shared memory": () => shared,
  "a Blob": () => new Blob([content]),
  "a File": () => new File([content], "x"),
  "a Response": () => new Response(content),
  "a path": () => path,
  "a file URL": () => pathToFileURL(path),
  "a file URL as text": () => pathToFileURL(path).href,
  "a source": () => ({ size: 100, read: (begin, end) => Promise.resolve(content.slice(begin, end)) }),
};

describe.each(Object.entries(inputs))("%s", (_, make) => {
  test("gives its size and its ranges", async () => {
    const source = await openSource("test", make());
    expect(source.size).toBe(100);
    for (const [begin, end] of [
      [0, 0],
      [0, 100],
      [7, 8],
      [90, 100],
    ] as const)
      expect(Array.from(await source.read(begin, end))).toEqual(Array.from(content.slice(begin, end)));
  });
});

test("memory is not copied", async () => {
  expect((await (await openSource("test", content)).read(3, 5)).buffer).toBe(content.buffer);
  expect((await (await openSource("test", shared)).read(3, 5)).buffer).toBe(shared);
});

describe("sources that cannot be read throw with a remedy", () => {
  const used = new Response(content);
  void used.text();
  test.each([
    ["a web address", "https://example.com/x.npy", /is not a path. Fetch it, and pass the Response/],
    ["a web URL", new URL("https://example.com/x.npy"), /is not a path. Fetch it/],
    ["a failed response", new Response("", { status: 404 }), /has status 404, expected 200 to 299\. Check the URL/],
    ["a used response", used, /was read before/],
    ["a missing file", join(folder, "missing"), /missing" cannot be read: ENOENT/],
    ["a folder", folder, /is not a file/],
    ["nothing", null as never, /null is not readable. Pass bytes, a Blob, a Response/],
    ["an object", {} as never, /an object is not readable/],
    ["a stream of Node", { read: () => null, readable: true } as never, /is not readable/],
    ["a promise", Promise.resolve(content) as never, /a promise is not readable. Await it first/],
  ])("%s", async (_, input, message) => {
    const opening = openSource("loadNpy", input);
    await expect(opening).rejects.toThrow(message);
    await expect(opening).rejects.toThrow(/^loadNpy: /);
    await expect(opening).rejects.toBeInstanceOf(FileError);
  });
  test("a path outside of Node", async () => {
    vi.stubGlobal("process", undefined);
    try {
      await expect(openSource("loadNpy", "x.npy")).rejects.toThrow(
        'loadNpy: "x.npy" is a path, but there is no file system here. Pass a Blob (from a file input) or a Response (from fetch).',
      );
    } finally {
      vi.unstubAllGlobals();
    }
  });
});

test("a Node without getBuiltinModule reads too", async () => {
  vi.stubGlobal("process", { versions: { node: "20.0.0" } });
  try {
    expect((await openPath("test", path)).size).toBe(100);
  } finally {
    vi.unstubAllGlobals();
  }
});

test("a file that changes while it is read is refused", async () => {
  const changing = join(folder, "changing");
  writeFileSync(changing, content);
  const source = await openPath("test", changing);
  writeFileSync(changing, content.slice(1));
  await expect(source.read(0, 10)).rejects.toThrow(/was changed while it was read. Read it again/);
});

test("file URLs become paths on every system", () => {
  expect(pathOf("test", "file:///C:/a%20b")).toBe("C:/a b");
  expect(pathOf("test", "file://host/share/x")).toBe("//host/share/x");
  expect(pathOf("test", "/a%20b")).toBe("/a%20b");
  expect(() => pathOf("test", "file:///a%2fb")).toThrow(/has an encoded \//);
});

describe("writing", () => {
  const parts = [content.subarray(0, 30), new Uint8Array(0), new Uint8Array(shared).subarray(30)];

  test("writes the parts over an existing file, with its mode", async () => {
    const target = join(folder, "written");
    await writePath("test", target, [content]);
    chmodSync(target, 0o640);
    await writePath("test", target, parts);
    expect(Array.from(readFileSync(target))).toEqual(Array.from(content));
    expect(statSync(target).mode & 0o777).toBe(0o640);
  });
  test("keeps a link a link", async () => {
    const target = join(folder, "linked");
    writeFileSync(target, "old");
    symlinkSync(target, join(folder, "link"));
    await writePath("test", join(folder, "link"), parts);
    expect(statSync(target).size).toBe(100);
    expect(
      readdirSync(folder, { withFileTypes: true })
        .find(({ name }) => name === "link")
        ?.isSymbolicLink(),
    ).toBe(true);
  });
  test("leaves the old file and nothing else when it fails", async () => {
    const inner = join(folder, "inner");
    mkdirSync(inner);
    const target = join(inner, "kept");
    writeFileSync(target, "old");
    const broken = [content, { length: 5 } as unknown as Uint8Array];
    await expect(writePath("saveNpy", target, broken)).rejects.toThrow(/^saveNpy: ".*" cannot be written: /);
    expect(readFileSync(target, "utf8")).toBe("old");
    expect(readdirSync(inner)).toEqual(["kept"]);
  });
  test("refuses a folder, and a folder that does not exist", async () => {
    await expect(writePath("saveNpy", folder, parts)).rejects.toThrow(/is not a file/);
    await expect(writePath("saveNpy", join(folder, "no", "x"), parts)).rejects.toThrow(
      /cannot be written: its folder does not exist/,
    );
  });
});
