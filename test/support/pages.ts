/**
 * Pages for tests: a server on the loopback address that serves one folder under several policies, and a browser with a
 * fresh profile. A page records all console messages, so that warnings can be counted.
 */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Browser, chromium, type Page } from "playwright-core";
import { launchOptions } from "./chromium.ts";

/** Response headers of a page. */
export type Headers = Readonly<Record<string, string>>;

/** A page that has loaded the program of a folder. */
export interface OpenPage {
  readonly page: Page;
  /** `type: text` of each message on the console. */
  readonly messages: readonly string[];
  /** Uncaught errors. */
  readonly errors: readonly string[];
}

export interface PageServer {
  /** Opens a page with `program.js` of this folder, as a module or as a script. */
  open(folder: string, headers: Headers, kind?: "module" | "script"): Promise<OpenPage>;
  close(): Promise<void>;
}

interface Site {
  readonly folder: string;
  readonly headers: Headers;
  readonly tag: string;
}

/**
 * The module's exports become the global `program`, like those of a script. A separate file, because a policy forbids
 * inline code.
 */
const loader = `import * as program from "./program.js"; globalThis.program = program;`;

/** Starts the server and the browser. */
export async function openPageServer(): Promise<PageServer> {
  const sites: Site[] = [];
  const server = createServer((request, response) => {
    const [, number = "", ...path] = (request.url ?? "").split("/");
    const site = sites[Number(number)];
    const name = path.join("/");
    const type = name === "" ? "text/html" : "text/javascript";
    try {
      if (site === undefined) throw new Error("no such site");
      const body = name === "" ? site.tag : name === "loader.js" ? loader : readFileSync(site.folder + name);
      response.writeHead(200, { "content-type": type, ...site.headers }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as AddressInfo;
  const browser: Browser = await chromium.launch(launchOptions);
  return {
    async open(folder, headers, kind = "module") {
      const script =
        kind === "module" ? `<script type="module" src="loader.js"></script>` : `<script src="program.js"></script>`;
      const tag = `<!doctype html><title>page</title><link rel="icon" href="data:,">${script}`;
      const number = sites.push({ folder, headers, tag }) - 1;
      const page = await browser.newPage();
      const messages: string[] = [];
      const errors: string[] = [];
      page.on("console", (message) => messages.push(`${message.type()}: ${message.text()}`));
      page.on("pageerror", (error) => errors.push(String(error)));
      await page.goto(`http://localhost:${port}/${number}/`);
      await page.waitForFunction("globalThis.program !== undefined");
      return { page, messages, errors };
    },
    async close() {
      await browser.close();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
