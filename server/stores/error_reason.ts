/** What something that was thrown says, on one line. */
export function errorReason(thrown: unknown): string {
  return (thrown instanceof Error ? thrown.message : String(thrown)).replaceAll(/\s+/g, " ");
}
