/**
 * A storage, and then nothing to do: the process must end by itself at once, since no timer holds it.
 */
import { Storage } from "../../../src/storage/storage.ts";

Storage.allocate(64);
Storage.allocate(2 ** 20);
console.log("done");
