/** Error answers and errors inside a stream: `{type: "error", error: {type, message}}` (faults U2–U4). */

import type { Failure } from "../../../canonical/event.ts";
import { accountSentences, jsonOrText, pageTitle, tidy } from "../../common/outbound/error_text.ts";
import type { UpstreamError } from "../../wire.ts";
import { accountFault, isEndpointSpecific, kindOf, type ToldError } from "./error_kind.ts";

/** What an error answer says. `body` is its text, JSON or not. */
export function parseError(status: number, body: string): UpstreamError {
  const told = toldError(jsonOrText(body));
  const kind = kindOf(status, told);
  return {
    kind,
    message: messageOf(status, told) ?? `The provider answered ${status}.`,
    code: told.type,
    param: kind === "invalid_request" ? paramOf(told) : undefined,
    endpointSpecific: isEndpointSpecific(kind, told),
  };
}

/** What an error inside a stream or inside a 200 says: its `error` value, or the frame's data. */
export function failureOf(error: unknown): Failure {
  const told = toldError(typeof error === "string" ? jsonOrText(error) : error);
  return {
    kind: kindOf(undefined, told),
    message: messageOf(undefined, told) ?? "The provider failed in the middle of its answer.",
    code: told.type,
  };
}

function messageOf(status: number | undefined, told: ToldError): string | undefined {
  const fault = accountFault(status, told);
  return fault === undefined ? tidy(told.message) : accountSentences[fault];
}

/** The error object, however deep a proxy has put it; text by itself is a page or a server's plain words. */
function toldError(body: unknown): ToldError {
  if (typeof body === "string") return { message: pageTitle(body) };
  if (!isRecord(body)) return {};
  const inner = body.error ?? body.detail;
  if (inner !== undefined && inner !== null) return toldError(inner);
  const { type, message } = body;
  return {
    ...(typeof type === "string" ? { type } : {}),
    ...(typeof message === "string" ? { message } : {}),
  };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The provider begins with the place that it blames: `messages.1.content.0.text: Field required`. */
function paramOf({ message = "" }: ToldError): string | undefined {
  return /^([a-z_]+(?:\.[\w-]+)*): /.exec(message)?.[1];
}
