import assert from "node:assert/strict";
import { ask } from "../support/call.ts";
import { asObject } from "../support/event_stream.ts";
import { mockModel, providerAt, startGateway } from "../support/gateway.ts";
import {
  deltaFrame,
  endFrames,
  frame,
  openingFrames,
  type Requested,
  responseObject,
  scripted,
  sse,
} from "../support/scripted.ts";
import { outcomeOf } from "./rig.ts";

const MIB = 1024 * 1024;

interface Call {
  readonly script: (requested: Requested) => Response;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly limits?: Readonly<Record<string, number>>;
}

/** How a streamed answer of a Responses provider ends for the client. */
async function streamed({ script, body = {}, limits = {} }: Call): Promise<string> {
  await using upstream = scripted(script);
  const models = [{ ...mockModel, context_length: 10_000_000 }];
  const providers = [providerAt(upstream.baseUrl, { models })];
  await using gateway = await startGateway({ providers, limits });
  const reply = await ask(gateway, { model: "mock/model", input: "Hi", ...body, stream: true });
  const { status, ended } = await outcomeOf(reply);
  return String(ended ?? status);
}

/** A provider that repeats the request's instructions and tools in its first and last events. */
function echoing({ body }: Requested): Response {
  const { instructions, tools } = body;
  const echo = { instructions, tools };
  const response = responseObject({ status: "in_progress", output: [], ...echo });
  const last = endFrames("responses", "Hi").map((text) => {
    const event = asObject(JSON.parse(text.slice("data: ".length)));
    if (event.type !== "response.completed") return text;
    return frame({ ...event, response: { ...asObject(event.response), ...echo } });
  });
  const opening = openingFrames("responses").slice(2);
  const created = frame({ type: "response.created", response });
  const inProgress = frame({ type: "response.in_progress", response });
  return sse([created, inProgress, ...opening, deltaFrame("responses", "Hi"), ...last]);
}

const paragraph = "All work and no play makes Jack a dull boy. ";

/** A text in deltas of 4 KiB, then the whole text in each of the last events. */
function longAnswer(size: number): Response {
  const chunk = paragraph.repeat(Math.ceil(4096 / paragraph.length));
  const count = Math.ceil(size / chunk.length);
  const deltas = Array.from({ length: count }, () => deltaFrame("responses", chunk));
  return sse([...openingFrames("responses"), ...deltas, ...endFrames("responses", chunk.repeat(count))]);
}

Deno.test("U11 POST /responses streams what a provider echoes of a large request", async () => {
  const instructions = paragraph.repeat(Math.ceil(3 * MIB / paragraph.length));
  assert.equal(await streamed({ script: echoing, body: { instructions } }), "completed");
  const tools = Array.from({ length: 300 }, (_, n) => ({
    type: "function",
    name: `tool_${n}`,
    description: paragraph.repeat(240),
    parameters: { type: "object", properties: {} },
  }));
  assert.equal(await streamed({ script: echoing, body: { tools } }), "completed");
});

Deno.test("U11 POST /responses streams an answer of 4.8 MB whose last events repeat it", async () => {
  assert.equal(await streamed({ script: () => longAnswer(4_800_000) }), "completed");
});

/** A text in one event, as servers send it that make answers whole. */
const largeEvent = (size: number) =>
  sse([
    ...openingFrames("responses"),
    deltaFrame("responses", "x".repeat(size)),
    ...endFrames("responses", "Hi"),
  ]);

Deno.test("U11 POST /responses streams an event that is as large as a whole answer may be", async () => {
  const limits = { answer_bytes: 4 * MIB };
  assert.equal(await streamed({ script: () => largeEvent(3 * MIB), limits }), "completed");
  // Nothing of the answer has come before the event, so the failure is the request's.
  assert.equal(await streamed({ script: () => largeEvent(5 * MIB), limits }), "502");
});

Deno.test("U11 POST /responses bounds an event by answer_bytes whatever was delivered", async () => {
  assert.equal(
    await streamed({ script: () => longAnswer(2 * MIB), limits: { answer_bytes: 3 * MIB } }),
    "failed",
  );
});
