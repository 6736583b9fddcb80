/**
 * The traces of a compiled function, grouped by their sequence of ops: a family is one graph at several sizes. Its graph has symbols in place of
 * the sizes that differ.
 */

import type { InputShape } from "../dims.ts";
import type { Graph } from "../ir.ts";
import { symbolize } from "../symbols.ts";
import { skeletonOf } from "./describe.ts";

/** The maximum number of traces that the expressions of a family are fitted to: the first and the latest ones. */
const maxTraces = 8;

/** One graph at several sizes. */
export class Family {
  readonly skeleton: string;
  readonly #shapes: readonly InputShape[] | null;
  readonly #graphs: Graph[] = [];
  #symbolic: Graph | null = null;

  constructor(skeleton: string, shapes: readonly InputShape[] | null) {
    this.skeleton = skeleton;
    this.#shapes = shapes;
  }

  add(graph: Graph): void {
    if (this.#graphs.length === maxTraces) this.#graphs.splice(maxTraces / 2, 1);
    this.#graphs.push(graph);
    this.#symbolic = null;
  }

  /** The graph with symbolic sizes. */
  get graph(): Graph {
    this.#symbolic ??= symbolize(this.#graphs, this.#shapes);
    return this.#symbolic;
  }
}

/** Adds a trace to its family, a new one if there is none, and returns the family. */
export function familyOf(families: Family[], graph: Graph, shapes: readonly InputShape[] | null): Family {
  const skeleton = skeletonOf(graph);
  let family = families.find((each) => each.skeleton === skeleton);
  if (family === undefined) {
    family = new Family(skeleton, shapes);
    families.push(family);
  }
  family.add(graph);
  return family;
}
