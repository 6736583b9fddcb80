/**
 * Environment variables, where there are any. Deno refuses to tell them without --allow-env; then they are as good as not set.
 */

/** The value of an environment variable; undefined if it is not set, is empty, may not be read, or there is no environment. */
export function environmentVariable(name: string): string | undefined {
  try {
    return (globalThis as { process?: { env?: Record<string, string> } }).process?.env?.[name] || undefined;
  } catch {
    return undefined;
  }
}
