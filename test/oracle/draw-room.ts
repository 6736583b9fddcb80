/**
 * The pictures of `src/draw`, if that room is there: without it, records of printed layouts are skipped by that reason.
 */
import type { AnyLayout } from "../../src/layout/index.ts";

type Draw = (layout: AnyLayout) => string;

/** What an expression needs and this tree does not have. */
export class MissingError extends Error {}

async function openRoom(): Promise<Readonly<Record<string, unknown>>> {
  try {
    const room = new URL("../../src/draw/index.ts", import.meta.url).href;
    return (await import(/* @vite-ignore */ room)) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}

const room = await openRoom();

/** The text that a drawing function of the room gives. */
export function drawn(name: string, layout: AnyLayout): string {
  const draw = room[name];
  if (typeof draw !== "function") throw new MissingError(`${name} of src/draw`);
  return (draw as Draw)(layout);
}
