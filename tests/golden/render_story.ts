/** A story's sections that are ours, made by the code that makes them in earnest. */

import type { ModelEvent } from "../../server/protocols/canonical/event.ts";
import type { ModelRequest } from "../../server/protocols/canonical/request.ts";
import type { EndpointTraits, RenderedRequest } from "../../server/protocols/wire.ts";
import type { Endpoint } from "../../server/providers/endpoint.ts";
import { markEventOrigin } from "../../server/pipeline/routing/encrypted_reasoning.ts";
import { decodeFrames } from "../../server/pipeline/stages/stream_framing.ts";
import type { Source } from "../../server/protocols/stream/source.ts";
import type { ReadBytes } from "../../server/protocols/stream/sse.ts";
import { eventStreamBytes } from "../support/aws_messages.ts";
import { testEndpoint } from "../support/endpoint.ts";
import { endpointTraits } from "../support/requests.ts";
import { type ApiName, apis } from "./apis.ts";
import { clientOf, jsonOf, type Rendered, type Story } from "./story.ts";
import type { Wire } from "./wires.ts";

const encoder = new TextEncoder();

interface Rendering {
  /** The provider's bytes come in chunks of these sizes, over and over. */
  readonly sizes: readonly number[];
  /** Stands between the provider's events and the client's; by default nothing does. */
  readonly pass?: (events: readonly ModelEvent[]) => readonly ModelEvent[];
}

const asTheyAre = (events: readonly ModelEvent[]) => events;

export async function renderStory(
  story: Story,
  wire: Wire,
  { sizes, pass = asTheyAre }: Rendering,
): Promise<Rendered> {
  const { api, body } = clientOf(story);
  const request = apis[api].parse(body);
  const call = wire.renderRequest(request, traitsOf(story));
  const upstreamRequest = `POST ${call.path}\n${dropped(call)}${JSON.stringify(call.body, null, 2)}`;
  const names: readonly ApiName[] = api === "responses" ? ["responses", "chat", "messages"] : [api];
  const answers: [ApiName, string][] = [];
  for (const name of names) {
    const requested = { request, sizes, pass, api: name, body: name === api ? body : undefined };
    answers.push([name, await ourAnswer(story, wire, requested)]);
  }
  return { upstreamRequest, answers };
}

const dropped = ({ dropped }: RenderedRequest) => dropped.map((word) => `(dropped: ${word})\n`).join("");

function traitsOf(story: Story): EndpointTraits {
  const changes = jsonOf(story, "endpoint") ?? {};
  return { ...endpointTraits({ safetyIdentifier: "hmac-of-the-end-user" }), ...changes };
}

interface Requested extends Required<Rendering> {
  readonly request: ModelRequest;
  readonly api: ApiName;
  /** Body that the client sent, where it came through this API. */
  readonly body: unknown;
}

/**
 * Renders what the client gets: the event stream frame by frame, or the whole answer; of an error, our words for it.
 */
async function ourAnswer(story: Story, wire: Wire, requested: Requested): Promise<string> {
  const { status, kind, body } = story.upstream;
  const api = apis[requested.api];
  if (status < 200 || status > 299) {
    const error = wire.parseError(status, body);
    return requested.api === "responses" ? JSON.stringify(error, null, 2) : api.refusal(error);
  }
  if (kind === "sse" || kind === "event-stream") return await streamed(story, wire, requested);
  const events = wire.parseResponse(parsed(body), requested.request).map((event) =>
    markEventOrigin(event, endpointOf(story, wire))
  );
  const failure = events.find((event) => event.type === "failure");
  if (failure !== undefined && requested.api === "responses") return JSON.stringify(failure, null, 2);
  return api.whole(requested.pass(events), requested.body);
}

async function streamed(story: Story, wire: Wire, requested: Requested): Promise<string> {
  const { request, sizes, pass, api, body } = requested;
  const { kind, body: text } = story.upstream;
  const framing = kind === "event-stream" ? kind : "sse";
  const bytes = kind === "event-stream" ? eventStreamBytes(text) : encoder.encode(text);
  const frames = decodeFrames(framing, chunks(bytes, sizes), { maxEventBytes: 1024 * 1024 });
  const events = marked(wire.events(request, frames), endpointOf(story, wire));
  return await apis[api].stream(passed(events, pass), body);
}

/** The endpoint as routing sees it, which names the origin of reasoning. */
function endpointOf(story: Story, { wire }: Wire): Endpoint {
  const { reasoningReplay, passKeys } = traitsOf(story);
  return testEndpoint({ provider: { wire, quirks: { reasoningReplay, passKeys } } });
}

function marked(events: Source<ModelEvent>, endpoint: Endpoint): Source<ModelEvent> {
  const pull = async () => (await events.pull())?.map((event) => markEventOrigin(event, endpoint));
  return { pull, cancel: (reason) => events.cancel(reason) };
}

function passed(events: Source<ModelEvent>, pass: Requested["pass"]): Source<ModelEvent> {
  const pull = async () => {
    const batch = await events.pull();
    return batch && pass(batch);
  };
  return { pull, cancel: (reason) => events.cancel(reason) };
}

function chunks(bytes: Uint8Array, sizes: readonly number[]): ReadBytes {
  let at = 0;
  let turn = 0;
  return () => {
    if (at >= bytes.length) return Promise.resolve(undefined);
    const size = Math.max(1, sizes[turn++ % sizes.length] ?? 1);
    const chunk = bytes.subarray(at, at + size);
    at += size;
    return Promise.resolve(chunk);
  };
}

/** As the pipeline does it: what is not JSON is the wire's to judge. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Undefined stands for it.
    return undefined;
  }
}
