/**
 * For tests of cached calls: small work of a new kernel is otherwise done in steps or by copies, which are not cached.
 */
import { afterAll, beforeAll } from "vitest";
import { copying } from "../../src/kernel/program/lower-copied.ts";
import { stepping } from "../../src/kernel/program/lower-dense.ts";

/** Every kernel of this file is compiled at its first call. */
export function withoutSteps(): void {
  const usual = [copying.elements, stepping.elements] as const;
  beforeAll(() => {
    copying.elements = 0;
    stepping.elements = 0;
  });
  afterAll(() => {
    [copying.elements, stepping.elements] = usual;
  });
}
