/** A setting that is fine by itself and cannot be used with this store. The message names it. */
export class StartError extends Error {
  override readonly name = "StartError";
}
