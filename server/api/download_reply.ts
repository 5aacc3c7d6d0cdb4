/**
 * The content of a file as a reply: whole, one range of it, or the news that the client has it already (RFC 9110,
 * sections 13 and 14). No browser shows it: a stored page must not run on the gateway's origin.
 */

import { ApiError } from "../../shared/errors.ts";
import type { FileDownload } from "../../shared/management/operation.ts";
import { StreamedReply } from "../http/http_server/reply.ts";
import type { HeaderReader } from "../http/http_server/incoming_request.ts";
import type { HttpExchange } from "./http_exchange.ts";

const safe = {
  "content-type": "application/octet-stream",
  "x-content-type-options": "nosniff",
  "content-security-policy": "sandbox",
  "cache-control": "private, no-store",
} as const;

export async function downloadReply(exchange: HttpExchange, file: FileDownload): Promise<Response> {
  const { headers } = exchange.request;
  const { create } = await import("content-disposition");
  const common = { ...safe, "content-disposition": create(file.filename) };
  const { size, sha256 } = file;
  checkIfMatch(headers, sha256);
  if (size === undefined || sha256 === undefined) {
    return new StreamedReply(await file.open(), { status: 200, headers: common, length: size });
  }
  const etag = `"${sha256}"`;
  const known = { ...common, etag, "accept-ranges": "bytes" };
  if (namesTag(headers.get("if-none-match"), etag)) {
    return new Response(null, { status: 304, headers: known });
  }
  // A range is defined for GET alone (RFC 9110, 14.2).
  const range = exchange.request.method === "GET" ? requestedRange(headers, { size, etag }) : undefined;
  if (range === "unsatisfiable") return unsatisfiable(exchange, { size });
  const content = await file.open(range);
  if (range === undefined) return new StreamedReply(content, { status: 200, headers: known, length: size });
  const last = range.offset + range.length - 1;
  const part = { ...known, "content-range": `bytes ${range.offset}-${last}/${size}` };
  return new StreamedReply(content, { status: 206, headers: part, length: range.length });
}

/** Throws an ApiError (412) where `If-Match` names other content; content whose hash is unknown has no tag. */
function checkIfMatch(headers: HeaderReader, sha256: string | undefined): void {
  const list = headers.get("if-match");
  if (list === null || list.trim() === "*") return;
  // Weak tags never match here (RFC 9110, 13.1.1).
  if (sha256 !== undefined && list.split(",").some((one) => one.trim() === `"${sha256}"`)) return;
  throw new ApiError("precondition_failed", "The file has other content than If-Match names.");
}

/** Whether a list of entity tags holds this one; weak ones count as strong (RFC 9110, 13.1.2). */
export function namesTag(list: string | null, etag: string): boolean {
  if (list === null) return false;
  return list.trim() === "*" || list.split(",").some((one) => one.trim().replace(/^W\//, "") === etag);
}

interface RangeInput {
  /** Bytes of the whole. */
  readonly size: number;
  readonly etag: string;
}

interface RequestedRange {
  readonly offset: number;
  readonly length: number;
}

/**
 * The one range that is asked for. Undefined, which means the whole: where none is, several are, the header is
 * malformed, or `If-Range` names other content.
 */
function requestedRange(
  headers: HeaderReader,
  { size, etag }: RangeInput,
): RequestedRange | "unsatisfiable" | undefined {
  const condition = headers.get("if-range");
  if (condition !== null && condition.trim() !== etag) return undefined;
  const [, from, to] = /^bytes=[\t ]*(\d{0,15})-(\d{0,15})[\t ]*$/i.exec(headers.get("range") ?? "") ?? [];
  if (from === undefined || to === undefined || from + to === "") return undefined;
  if (from === "") {
    const length = Math.min(size, Number(to));
    return length === 0 ? "unsatisfiable" : { offset: size - length, length };
  }
  const [first, last] = [Number(from), to === "" ? size - 1 : Math.min(size - 1, Number(to))];
  if (to !== "" && Number(to) < first) return undefined;
  return first >= size ? "unsatisfiable" : { offset: first, length: last - first + 1 };
}

function unsatisfiable(exchange: HttpExchange, { size }: Pick<RangeInput, "size">): Response {
  const error = new ApiError(
    "invalid_request",
    `The file has ${size} bytes, and the range begins behind them.`,
  );
  const body = exchange.renderError(error, { status: 416, requestId: `req_${exchange.id}` });
  return new Response(JSON.stringify(body), {
    status: 416,
    headers: {
      ...safe,
      "content-type": "application/json",
      "accept-ranges": "bytes",
      "content-range": `bytes */${size}`,
    },
  });
}
