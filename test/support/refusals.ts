/** The errors of calls, one line each: the name of the error and its message. */
export function refusals(mistakes: readonly (() => unknown)[]): string {
  const messages = mistakes.map((mistake) => {
    try {
      mistake();
    } catch (error) {
      return `${(error as Error).name}: ${(error as Error).message}`;
    }
    return `no error: ${String(mistake)}`;
  });
  return messages.join("\n");
}
