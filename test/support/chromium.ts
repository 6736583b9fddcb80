/**
 * The browser for tests: Debian's `chromium`, or the program named by CHROMIUM. Nothing is downloaded; each launch has
 * a fresh profile. Without a browser its tests are skipped; `test/checks/browser.test.ts` reports that, and fails if
 * CI=true.
 */
import { existsSync } from "node:fs";

const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/** True if and only if there is a browser. */
export const hasChromium: boolean = existsSync(executablePath);

/** The launch options of the browser. */
export const launchOptions = {
  executablePath,
  args: [
    "--headless",
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
};

/** The headers of a page that may share memory. */
export const isolation: Readonly<Record<string, string>> = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
};

/** The note printed if there is no browser. */
export const withoutChromium = `browser tests skipped: no chromium at ${executablePath} (Debian's package chromium, or CHROMIUM=path)`;
