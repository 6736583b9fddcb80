/** The library in a page with and without shared memory: tensors, growth, files, scopes. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Bundle, bundle } from "../support/bundles.ts";
import { isolation } from "../support/chromium.ts";
import { type OpenPage, openPageServer, type PageServer } from "../support/pages.ts";

let server: PageServer;
let built: Bundle;
beforeAll(async () => {
  built = await bundle("esbuild", "test/browser/programs/core.ts", "core");
  server = await openPageServer();
}, 60_000);
afterAll(() => server?.close());

const policy = { "content-security-policy": "script-src 'self' 'wasm-unsafe-eval'" };

describe.each([
  ["isolated", { ...isolation, ...policy }],
  ["ordinary", policy],
])("in an %s page", (kind, headers) => {
  let opened: OpenPage;
  let found: Record<string, unknown>;
  beforeAll(async () => {
    opened = await server.open(built.folder, headers);
    found = await opened.page.evaluate("program.look()");
  });

  test("there are no warnings", () => {
    expect(opened).toMatchObject({ messages: [], errors: [] });
  });

  const shared = kind === "isolated";
  const expected: Readonly<Record<string, readonly [name: string, value: unknown]>> = {
    "memory is shared if and only if the page is isolated": ["shared", shared],
    "the page is what it should be": ["isolated", shared],
    "tensors print": ["text", "tensor([[1., 2., 3.],\n        [4., 5., 6.]])"],
    "a view made before growth reads after it": [
      "reversed",
      [
        [3, 2, 1],
        [6, 5, 4],
      ],
    ],
    "96 MB can be written": ["last", 7],
    ".npy from a Blob": [
      "fromBlob",
      [
        [1, 4],
        [2, 5],
        [3, 6],
      ],
    ],
    ".safetensors from a Response": ["names", ["bias", "weight"]],
    "a scope keeps what leaves it": [
      "kept",
      [
        [1, 2, 3],
        [4, 5, 6],
      ],
    ],
    "a scope ends what stays": ["refused", expect.stringMatching(/DisposedError.*at the end of its scope/)],
    "a path is refused with what to pass instead": ["path", expect.stringMatching(/Blob|Response/)],
  };
  test.each(Object.entries(expected))("%s", (_sentence, [name, value]) => {
    expect(found[name]).toEqual(value);
  });
});
