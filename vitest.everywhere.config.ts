/**
 * `npm test`: the tests in Node and, if there is a browser, those in pages; `npm run test:browser` runs only the
 * latter. One run, so that its last line counts everything. Without a browser it prints a note; with CI=true
 * `test/checks/browser.test.ts` then fails.
 */
import { defineConfig } from "vitest/config";
import { browserProjects } from "./test/support/browser-projects.ts";
import { hasChromium, withoutChromium } from "./test/support/chromium.ts";
import inNode from "./vitest.config.ts";

const { projects = [], reporters = [], ...shared } = inNode.test ?? {};
const reportsMissingBrowser = { onTestRunEnd: () => console.log(withoutChromium) };
if (!hasChromium && process.argv.includes("--project=!node*")) throw new Error(withoutChromium);

export default defineConfig({
  ...inNode,
  test: {
    ...shared,
    reporters: [...[reporters].flat(), ...(hasChromium ? [] : [reportsMissingBrowser])] as [],
    projects: [...projects, ...(hasChromium ? browserProjects : [])],
  },
});
