/**
 * The text that an editor shows when the pointer rests on a name. Asks the compiler's language server, as an editor
 * does, about a piece of code that imports the library by its own name.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { projectRoot } from "./command.ts";

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly items?: readonly unknown[] };
  readonly result?: unknown;
}

/** The language server as a function that asks one question after another. */
function connect(server: ChildProcessWithoutNullStreams) {
  const waiting = new Map<number, (result: unknown) => void>();
  let [received, count] = [Buffer.alloc(0), 0];
  const send = (message: object): void => {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  };
  const take = ({ id, method, params, result }: Message): void => {
    if (id === undefined) return;
    if (method === undefined) waiting.get(id)?.(result);
    // The server also requests settings: there are none.
    else send({ id, result: params?.items?.map(() => null) ?? null });
  };
  server.stdout.on("data", (data: Buffer) => {
    received = Buffer.concat([received, data]);
    for (;;) {
      const start = received.indexOf("\r\n\r\n") + 4;
      const [, length] = /Content-Length: (\d+)/i.exec(received.subarray(0, Math.max(0, start)).toString()) ?? [];
      const end = start + Number(length);
      if (length === undefined || received.length < end) return;
      const message = JSON.parse(received.subarray(start, end).toString()) as Message;
      received = received.subarray(end);
      take(message);
    }
  });
  return {
    notify: (method: string, params: unknown): void => send({ method, params }),
    ask: (method: string, params: unknown): Promise<unknown> =>
      new Promise((resolve) => {
        waiting.set(++count, resolve);
        send({ id: count, method, params });
      }),
  };
}

/** The text shown at the name before the mark "|" in each line, without the signature. */
export async function hoverTexts(head: string, lines: readonly string[]): Promise<string[]> {
  const folder = `${projectRoot}out/hover/${process.pid}`;
  mkdirSync(folder, { recursive: true });
  const text = `${head}\n${lines.map((line) => line.replace("|", "")).join("\n")}\n`;
  writeFileSync(`${folder}/code.ts`, text);
  const config = { extends: "../../../tsconfig.json", include: [], files: ["code.ts"] };
  writeFileSync(`${folder}/tsconfig.json`, JSON.stringify(config));
  const server = spawn(process.execPath, ["node_modules/typescript/bin/tsc", "--lsp", "--stdio"], { cwd: projectRoot });
  server.stderr.resume();
  try {
    const { ask, notify } = connect(server);
    const hover = { contentFormat: ["markdown"] };
    const rootUri = pathToFileURL(folder).href;
    await ask("initialize", { processId: process.pid, rootUri, capabilities: { textDocument: { hover } } });
    notify("initialized", {});
    const uri = `${rootUri}/code.ts`;
    notify("textDocument/didOpen", { textDocument: { uri, languageId: "typescript", version: 1, text } });
    const first = head.split("\n").length;
    const shown: string[] = [];
    for (const [k, line] of lines.entries()) {
      const position = { line: first + k, character: line.indexOf("|") - 1 };
      const answer = (await ask("textDocument/hover", { textDocument: { uri }, position })) as {
        contents: { value: string };
      } | null;
      shown.push((answer?.contents.value ?? "").replace(/^```[\s\S]*?\n```\s*/, "").trim());
    }
    await ask("shutdown", null);
    return shown;
  } finally {
    server.kill();
  }
}
