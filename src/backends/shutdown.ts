/**
 * Ending what runs beside the program: worker threads. Not needed at the end of a Node program, which they do not keep alive.
 */
import { backendIfOpen } from "../kernel/backend.ts";

/** Ends all worker threads. Work goes on with one thread; large work starts new ones. */
export async function shutdown(): Promise<void> {
  await backendIfOpen()?.shutdown();
}
