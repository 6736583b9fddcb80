/**
 * Objects that consoles of Node print as their `toString()`. The name of that method is computed, so a bundler keeps every class that has it;
 * subclasses of this one are dropped if they are not used.
 */
export class Printed {
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.toString();
  }
}
