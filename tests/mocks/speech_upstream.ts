/**
 * A mock of a provider that speaks: refuses what is not published, and answers in its own form in uneven chunks.
 */

import { isObject } from "./published.ts";
import { type SpeechProviderId, type SpeechRequested, speechRules } from "./speech_rules.ts";
import { samplesFor, type SpeechAnswer, speechWires } from "./speech_wire.ts";

/**
 * Faults of an answer: a status; `cut`: the connection breaks in the middle; `short`: the body ends before its last
 * word, as if it were whole; `broken`: an error inside of the stream; `page`: a page with a status of 200.
 */
export type SpeechFault =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  | "cut"
  | "short"
  | "broken"
  | "page";

export interface SpeechMock extends AsyncDisposable {
  readonly url: string;
  readonly requested: readonly SpeechRequested[];
  /** Complaints about requests that were refused. */
  readonly complaints: readonly string[];
}

export interface SpeechMockOptions {
  readonly fault?: SpeechFault;
  /** Number of the request from which on the fault holds, counted from 0. */
  readonly from?: number;
}

export function startSpeechMock(
  id: SpeechProviderId,
  { fault, from = 0 }: SpeechMockOptions = {},
): SpeechMock {
  const requested: SpeechRequested[] = [];
  const complaints: string[] = [];
  const wire = speechWires[id];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    const one = await readRequested(request);
    requested.push(one);
    const wrong = requested.length > from ? fault : undefined;
    if (typeof wrong === "object") {
      return new Response(wire.error(wrong.status, `Sorry: ${wrong.status}`), wrong);
    }
    const complaint = speechRules[id](one);
    if (complaint !== undefined) {
      complaints.push(complaint);
      return new Response(wire.error(400, complaint), { status: 400 });
    }
    if (wrong === "page") {
      return new Response("<html><title>Down for repairs</title></html>", {
        headers: { "content-type": "text/html" },
      });
    }
    const answer = await wire.answer(one, samplesFor(one, wire));
    return answered(answer, { fault: wrong, broken: wire.broken ?? "" });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/base`,
    requested,
    complaints,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

async function readRequested(request: Request): Promise<SpeechRequested> {
  const { pathname, searchParams } = new URL(request.url);
  const text = await request.text();
  const json = request.headers.get("content-type")?.startsWith("application/json") === true;
  const value: unknown = json ? JSON.parse(text) : {};
  return {
    path: pathname.replace(/^\/base/, ""),
    query: Object.fromEntries(searchParams),
    headers: request.headers,
    body: isObject(value) ? value : {},
    text,
  };
}

interface Failing {
  readonly fault: SpeechFault | undefined;
  readonly broken: string;
}

function answered({ type, headers, body, lastWord }: SpeechAnswer, { fault, broken }: Failing): Response {
  const half = Math.floor(body.length / 2);
  const kept = fault === "short"
    ? lastWord ?? half
    : fault === undefined
    ? body.length
    : frameEnd(body, half);
  const sent = fault === "broken"
    ? new Uint8Array([...body.subarray(0, kept), ...new TextEncoder().encode(broken)])
    : body.subarray(0, kept);
  return new Response(inChunks(sent, fault === "cut"), { headers: { "content-type": type, ...headers } });
}

/** The end of the frame in the middle; the middle itself, where there are no frames. */
function frameEnd(body: Uint8Array, half: number): number {
  const newline = 10;
  for (let at = half; at < body.length; at++) {
    if (body[at] === newline && body[at - 1] === newline) return at + 1;
  }
  return half;
}

const sizes = [1, 7, 1_999, 64, 16_384];

function inChunks(bytes: Uint8Array, cut: boolean): ReadableStream<Uint8Array> {
  let at = 0;
  let turn = 0;
  return new ReadableStream({
    pull: (controller) => {
      const size = sizes[turn++ % sizes.length] ?? 1;
      if (at < bytes.length) controller.enqueue(bytes.slice(at, at += size));
      else if (cut) controller.error(new Error("cut"));
      else controller.close();
    },
  }, { highWaterMark: 0 });
}
