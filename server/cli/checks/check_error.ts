/** Ends a check of a gateway early. */

/** The gateway gave no answer, or one with which a check cannot go on; the message says which. */
export class CheckError extends Error {
  override readonly name = "CheckError";
}

/** Waits for the answer of a gateway, which `call` names. Throws a CheckError where it gives none, or ends in its middle. */
export async function answerOf<T>(call: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CheckError(`${call} had no answer: ${error.message}`, { cause: error });
  }
}
