/** Error answers and errors inside a stream, in the dialects of compatible servers (faults U2–U4). */

import { isRecord } from "../../../../shared/util/json.ts";
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
  type ProviderErrorFields,
} from "../../common/outbound/error_kind.ts";

/** What an error answer says. `body` is its text, JSON or not. */
export function parseError(status: number, body: string): ProviderError {
  const told = readError(parseJsonOrText(body));
  const { kind, endpointSpecific } = classifyError(status, told);
  return {
    kind,
    message: messageOf(status, told) ?? `The provider answered ${status}.`,
    code: told.code ?? told.type,
    param: told.param,
    endpointSpecific,
  };
}

/** What an error inside a stream or inside a 200 says: its `error` value, or the frame's data. */
export function parseFailure(error: unknown): Failure {
  const told = readError(typeof error === "string" ? parseJsonOrText(error) : error);
  const { kind } = classifyError(told.status, told);
  return {
    kind,
    message: messageOf(told.status, told) ?? "Provider call failed in the middle of its response.",
    code: told.code ?? told.type,
  };
}

function messageOf(status: number | undefined, told: ProviderErrorFields): string | undefined {
  const fault = findAccountError(status, told);
  return fault === undefined ? cleanErrorText(told.message) : accountErrorMessages[fault];
}

/**
 * `{error: {…}}`, `{error: "text"}`, `{detail: …}` (FastAPI), `{message}`, `{errors: […]}`, a list of one of
 * them (Google), the error by itself, a page of HTML.
 */
function readError(body: unknown): ProviderErrorFields {
  if (typeof body === "string") return { message: htmlTitleOrText(body) };
  if (Array.isArray(body)) return readError(body[0]);
  if (!isRecord(body)) return {};
  const inner = body.error ?? body.detail ?? body.errors;
  if (inner === undefined || inner === null) return fields(body);
  const told = Array.isArray(inner) ? readErrorList(inner) : readError(inner);
  return { ...fields(body), ...told };
}

/** FastAPI lists every fault of a request with its place: `[{loc: ["body", "messages"], msg}]`. */
function readErrorList(list: readonly unknown[]): ProviderErrorFields {
  const [first] = list;
  if (!isRecord(first) || typeof first.msg !== "string") return readError(first);
  const place = Array.isArray(first.loc) ? first.loc.filter((step) => step !== "body").join(".") : "";
  return {
    message: place === "" ? first.msg : `${place}: ${first.msg}`,
    ...(place === "" ? {} : { param: place }),
  };
}

function fields(
  { message, code, type, status, param }: Readonly<Record<string, unknown>>,
): ProviderErrorFields {
  const number = [code, status].find((value) => typeof value === "number");
  return {
    ...text("message", message),
    ...text("code", typeof code === "number" ? undefined : code),
    ...text("type", type ?? (typeof status === "string" ? status : undefined)),
    ...text("param", param),
    ...(typeof number === "number" && number >= 400 && number < 600 ? { status: number } : {}),
  };
}

const text = (key: string, value: unknown): Readonly<Record<string, string>> =>
  typeof value === "string" && value !== "" ? { [key]: value } : {};
