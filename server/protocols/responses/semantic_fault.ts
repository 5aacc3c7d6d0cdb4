/** The refusal that a fault of meaning ends in. */

import { Refusal } from "../../../shared/errors.ts";

/** 422; the message begins with the path. */
export function unprocessable(path: string, complaint: string): Refusal {
  return new Refusal("unprocessable", `${path} ${complaint}`, { metadata: { path } });
}
