/** Error answers and errors inside a stream, in the dialects of compatible servers (faults U2–U4). */

import type { Failure } from "../../../canonical/event.ts";
import { accountSentences, jsonOrText, pageTitle, tidy } from "../../common/outbound/error_text.ts";
import type { UpstreamError } from "../../wire.ts";
import { accountFault, meaningOf, type ToldError } from "../../common/outbound/error_kind.ts";

/** What an error answer says. `body` is its text, JSON or not. */
export function parseError(status: number, body: string): UpstreamError {
  const told = toldError(jsonOrText(body));
  const { kind, endpointSpecific } = meaningOf(status, told);
  return {
    kind,
    message: messageOf(status, told) ?? `The provider answered ${status}.`,
    code: told.code ?? told.type,
    param: told.param,
    endpointSpecific,
  };
}

/** What an error inside a stream or inside a 200 says: its `error` value, or the frame's data. */
export function failureOf(error: unknown): Failure {
  const told = toldError(typeof error === "string" ? jsonOrText(error) : error);
  const { kind } = meaningOf(told.status, told);
  return {
    kind,
    message: messageOf(told.status, told) ?? "The provider failed in the middle of its answer.",
    code: told.code ?? told.type,
  };
}

function messageOf(status: number | undefined, told: ToldError): string | undefined {
  const fault = accountFault(status, told);
  return fault === undefined ? tidy(told.message) : accountSentences[fault];
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * `{error: {…}}`, `{error: "text"}`, `{detail: …}` (FastAPI), `{message}`, `{errors: […]}`, a list of one of
 * them (Google), the error by itself, a page of HTML.
 */
function toldError(body: unknown): ToldError {
  if (typeof body === "string") return { message: pageTitle(body) };
  if (Array.isArray(body)) return toldError(body[0]);
  if (!isRecord(body)) return {};
  const inner = body.error ?? body.detail ?? body.errors;
  if (inner === undefined || inner === null) return fields(body);
  const told = Array.isArray(inner) ? toldList(inner) : toldError(inner);
  return { ...fields(body), ...told };
}

/** FastAPI lists every fault of a request with its place: `[{loc: ["body", "messages"], msg}]`. */
function toldList(list: readonly unknown[]): ToldError {
  const [first] = list;
  if (!isRecord(first) || typeof first.msg !== "string") return toldError(first);
  const place = Array.isArray(first.loc) ? first.loc.filter((step) => step !== "body").join(".") : "";
  return {
    message: place === "" ? first.msg : `${place}: ${first.msg}`,
    ...(place === "" ? {} : { param: place }),
  };
}

function fields({ message, code, type, status, param }: Readonly<Record<string, unknown>>): ToldError {
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
