/** Results of nested runs: for the model that called the tool, and for the item that the client sees. */

import { cutMiddleBytes } from "../../../../shared/util/text.ts";
import { omitUndefined } from "../../../../shared/util/json.ts";
import type { ApiErrorKind } from "../../../../shared/errors.ts";
import type { JsonObject } from "../../../protocols/canonical/item.ts";
import type { ToolOutcome } from "../tool_definition.ts";

/** Bytes of the text in a result that the model is given: with its signs written out it is a whole result still. */
const MOST = 48 * 1024;

interface RunResult {
  /** Its text, by the name of its field. */
  readonly text: readonly [field: "advice" | "outcome", text: string];
  /** Fields before the text, of result and item. */
  readonly fields: JsonObject;
  /** The model was cut at its limit of tokens. */
  readonly isCut: boolean;
}

export function wholeRun({ text: [field, text], fields, isCut }: RunResult): ToolOutcome {
  const end = isCut ? { stop_reason: "max_tokens" } : {};
  return {
    output: okResult({ ...fields, [field]: text, ...end }, field),
    fields: { ...fields, [field]: text, ...end },
    ...(isCut ? { incomplete: true as const } : {}),
  };
}

/** The result that an item tells; the text in it is cut where it would be too long. */
export function okResult(fields: JsonObject, field: "advice" | "outcome"): string {
  let room = MOST;
  const write = () =>
    JSON.stringify({ status: "ok", ...fields, [field]: cutMiddleBytes(String(fields[field]), room) });
  let result = write();
  for (; Buffer.byteLength(result) > MOST_OF_RESULT && room > 1_024; room /= 2) result = write();
  return result;
}

/** Bytes of the whole result. */
const MOST_OF_RESULT = 60 * 1024;

interface FailedRun {
  readonly error: string;
  /** Anthropic's word for it, of an advisor. */
  readonly code?: AdviceError;
  readonly fields?: JsonObject;
}

export function failedRun({ error, code, fields = {} }: FailedRun): ToolOutcome {
  return {
    output: errorResult({ error, error_code: code }),
    fields: omitUndefined({ ...fields, error, error_code: code }),
    failed: true,
  };
}

export const errorResult = ({ error, error_code }: JsonObject): string =>
  JSON.stringify(omitUndefined({ status: "error", error, error_code }));

/** Codes of Anthropic's advisor. */
export type AdviceError =
  | "max_uses_exceeded"
  | "prompt_too_long"
  | "too_many_requests"
  | "overloaded"
  | "unavailable"
  | "execution_time_exceeded"
  | "model_not_found";

const codes: Readonly<Partial<Record<ApiErrorKind, AdviceError>>> = {
  context_length: "prompt_too_long",
  too_large: "prompt_too_long",
  rate_limited: "too_many_requests",
  overloaded: "overloaded",
  timeout: "execution_time_exceeded",
  upstream_timeout: "execution_time_exceeded",
  not_found: "model_not_found",
};

export const codeOf = (kind: ApiErrorKind): AdviceError => codes[kind] ?? "unavailable";
