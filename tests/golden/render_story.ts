/** A story's two sections that are ours, made by the code that makes them in earnest. */

import type { ModelEvent } from "../../server/hub/event.ts";
import type { ModelRequest } from "../../server/hub/request.ts";
import { parseRequest } from "../../server/protocols/responses/inbound_request.ts";
import type { EndpointTraits, RenderedCall } from "../../server/protocols/wire.ts";
import { type ReadBytes, sseSource } from "../../server/stream/sse.ts";
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

/** What becomes of the provider's answer: for now the model events, one a line. */
async function ourAnswer(story: Story, wire: Wire, { request, sizes }: Asked): Promise<string> {
  const { status, kind, body } = story.upstream;
  if (status < 200 || status > 299) return JSON.stringify(wire.parseError(status, body), null, 2);
  const events = kind === "sse"
    ? await streamed(story, wire, { request, sizes })
    : wire.parseAnswer(parsed(body), request);
  return events.map((event) => JSON.stringify(event)).join("\n");
}

async function streamed(story: Story, wire: Wire, { request, sizes }: Asked): Promise<readonly ModelEvent[]> {
  const frames = sseSource(pieces(encoder.encode(story.upstream.body), sizes), {
    maxEventBytes: 1024 * 1024,
  });
  const source = wire.events(request, frames);
  const events: ModelEvent[] = [];
  for (let batch = await source.pull(); batch !== undefined; batch = await source.pull()) {
    events.push(...batch);
  }
  return events;
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
