/**
 * Proves on the running machine that a limit holds (promises M1): many requests at once against a key that can
 * pay for a tenth of them, and the books afterwards.
 */

import { isRecord, tryParseJson } from "../../../shared/util/json.ts";
import type { Runtime } from "../../runtime.ts";
import { answerOf, CheckError } from "./check_error.ts";
import { errorMessageOf } from "../parse_reply.ts";

interface OverspendCheckOptions {
  readonly fetch: Runtime["fetch"];
  /** Addresses of the gateways that share the store, without trailing slashes; requests go to each in turn. */
  readonly urls: readonly string[];
  readonly managementKey: string;
  /** How the requests end. */
  readonly kind: OverspendScenario;
  readonly requests: number;
}

/** `disconnects`: every other client leaves in the middle of its stream. */
export type OverspendScenario = "whole" | "streams" | "disconnects";

export interface OverspendResult {
  readonly kind: OverspendScenario;
  readonly requests: number;
  /** Whole answers, refusals of the limit, and everything else by its status. */
  readonly served: number;
  readonly refused: number;
  readonly otherErrors: readonly string[];
  /** USD. */
  readonly limit: number;
  readonly spent: number;
  /** USD of one answer, as the answers told; undefined when none did. */
  readonly each: number | undefined;
  /** USD reserved for one call: as long as so much is not left, the limit cannot take another. */
  readonly costBound: number;
}

/** USD: a hundred answers of about 100 tokens at 1 USD per million. */
const LIMIT = 0.01;
/** The model that is asked: it is built in, and its answers have a price. */
export const CHECKED_MODEL = "local/priced";
/** About 42 tokens in; the model says them back. */
const QUESTION = "Count what is spent. ".repeat(8).trim();

interface SpendSnapshot {
  served: number;
  refused: number;
  readonly others: Map<string, number>;
  each: number | undefined;
}

/** Throws a CheckError where it cannot begin, or its end cannot be counted. Its key is deleted whatever happens. */
export async function checkOverspend(options: OverspendCheckOptions): Promise<OverspendResult> {
  const { requests, kind } = options;
  const { key, hash } = await makeKey(options);
  try {
    const book: SpendSnapshot = { served: 0, refused: 0, others: new Map(), each: undefined };
    const costBound = await costBoundCase(options, key);
    const all = Array.from({ length: requests }, (_, at) => ask(options, { key, at, book }));
    await Promise.all(all);
    const spent = await settledSpend(options, hash);
    const { others, ...counts } = book;
    const otherErrors = [...others].map(([status, count]) => `${count} × ${status}`);
    return { kind, requests, ...counts, otherErrors, limit: LIMIT, spent, costBound };
  } finally {
    await manage(options, { method: "DELETE", path: `/keys/${hash}` });
  }
}

/** Finds the faults of a result; empty when the promise was kept. */
export function overspendFaults(result: OverspendResult): readonly string[] {
  const { spent, limit, each, costBound, served, refused, kind, otherErrors: others } = result;
  const faults: string[] = [];
  if (spent > limit) faults.push(`spent ${spent} USD of ${limit}`);
  if (each === undefined) return [...faults, "no answer told its cost"];
  const fits = Math.floor((limit - costBound) / each) + 1;
  // Clients that left have paid for a part only, so more of them fit.
  if (kind !== "disconnects" && served < Math.floor(fits * 0.95)) {
    faults.push(`served ${served}, of ${fits} that fit`);
  }
  if (refused === 0) faults.push("nobody was refused");
  if (others.length > 0) faults.push(`answered ${others.join(", ")}`);
  return faults;
}

interface ClientResult {
  readonly key: string;
  readonly at: number;
  readonly book: SpendSnapshot;
}

const question = (at: number, stream: boolean) =>
  JSON.stringify({ model: CHECKED_MODEL, input: `${QUESTION} ${at}`, stream, max_output_tokens: 192 });

const headersOf = (key: string) => ({ authorization: `Bearer ${key}`, "content-type": "application/json" });

/** USD that the gateway says it would reserved for the longest of the questions. */
async function costBoundCase(options: OverspendCheckOptions, key: string): Promise<number> {
  const address = `${options.urls[0] ?? ""}/v1/route/explain`;
  const sent = { method: "POST", headers: headersOf(key), body: question(options.requests, false) };
  const text = await answerOf(
    "POST /route/explain",
    options.fetch(address, sent).then((response) => response.text()),
  );
  const explanation = tryParseJson(text);
  const reservation = isRecord(explanation) ? explanation.reservation : undefined;
  if (isRecord(reservation) && typeof reservation.reserved_usd === "number") return reservation.reserved_usd;
  throw new CheckError(`The gateway does not say what a call to ${CHECKED_MODEL} would reserve`);
}

/** One that has no answer is counted as such. */
async function ask(options: OverspendCheckOptions, client: ClientResult): Promise<void> {
  try {
    await answerOf("POST /responses", answered(options, client));
  } catch (error) {
    if (!(error instanceof CheckError)) throw error;
    countOther(client.book, error.message);
  }
}

async function answered(options: OverspendCheckOptions, { key, at, book }: ClientResult): Promise<void> {
  const { urls, kind } = options;
  const stream = kind !== "whole";
  const response = await options.fetch(`${urls[at % urls.length] ?? ""}/v1/responses`, {
    method: "POST",
    headers: headersOf(key),
    body: question(at, stream),
  });
  const { status } = response;
  if (status === 200 && kind === "disconnects" && at % 2 === 1) {
    book.served++;
    return await response.body?.cancel();
  }
  const text = await response.text();
  if (status !== 200 || failed.test(text)) return countRejected(book, { status, text });
  book.served++;
  const cost = /"cost":([\d.e-]+)/.exec(text)?.[1];
  if (cost !== undefined) book.each = Math.max(book.each ?? 0, Number(cost));
}

/** A stream that had to wait has begun with comments: what becomes of it stands in it. */
const failed = /"type":"response\.failed"/;

interface Rejected {
  readonly status: number;
  readonly text: string;
}

function countRejected(book: SpendSnapshot, { status, text }: Rejected): void {
  if (status === 402 || status === 200 && text.includes("payment_required")) {
    book.refused++;
    return;
  }
  countOther(book, `${status} ${/"message":"[^"]*"/.exec(text)?.[0] ?? text.slice(0, 120)}`);
}

function countOther({ others }: SpendSnapshot, name: string): void {
  others.set(name, (others.get(name) ?? 0) + 1);
}

async function makeKey(options: OverspendCheckOptions) {
  const body = { name: "Doctor", limit: LIMIT, self_test: true };
  const made = await manage(options, { method: "POST", path: "/keys", body });
  if (!isRecord(made) || typeof made.key !== "string" || !isRecord(made.data)) {
    throw new CheckError("The gateway made no key");
  }
  return { key: made.key, hash: String(made.data.hash) };
}

/** Calls that were disconnected on settle a moment later, so the sum is read until it stands still. */
async function settledSpend(options: OverspendCheckOptions, hash: string): Promise<number> {
  let last = -1;
  for (let look = 0; look < 50; look++) {
    const found = await manage(options, { method: "GET", path: `/keys/${hash}` });
    const spent = isRecord(found) && isRecord(found.data) ? Number(found.data.usage) : NaN;
    if (spent === last) return spent;
    last = spent;
    await roundTrip(options);
  }
  return last;
}

/** A round trip to every gateway: time for what is under way. */
async function roundTrip({ urls, ...runtime }: OverspendCheckOptions): Promise<void> {
  const one = async (url: string) => await (await runtime.fetch(`${url}/readyz`)).body?.cancel();
  await Promise.all(urls.map((url) => answerOf("GET /readyz", one(url))));
}

interface Managed {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

async function manage(options: OverspendCheckOptions, { method, path, body }: Managed): Promise<unknown> {
  const { urls, managementKey } = options;
  const headers: Record<string, string> = { authorization: `Bearer ${managementKey}` };
  if (body !== undefined) headers["content-type"] = "application/json";
  const sent = { method, headers, body: body === undefined ? undefined : JSON.stringify(body) };
  const called = options.fetch(`${urls[0] ?? ""}/v1${path}`, sent);
  const { ok, status, text } = await answerOf(
    `${method} ${path}`,
    called.then(async (response) => ({
      ok: response.ok,
      status: response.status,
      text: await response.text(),
    })),
  );
  const reply = tryParseJson(text);
  if (ok) return reply;
  const why = errorMessageOf(reply) ?? text.slice(0, 120);
  throw new CheckError(`${method} ${path} was answered ${status} ${why}`);
}
