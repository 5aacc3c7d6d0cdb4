/** Error answers and errors inside a stream: `{type: "error", error: {type, message}}` (faults U2–U4). */

import type { Failure } from "../../../canonical/event.ts";
import {
  accountErrorMessages,
  cleanErrorText,
  htmlTitleOrText,
  parseJsonOrText,
} from "../../common/outbound/error_text.ts";
import type { ProviderError } from "../../wire.ts";
import {
  classifyError,
  findAccountError,
  isEndpointSpecific,
  type MessagesErrorFields,
} from "./error_kind.ts";

/** What an error answer says. `body` is its text, JSON or not. */
export function parseError(status: number, body: string): ProviderError {
  const told = readError(parseJsonOrText(body));
  const kind = classifyError(status, told);
  return {
    kind,
    message: messageOf(status, told) ?? `The provider answered ${status}.`,
    code: told.type,
    param: kind === "invalid_request" ? paramOf(told) : undefined,
    endpointSpecific: isEndpointSpecific(kind, told),
  };
}

/** What an error inside a stream or inside a 200 says: its `error` value, or the frame's data. */
export function parseFailure(error: unknown): Failure {
  const told = readError(typeof error === "string" ? parseJsonOrText(error) : error);
  return {
    kind: classifyError(undefined, told),
    message: messageOf(undefined, told) ?? "Provider call failed in the middle of its response.",
    code: told.type,
  };
}

function messageOf(status: number | undefined, told: MessagesErrorFields): string | undefined {
  const fault = findAccountError(status, told);
  return fault === undefined ? cleanErrorText(told.message) : accountErrorMessages[fault];
}

/** The error object, however deep a proxy has put it; text by itself is a page or a server's plain words. */
function readError(body: unknown): MessagesErrorFields {
  if (typeof body === "string") return { message: htmlTitleOrText(body) };
  if (!isRecord(body)) return {};
  const inner = body.error ?? body.detail;
  if (inner !== undefined && inner !== null) return readError(inner);
  const { type, message } = body;
  return {
    ...(typeof type === "string" ? { type } : {}),
    ...(typeof message === "string" ? { message } : {}),
  };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The provider begins with the place that it blames: `messages.1.content.0.text: Field required`. */
function paramOf({ message = "" }: MessagesErrorFields): string | undefined {
  return /^([a-z_]+(?:\.[\w-]+)*): /.exec(message)?.[1];
}
