/** Positions and coordinates against nested loops. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { nonzeroIndices, unravelIndices } from "./nonzero.ts";

test("nonzeroIndices and unravelIndices return the coordinates of set elements, in row-major order", () => {
  const shapes = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 4 });
  fc.assert(
    fc.property(shapes, fc.infiniteStream(fc.boolean()), (shape, bits) => {
      let coords: number[][] = [[]];
      for (const size of shape) coords = coords.flatMap((c) => Array.from({ length: size }, (_, i) => [...c, i]));
      const mask = Uint8Array.from(coords, () => Number(bits.next().value));
      const expected = coords.filter((_, i) => mask[i] === 1);
      const indices = nonzeroIndices(mask);
      expect([...unravelIndices(indices, shape, false)]).toEqual(expected.flat());
      const byAxis = shape.flatMap((_, axis) => expected.map((coord) => coord[axis]));
      expect([...unravelIndices(indices, shape, true)]).toEqual(byAxis);
    }),
    { seed: 1, numRuns: 300 },
  );
});
