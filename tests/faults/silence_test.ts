/** Silence that is no fault: comments for the client (promises S4), comments of the provider (faults U8). */

import assert from "node:assert/strict";
import { ask } from "../support/call.ts";
import { type FakeClock, fakeClock, turns } from "../support/clock.ts";
import { checkStream, parseStream, streamedText } from "../support/event_stream.ts";
import { type Gateway, providerAt, startGateway } from "../support/gateway.ts";
import {
  deltaFrame,
  endFrames,
  openingFrames,
  type Scripted,
  scripted,
  type Wire,
  wires,
} from "../support/scripted.ts";
import { until } from "../support/until.ts";

/** A provider's stream whose every chunk the test sends. */
interface Reported {
  readonly response: Response;
  readonly tell: (...frames: readonly string[]) => void;
  readonly end: () => void;
}

function silentStream(): Reported {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const gone = () => {
    // The gateway has disconnected; what it does not read is of no interest.
  };
  return {
    response: new Response(readable, { headers: { "content-type": "text/event-stream" } }),
    tell: (...frames) => void writer.write(new TextEncoder().encode(frames.join(""))).catch(gone),
    end: () => void writer.close().catch(gone),
  };
}

/** Reads what the client has been sent so far. */
function reader(response: Response): { readonly seen: () => string; readonly over: Promise<void> } {
  let seen = "";
  const read = async () => {
    const decoder = new TextDecoder();
    for await (const bytes of response.body ?? []) seen += decoder.decode(bytes, { stream: true });
  };
  return { seen: () => seen, over: read() };
}

interface Rig {
  readonly clock: FakeClock;
  readonly provider: Reported;
  readonly upstream: Scripted;
  readonly gateway: Gateway;
}

async function withReported(wire: Wire, test: (rig: Rig) => Promise<void>): Promise<void> {
  const clock = fakeClock();
  const provider = silentStream();
  await using upstream = scripted(() => provider.response);
  await using gateway = await startGateway({ clock, providers: [providerAt(upstream.baseUrl, { wire })] });
  await test({ clock, provider, upstream, gateway });
}

const body = { model: "mock/model", input: "Hi", stream: true };
const commentsIn = (text: string) => text.split("\n\n").filter((block) => block.startsWith(":")).length;

for (const wire of wires) {
  Deno.test(`S4 sseBody sends a comment whenever ten seconds pass in silence (${wire})`, () =>
    withReported(wire, async ({ clock, provider, gateway }) => {
      const requested = ask(gateway, body);
      provider.tell(...openingFrames(wire), deltaFrame(wire, "One"));
      const client = reader(await requested);
      await until(() => client.seen().includes("One"));
      assert.equal(commentsIn(client.seen()), 0);
      for (let count = 1; count <= 3; count++) {
        await clock.advanceOnce(turns, 10_000);
        await until(() => commentsIn(client.seen()) === count, { what: `comment ${count}` });
      }
      provider.tell(deltaFrame(wire, " two"));
      await clock.advanceOnce(() => client.seen().includes(" two"), 9_000);
      provider.tell(...endFrames(wire, "One two"));
      provider.end();
      await client.over;
      const stream = parseStream(client.seen());
      assert.equal(checkStream(stream).status, "completed");
      assert.equal(streamedText(stream), "One two");
      assert.equal(stream.comments, 3);
    }));

  Deno.test(`U8 the line stays while its provider sends comments (${wire})`, () =>
    withReported(wire, async ({ clock, provider, gateway }) => {
      const requested = ask(gateway, body);
      provider.tell(...openingFrames(wire), deltaFrame(wire, "One"));
      const client = reader(await requested);
      await until(() => client.seen().includes("One"));
      for (let round = 0; round < 8; round++) {
        await clock.advanceOnce(turns, 60_000);
        provider.tell(": still here\n\n");
      }
      provider.tell(...endFrames(wire, "One"));
      provider.end();
      await client.over;
      assert.equal(checkStream(parseStream(client.seen())).status, "completed");
    }));

  Deno.test(`U6 the line stays while its provider sends comments before it answers (${wire})`, () =>
    withReported(wire, async ({ clock, provider, upstream, gateway }) => {
      const requested = ask(gateway, body);
      await until(() => upstream.requested.length === 1);
      provider.tell(": queued\n\n");
      await clock.advanceOnce(turns, 10_000);
      const client = reader(await requested);
      await clock.advanceOnce(turns, 100_000);
      provider.tell(...openingFrames(wire), deltaFrame(wire, "One"), ...endFrames(wire, "One"));
      provider.end();
      await client.over;
      const stream = parseStream(client.seen());
      assert.equal(checkStream(stream).status, "completed");
      assert(stream.comments >= 2);
    }));
}
