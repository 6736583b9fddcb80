/**
 * The pictures of `src/draw`, if the folder exists; otherwise records of printed layouts are skipped for that reason.
 */
import type { AnyLayout } from "../../src/layout/index.ts";

type Draw = (layout: AnyLayout) => string;

/** Thrown if an expression needs a module that this tree does not have. */
export class MissingError extends Error {}

async function loadDraw(): Promise<Readonly<Record<string, unknown>>> {
  try {
    const path = new URL("../../src/draw/index.ts", import.meta.url).href;
    return (await import(/* @vite-ignore */ path)) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}

const drawModule = await loadDraw();

/** Returns the text of a drawing function of the module. */
export function drawn(name: string, layout: AnyLayout): string {
  const draw = drawModule[name];
  if (typeof draw !== "function") throw new MissingError(`${name} of src/draw`);
  return (draw as Draw)(layout);
}
