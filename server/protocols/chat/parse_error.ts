/** Error answers and errors inside a stream, in the dialects of compatible servers (faults U2–U4). */

import type { Failure } from "../../hub/event.ts";
import type { UpstreamError } from "../wire.ts";
import { type AccountFault, accountFault, meaningOf, type ToldError } from "./error_kind.ts";

const MESSAGE_CHARS = 300;

/** What an error answer says. `body` is its text, JSON or not. */
export function parseError(status: number, body: string): UpstreamError {
  const told = toldError(parsed(body));
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
  const told = toldError(typeof error === "string" ? parsed(error) : error);
  const { kind } = meaningOf(told.status, told);
  return {
    kind,
    message: messageOf(told.status, told) ?? "The provider failed in the middle of its answer.",
    code: told.code ?? told.type,
  };
}

/** Our account at the provider is not the caller's business, and its messages quote keys: they are not passed on. */
const ours: Readonly<Record<AccountFault, string>> = {
  credentials: "The provider did not accept the gateway's credentials.",
  funds: "The gateway's account at the provider cannot pay for the request.",
  access: "The provider denied the gateway access to the model.",
};

function messageOf(status: number | undefined, told: ToldError): string | undefined {
  const fault = accountFault(status, told);
  return fault === undefined ? tidy(told.message) : ours[fault];
}

/** Text that is not JSON stands for itself: a proxy's page, a server's plain words. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    if (error instanceof SyntaxError) return body;
    throw error;
  }
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

/** Of a page its title; of other text all of it. */
function pageTitle(body: string): string {
  if (!/^\s*</.test(body)) return body;
  return /<title[^>]*>([^<]*)<\/title>/i.exec(body)?.[1] ?? "";
}

/** On one line and not too long; undefined when nothing is left. */
function tidy(message = ""): string | undefined {
  const line = message.replace(/\s+/g, " ").trim();
  return line === "" ? undefined : line.slice(0, MESSAGE_CHARS);
}
