/** Error of a command, in one sentence for the operator. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}
