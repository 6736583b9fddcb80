/**
 * PyTorch's names of fields: a capital letter is an underscore and the small letter, `inProjWeight` is `in_proj_weight`. Names that have no
 * capitals, numbers among them, stay.
 */

const known = /* @__PURE__ */ new Map<string, string>();

/** The name that a field has in a state dict. Models ask for the same few names again and again. */
export function stateName(field: string): string {
  let name = known.get(field);
  if (name === undefined) {
    name = field.replace(/(?<=.)[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
    known.set(field, name);
  }
  return name;
}

/** A name under the name of what holds it. */
export const under = (prefix: string, name: string): string => (prefix === "" ? name : `${prefix}.${name}`);
