/** The report of the configuration states the workers that did not start. */
import { expect, test, vi } from "vitest";
import { configuration, configure, ones, shutdown } from "../../src/index.ts";

test("the report counts workers that could not start, until the options change", { timeout: 30_000 }, async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  const before = configuration();
  try {
    configure({ threads: 2, workerUrl: "file:///missing/worker.js" });
    const x = ones([1024, 1024]);
    for (let round = 0; round < 200 && warn.mock.calls.length === 0; round++) {
      x.exp().dispose();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(configuration().report[0]).toMatch(/^threads: 2, .*; 1 worker did not start or ended early$/);
    expect(configuration()).toMatchObject({ threads: 2, workerUrl: "file:///missing/worker.js" });
    expect(configure({ workerUrl: undefined }).report[0]).not.toContain("did not start");
  } finally {
    configure(before);
    await shutdown();
    warn.mockRestore();
  }
});
