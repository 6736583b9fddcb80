/** The part of jsdom that the tests use; it has no types. */
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
