/**
 * `npm test`: the tests in Node and, where there is a browser, those in pages; `npm run test:browser` leaves out the first. One run, so that
 * its last line counts everything. Without a browser it says so; with CI=true `test/checks/browser.test.ts` fails then.
 */
import { defineConfig } from "vitest/config";
import { browserProjects } from "./test/support/browser-projects.ts";
import { hasChromium, withoutChromium } from "./test/support/chromium.ts";
import inNode from "./vitest.config.ts";

const { projects = [], reporters = [], ...shared } = inNode.test ?? {};
const tellsWhatIsMissing = { onTestRunEnd: () => console.log(withoutChromium) };
if (!hasChromium && process.argv.includes("--project=!node*")) throw new Error(withoutChromium);

export default defineConfig({
  ...inNode,
  test: {
    ...shared,
    reporters: [...[reporters].flat(), ...(hasChromium ? [] : [tellsWhatIsMissing])] as [],
    projects: [...projects, ...(hasChromium ? browserProjects : [])],
  },
});
