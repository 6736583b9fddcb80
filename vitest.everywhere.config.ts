/**
 * `npm test`: the tests in Node and, where there is a browser, those in pages; `npm run test:browser` leaves out the first. One run, so that
 * its last line counts everything. Without a browser it says so; with CI=true `test/checks/browser.test.ts` fails then.
 */
import { defineConfig } from "vitest/config";
import { browserProjects } from "./test/support/browser-projects.ts";
import { hasChromium, withoutChromium } from "./test/support/chromium.ts";
import inNode from "./vitest.config.ts";

const { include = [], exclude = [], ...shared } = inNode.test ?? {};
if (!hasChromium) console.log(withoutChromium);

export default defineConfig({
  ...inNode,
  test: {
    ...shared,
    projects: [{ extends: true, test: { name: "node", include, exclude } }, ...(hasChromium ? browserProjects : [])],
  },
});
