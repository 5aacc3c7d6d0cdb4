/** What is wrong with a request that no route will see. */

/** Statuses that the server itself answers with. */
export type ProblemStatus = 400 | 408 | 414 | 431 | 500 | 503 | 505;

/** Answered, and the connection closed: where its next request would begin is not known. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly status: ProblemStatus;

  constructor(status: ProblemStatus, message: string) {
    super(message);
    this.status = status;
  }
}

export const malformed = (what: string) => new Problem(400, `The request is not HTTP/1.1: ${what}.`);
