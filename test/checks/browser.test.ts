/** With CI=true there must be a browser; elsewhere its tests may be skipped, which the run reports. */
import { expect, test } from "vitest";
import { hasChromium, withoutChromium } from "../support/chromium.ts";

test("with CI=true there is a browser", () => {
  expect(hasChromium || process.env["CI"] !== "true", withoutChromium).toBe(true);
});
