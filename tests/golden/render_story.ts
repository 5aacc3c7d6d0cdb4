/** A story's two sections that are ours, made by the code that makes them in earnest. */

import type { ModelRequest } from "../../server/hub/request.ts";
import { parseRequest } from "../../server/protocols/responses/inbound_request.ts";
import type { RenderContext } from "../../server/protocols/responses/inbound_context.ts";
import { renderAnswer, renderEvents } from "../../server/protocols/responses/inbound_events.ts";
import type { EndpointTraits, RenderedCall } from "../../server/protocols/wire.ts";
import { type ReadBytes, sseSource } from "../../server/stream/sse.ts";
import { run } from "../../server/stream/source.ts";
import { testContext } from "../support/render.ts";
import { endpointTraits } from "../support/requests.ts";
import { jsonOf, type Rendered, type Story } from "./story.ts";
import type { Wire } from "./wires.ts";

const encoder = new TextEncoder();

/** `sizes`: the provider's bytes come in pieces of these sizes, over and over. */
export async function renderStory(
  story: Story,
  wire: Wire,
  { sizes }: { readonly sizes: readonly number[] },
) {
  const { request } = parseRequest(jsonOf(story, "client request"));
  const call = wire.renderRequest(request, traitsOf(story));
  const upstreamRequest = `POST ${call.path}\n${dropped(call)}${JSON.stringify(call.body, null, 2)}`;
  return { upstreamRequest, ourAnswer: await ourAnswer(story, wire, { request, sizes }) } satisfies Rendered;
}

const dropped = ({ dropped }: RenderedCall) => dropped.map((word) => `(dropped: ${word})\n`).join("");

function traitsOf(story: Story): EndpointTraits {
  const changes = jsonOf(story, "endpoint") ?? {};
  return { ...endpointTraits({ safetyIdentifier: "hmac-of-the-end-user" }), ...changes };
}

interface Asked {
  readonly request: ModelRequest;
  readonly sizes: readonly number[];
}

/** What the client gets: the event stream frame by frame, or the whole result; of an error, our words for it. */
async function ourAnswer(story: Story, wire: Wire, { request, sizes }: Asked): Promise<string> {
  const { status, kind, body } = story.upstream;
  if (status < 200 || status > 299) return JSON.stringify(wire.parseError(status, body), null, 2);
  const context = testContext(jsonOf(story, "client request"), { model: () => request.model ?? "" });
  if (kind === "sse") return await streamed(story, { request, sizes, wire, context });
  const events = wire.parseAnswer(parsed(body), request);
  const failure = events.find((event) => event.type === "failure");
  return JSON.stringify(failure ?? renderAnswer(context, events), null, 2);
}

interface Streamed extends Asked {
  readonly wire: Wire;
  readonly context: RenderContext;
}

async function streamed(story: Story, { request, sizes, wire, context }: Streamed): Promise<string> {
  const frames = sseSource(pieces(encoder.encode(story.upstream.body), sizes), {
    maxEventBytes: 1024 * 1024,
  });
  const source = run(renderEvents(context), wire.events(request, frames));
  const told: string[] = [];
  for (let batch = await source.pull(); batch !== undefined; batch = await source.pull()) {
    told.push(...batch.map((event) => `data: ${JSON.stringify(event)}\n`));
  }
  return told.join("\n") + "\ndata: [DONE]\n";
}

function pieces(bytes: Uint8Array, sizes: readonly number[]): ReadBytes {
  let at = 0;
  let turn = 0;
  return () => {
    if (at >= bytes.length) return Promise.resolve(undefined);
    const size = Math.max(1, sizes[turn++ % sizes.length] ?? 1);
    const piece = bytes.subarray(at, at + size);
    at += size;
    return Promise.resolve(piece);
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
