/** Text → JSON, with what a parser must be kept from (faults C5). */

import { Refusal } from "../../shared/errors.ts";

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Refusal("invalid_request", "The body is not JSON.", { cause: error });
  }
}
