/** Codes of Deno's errors which say that this process lacks something. */

const shortages: ReadonlySet<string> = new Set(["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM"]);

/** True where the system has no file descriptor or no memory left for another connection. */
export function isShortage(error: unknown): boolean {
  return error instanceof Error && "code" in error && shortages.has(String(error.code));
}
