/** What is wrong with a question, in words. */

import { Refusal } from "../../../shared/errors.ts";

export function badQuery(path: string, fault: string): Refusal {
  return new Refusal("invalid_request", `Cannot query analytics: ${fault}`, { metadata: { path } });
}
