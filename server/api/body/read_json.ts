/** The request's body as a JSON value, and as the text that it was. */

import type { ClientRequest } from "../../http/http_server/incoming_request.ts";
import { isLongText, nextLongStep } from "../../../shared/util/long_step.ts";
import { checkJsonBody, parseCheckedJson, parseJsonBody } from "./parse_json.ts";
import { readBody, type ReadBodyOptions } from "./read_body.ts";

interface JsonBody {
  readonly text: string;
  readonly value: unknown;
}

/** Throws as {@link readBody} and {@link parseJsonBody} do. Of a long body the next step may be taken at once. */
export async function readJsonBody(request: ClientRequest, options: ReadBodyOptions): Promise<JsonBody> {
  const text = await readBody(request, options);
  if (!isLongText(text.length)) return { text, value: parseJsonBody(text) };
  await nextLongStep();
  checkJsonBody(text);
  await nextLongStep();
  const value = parseCheckedJson(text);
  await nextLongStep();
  return { text, value };
}
