/**
 * A small checker of XML: tags nest and close, attributes are quoted and unique, text holds no stray markup.
 */

const tag = /<(\/?)([a-zA-Z][\w-]*)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>/y;
const text = /(?:[^<>&]|&(?:amp|lt|gt|quot);)+/y;

/** Throws an error that says where the text stops being XML. */
export function wellFormed(xml: string): void {
  const open: string[] = [];
  let roots = 0;
  let at = 0;
  while (at < xml.length) {
    tag.lastIndex = at;
    text.lastIndex = at;
    const found = tag.exec(xml);
    if (found) {
      const [whole, closing, name = "", attributes = "", empty] = found;
      const names = [...attributes.matchAll(/([\w:-]+)=/g)].map((match) => match[1]);
      if (new Set(names).size < names.length) throw new Error(`an attribute is repeated: ${whole}`);
      if (closing && open.pop() !== name) throw new Error(`</${name}> closes nothing at ${at}`);
      if (!closing && open.length === 0) roots++;
      if (!closing && !empty) open.push(name);
      at += whole.length;
      continue;
    }
    const words = text.exec(xml)?.[0];
    if (words === undefined) throw new Error(`not XML at ${at}: ${xml.slice(at, at + 60)}`);
    if (open.length === 0 && words.trim() !== "") throw new Error(`text outside of the root: ${words}`);
    at += words.length;
  }
  if (open.length > 0 || roots !== 1) throw new Error(`unclosed: ${open.join(", ")}, roots: ${roots}`);
}
