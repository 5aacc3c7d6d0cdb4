/** Error answers and errors inside a stream, in the dialects of compatible servers (faults U2–U4). */

import { isRecord } from "../../../../shared/util/json.ts";
import type { Failure } from "../../canonical/event.ts";
import { htmlTitleOrText, parseJsonOrText } from "../../common/outbound/error_text.ts";
import { type ErrorReading, toFailure, toProviderError } from "../../common/outbound/failures.ts";
import type { ProviderError } from "../../wire.ts";
import {
  classifyError,
  findAccountError,
  type ProviderErrorFields,
} from "../../common/outbound/error_kind.ts";

/** Parses an error answer. `body` is its text, JSON or not. */
export const parseError = (status: number, body: string): ProviderError =>
  toProviderError(status, read(status, readError(parseJsonOrText(body))));

/** Parses an error inside a stream or inside a 200: its `error` value, or the frame's data. */
export function parseFailure(error: unknown): Failure {
  const details = readError(typeof error === "string" ? parseJsonOrText(error) : error);
  return toFailure(read(details.status, details));
}

const read = (status: number | undefined, details: ProviderErrorFields): ErrorReading => ({
  ...classifyError(status, details),
  account: findAccountError(status, details),
  message: details.message,
  code: details.code ?? details.type,
  param: details.param,
});

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
  const reported = Array.isArray(inner) ? readErrorList(inner) : readError(inner);
  return { ...fields(body), ...reported };
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
