/**
 * The fault lab: models that go wrong in one way each, for trying out fallbacks. Streamed and whole answers
 * both; on the same wire as the simulated model.
 */

import { NoReply } from "../../http/http_server/protocol_error.ts";
import type { Runtime } from "../../runtime.ts";
import { encodeSseFrame, type SimulatedEvent, streamEvents } from "../simulated_model/stream_events.ts";
import type { SimulatorRequest } from "../simulated_model/parse_request.ts";
import { type SimulatedResponse, simulatedResponseEnd } from "../simulated_model/response_objects.ts";
import { errorResponse, WireError } from "../wire_error.ts";
import { newId } from "../new_id.ts";
import { type BodyStep, sendStep, streamSteps } from "../body_steps.ts";
import type { FaultKind } from "./fault_kinds.ts";

const SOUND_DELTAS = 3;
export const SLOW_MS = 500;
const HUGE_BYTES = 64 * 1024 * 1024;
const HUGE_CHUNK = 64 * 1024;
const TEXT = "This answer comes from the fault lab, and where a fault is wanted it goes wrong on purpose.";

/** Dependencies of the lab besides the request. */
interface LabCall {
  readonly runtime: Runtime;
  /** Aborted when the caller leaves. */
  readonly signal: AbortSignal;
}

export async function faultResponse(
  kind: FaultKind,
  requested: SimulatorRequest,
  { runtime, signal }: LabCall,
): Promise<Response> {
  if (kind === "refuse") throw new NoReply("connection closed on purpose");
  if (kind === "hang") await aborted(signal);
  const error = errorOf(kind);
  if (error !== undefined) return errorResponse(error);
  const now = () => Math.floor(runtime.clock.now() / 1_000);
  const answer = sampleResponse(requested, { runtime, now });
  const steps = requested.stream ? streamed(kind, answer, { now }) : whole(kind, answer, { now });
  const type = requested.stream ? "text/event-stream; charset=utf-8" : "application/json";
  return new Response(streamSteps(steps, runtime.clock), { headers: { "content-type": type } });
}

/** Ends only when the caller leaves. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const leave = () => reject(new NoReply("the caller left"));
    if (signal.aborted) return leave();
    signal.addEventListener("abort", leave, { once: true });
  });
}

function errorOf(kind: FaultKind): WireError | undefined {
  const type = "server_error";
  switch (kind) {
    case "429":
      return new WireError(
        429,
        { message: "Rate limit reached, on purpose.", type: "requests", code: "rate_limit_exceeded" },
        { "retry-after": "2" },
      );
    case "500":
      return new WireError(500, { message: "The server had an error, on purpose.", type, code: null });
    case "503":
      return new WireError(503, {
        message: "The server is unavailable, on purpose.",
        type,
        code: "unavailable",
      });
    case "529":
      return new WireError(529, {
        message: "Overloaded, on purpose.",
        type: "overloaded_error",
        code: "overloaded",
      });
    default:
      return undefined;
  }
}

interface SampleResponse {
  readonly runtime: Runtime;
  readonly now: () => number;
}

function sampleResponse(requested: SimulatorRequest, { runtime, now }: SampleResponse): SimulatedResponse {
  const chunks = (TEXT.match(/\s*\S+/g) ?? []).map((text) => ({ text, tokens: 1 }));
  const item = { type: "text", id: newId("msg", runtime), whole: true, pieces: chunks } as const;
  const speech = { items: [item], outputTokens: chunks.length, reasoningTokens: 0, isComplete: true };
  const id = newId("resp", runtime);
  const plain = { ...requested, include: [], top_logprobs: 0 };
  return { id, request: plain, createdAt: now(), output: speech, inputTokens: 10, images: new Map() };
}

interface Timed {
  readonly now: () => number;
}

function* streamed(kind: FaultKind, answer: SimulatedResponse, { now }: Timed): Generator<BodyStep> {
  let deltas = 0;
  let sequence = 0;
  for (const event of streamEvents(answer, now)) {
    const isDelta = event.type === "response.output_text.delta";
    if (isDelta && kind === "slow") yield { type: "wait", ms: SLOW_MS };
    if (isDelta && deltas++ === SOUND_DELTAS) yield* faultSteps(kind, { json: false });
    yield sendStep(encodeSseFrame(kind === "wrong-usage" ? withWrongUsage(event) : event, sequence++));
  }
}

function* whole(kind: FaultKind, answer: SimulatedResponse, { now }: Timed): Generator<BodyStep> {
  const response = simulatedResponseEnd(answer, now());
  const text = JSON.stringify(kind === "wrong-usage" ? { ...response, usage: impossible } : response);
  const half = Math.floor(text.length / 2);
  if (kind === "slow") yield { type: "wait", ms: SLOW_MS * answer.output.outputTokens };
  if (kind === "huge") yield* faultSteps(kind, { json: true });
  yield sendStep(kind === "huge" ? text.slice(1) : text.slice(0, half));
  if (kind === "stall" || kind === "cut") yield* faultSteps(kind, { json: true });
  if (kind !== "malformed" && kind !== "huge") yield sendStep(text.slice(half));
}

const LEAD_MS = 50;

/** Steps of a body that goes wrong in the middle. */
function* faultSteps(kind: FaultKind, { json }: { readonly json: boolean }): Generator<BodyStep> {
  // What was said before has to be under way, or the fault would be met before the answer began.
  if (!json) yield { type: "wait", ms: LEAD_MS };
  if (kind === "stall") yield { type: "stall" };
  if (kind === "cut") yield { type: "break" };
  const head = 'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":';
  if (kind === "malformed") yield sendStep(`${head}"bro\n\n`);
  if (kind !== "huge") return;
  yield sendStep(json ? '{"padding":"' : `${head}"`);
  const chunk = "x".repeat(HUGE_CHUNK);
  for (let sent = 0; sent < HUGE_BYTES; sent += HUGE_CHUNK) yield sendStep(chunk);
  yield sendStep(json ? '",' : '"}\n\n');
}

const impossible = {
  input_tokens: -5,
  input_tokens_details: { cached_tokens: -1 },
  output_tokens: 1e18,
  output_tokens_details: { reasoning_tokens: 2e18 },
  total_tokens: 3,
};

function withWrongUsage(event: SimulatedEvent): SimulatedEvent {
  if (event.type !== "response.completed" || typeof event.response !== "object") return event;
  return { ...event, response: { ...event.response, usage: impossible } };
}
