/** Text → JSON, with what a parser must be kept from (faults C5). */

import { visit } from "jsonc-parser";
import { ApiError } from "../../../shared/errors.ts";
import { checkJsonLimits } from "./json_limits.ts";

/** The value of a JSON body. Throws an ApiError (400) that says where the text stops being JSON. */
export function parseJsonBody(text: string): unknown {
  checkJsonBody(text);
  return parseCheckedJson(text);
}

/** The first of its two steps, and as long as the other. Throws an ApiError (400). */
export function checkJsonBody(text: string): void {
  if (text === "") throw malformed("body is empty; JSON is expected");
  checkJsonLimits(text);
}

/** The second step. Throws an ApiError (400). */
export function parseCheckedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw malformed(`body is not valid JSON${faultPosition(text, error)}`, error);
  }
}

function malformed(message: string, cause?: unknown): ApiError {
  return new ApiError("invalid_request", message, { metadata: { path: "body" }, cause });
}

/** The engine names the position of most faults, and for the others repeats a chunk of the text instead. */
function faultPosition(text: string, error: unknown): string {
  const named = error instanceof Error ? /at position (\d+)/.exec(error.message)?.[1] : undefined;
  const at = named === undefined ? firstFault(text) : Number(named);
  return at === undefined ? "" : ` at position ${at}`;
}

/** Ends the visit: there is no other way to leave it. */
class Found extends Error {
  override readonly name = "Found";
}

function firstFault(text: string): number | undefined {
  let at: number | undefined;
  const onError = (_code: number, offset: number) => {
    at = offset;
    throw new Found();
  };
  try {
    visit(text, { onError }, { disallowComments: true });
  } catch (error) {
    if (!(error instanceof Found)) throw error;
  }
  return at;
}
