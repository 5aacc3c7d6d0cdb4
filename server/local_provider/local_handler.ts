/** The built-in provider's HTTP side: `POST /responses`, `/embeddings`, `/audio/speech` and `/moderations`, behind a secret. */

import { Buffer } from "node:buffer";
import { timingSafeEqual } from "node:crypto";
import type * as z from "zod";
import { NoReply } from "../http/http_server/protocol_error.ts";
import type { Runtime } from "../runtime.ts";
import { type ModelDeps, simulateResponse } from "./simulated_model/simulated_model.ts";
import { encodeSseFrame, streamEvents } from "./simulated_model/stream_events.ts";
import { type SimulatorRequest, simulatorRequestSchema } from "./simulated_model/parse_request.ts";
import { type SimulatedResponse, simulatedResponseEnd } from "./simulated_model/response_objects.ts";
import { errorResponse, invalidRequest, parseJsonBody, WireError } from "./wire_error.ts";
import type { LocalRequest } from "./local_request.ts";
import { embed } from "./embedder.ts";
import { moderate } from "./moderator.ts";
import { newId } from "./new_id.ts";
import { createImageRenderer } from "./images/image_renderer.ts";
import { faultKindOf } from "./fault_lab/fault_kinds.ts";
import { faultResponse } from "./fault_lab/fault_responses.ts";
import { type BodyStep, sendStep, streamSteps } from "./body_steps.ts";
import { type SpeechSynthesizer, voicesResponse } from "./voices/speech_synthesizer.ts";

interface HandlerOptions extends Pick<ModelDeps, "tokenizer"> {
  readonly runtime: Runtime;
  readonly faultLab: boolean;
  readonly speaker: SpeechSynthesizer;
  /** The value of the `Authorization` header that is let in. */
  readonly authorization: string;
}

export type LocalHandler = (request: LocalRequest) => Promise<Response>;

/** Rejects with `NoReply` only. */
export function createLocalHandler(options: HandlerOptions): LocalHandler {
  const painter = createImageRenderer(options.runtime);
  return async (request) => {
    try {
      return await respond(request, { ...options, painter });
    } catch (error) {
      if (error instanceof NoReply) throw error;
      if (error instanceof WireError) return errorResponse(error);
      options.runtime.log.error("Local provider failed", { error: String(error).slice(0, 200) });
      const message = "The server had an error while processing your request.";
      return errorResponse(new WireError(500, { message, type: "server_error", code: null }));
    }
  };
}

/** The simulated models' names, with and without the author. */
const simulated: ReadonlySet<string> = new Set(
  ["echo", "image", "priced"].flatMap((name) => [name, `local/${name}`]),
);

async function respond(
  request: LocalRequest,
  { runtime, faultLab, authorization, painter, speaker, tokenizer }: HandlerOptions & ModelDeps,
): Promise<Response> {
  if (!isEqual(request.headers.get("authorization") ?? "", authorization)) throw unauthorized();
  const path = new URL(request.url).pathname;
  if (request.method === "POST" && path === "/audio/speech") return await speaker.speak(request);
  if (request.method === "GET" && path === "/audio/voices") return voicesResponse();
  if (request.method === "POST" && path === "/moderations") return moderate(await request.text(), runtime);
  if (request.method === "POST" && path === "/embeddings") return await embed(await request.text(), runtime);
  if (request.method !== "POST" || path !== "/responses") {
    throw notFound(`Invalid URL (${request.method} ${path})`);
  }
  const requested = parse(await request.text());
  const kind = faultLab ? faultKindOf(requested.model) : undefined;
  if (kind !== undefined) return await faultResponse(kind, requested, { runtime, signal: request.signal });
  if (!simulated.has(requested.model)) {
    throw notFound(`The model '${requested.model}' does not exist.`, "model_not_found");
  }
  return render(await simulateResponse(requested, { runtime, painter, tokenizer }), runtime);
}

function isEqual(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function unauthorized(): WireError {
  const message = "Incorrect API key provided.";
  return new WireError(401, { message, type: "invalid_request_error", code: "invalid_api_key" });
}

function notFound(message: string, code: string | null = null): WireError {
  return new WireError(404, { message, type: "invalid_request_error", code });
}

function parse(text: string): SimulatorRequest {
  const parsed = simulatorRequestSchema.safeParse(parseJsonBody(text));
  if (parsed.success) return parsed.data;
  const { path, message } = deepestIssue(parsed.error.issues);
  const param = path.map((key) => typeof key === "number" ? `[${key}]` : `.${key}`).join("").replace(
    /^\./,
    "",
  );
  throw invalidRequest(`Invalid value for '${param}': ${message}.`, "invalid_type", { param });
}

interface BlamedField {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** The issue that names its place best: unions blame the whole, their branches a part. */
function deepestIssue(issues: readonly z.core.$ZodIssue[]): BlamedField {
  const [issue] = issues;
  if (issue === undefined) return { path: [], message: "wrong shape" };
  const path = issue.path.map((key) => typeof key === "number" ? key : String(key));
  const own: BlamedField = { path, message: issue.message };
  if (issue.code !== "invalid_union") return own;
  const inner = issue.errors.map(deepestIssue).toSorted((a, b) => b.path.length - a.path.length)[0];
  return inner === undefined || inner.path.length === 0 ? own : { ...inner, path: [...path, ...inner.path] };
}

function render(answer: SimulatedResponse, runtime: Runtime): Response {
  const now = () => Math.floor(runtime.clock.now() / 1_000);
  const headers = { "x-request-id": newId("req", runtime), "openai-processing-ms": "1" };
  if (answer.request.stream !== true) return Response.json(simulatedResponseEnd(answer, now()), { headers });
  return new Response(streamSteps(stepsOf(answer, now), runtime.clock), {
    headers: { ...headers, "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" },
  });
}

function* stepsOf(answer: SimulatedResponse, now: () => number): Generator<BodyStep> {
  let sequence = 0;
  for (const event of streamEvents(answer, now)) yield sendStep(encodeSseFrame(event, sequence++));
}
