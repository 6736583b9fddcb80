/** Where everything has to be tested there is a browser; elsewhere its tests may be left out, which the run says. */
import { expect, test } from "vitest";
import { hasChromium, withoutChromium } from "../support/chromium.ts";

test("with CI=true there is a browser", () => {
  expect(hasChromium || process.env["CI"] !== "true", withoutChromium).toBe(true);
});
