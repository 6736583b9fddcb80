/** What the tests use of jsdom, which comes without types. */
declare module "jsdom" {
  export class VirtualConsole {
    on(event: string, listener: (...words: unknown[]) => void): void;
  }
  export class JSDOM {
    static fromFile(
      path: string,
      options: { runScripts: "dangerously"; resources: "usable"; virtualConsole: VirtualConsole },
    ): Promise<JSDOM>;
    readonly window: Window & Record<string, unknown>;
  }
}
