/** Why the model stopped, in Google's words → how the answer ends. */

import { ownValue } from "../../../../shared/util/own_value.ts";
import type { Failure } from "../../canonical/event.ts";
import { cleanErrorText } from "../../common/outbound/error_text.ts";
import type { StreamEnd } from "./parse_state.ts";

const filtered: ReadonlySet<string> = new Set([
  "BLOCKLIST",
  "IMAGE_PROHIBITED_CONTENT",
  "IMAGE_RECITATION",
  "IMAGE_SAFETY",
  "PROHIBITED_CONTENT",
  "RECITATION",
  "SAFETY",
  "SPII",
]);

/** `CONTINUATION`: there is more, for everyone who asks again with a token; nobody does. */
const length: ReadonlySet<string> = new Set(["CONTINUATION", "MAX_TOKENS"]);

/** Undefined while the model goes on. A reason that is none of these says that something went wrong. */
export function parseFinishReason(reason: string, message: string | null | undefined): StreamEnd | undefined {
  if (reason === "" || reason === "FINISH_REASON_UNSPECIFIED") return undefined;
  if (reason === "STOP") return { type: "finish", reason: "stop" };
  if (length.has(reason)) return { type: "finish", reason: "length" };
  if (filtered.has(reason)) return { type: "finish", reason: "content_filter" };
  return { type: "failure", failure: brokeOff(reason, message) };
}

const sentences: Readonly<Record<string, string>> = {
  LANGUAGE: "The model stopped: the provider does not support the language.",
  MALFORMED_FUNCTION_CALL: "The model made a tool call that is not well-formed.",
  NO_IMAGE: "The model made no image although it was asked for one.",
  TOO_MANY_TOOL_CALLS: "The model made too many tool calls in a row.",
  UNEXPECTED_TOOL_CALL: "The model called a tool that it was not offered.",
};

function brokeOff(reason: string, message: string | null | undefined): Failure {
  const received = cleanErrorText(message ?? undefined);
  const sentence = ownValue(sentences, reason) ??
    `The model stopped for a reason of the provider's: ${reason.slice(0, 60)}.`;
  return {
    kind: "upstream_failed",
    message: received === undefined ? sentence : `${sentence} ${received}`,
    code: reason.slice(0, 60).toLowerCase(),
  };
}
