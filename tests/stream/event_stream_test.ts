import assert from "node:assert/strict";
import { awsMessage, eventStreamBytes } from "../support/aws_messages.ts";
import { AwsEventStreamError, awsEventStreamSource } from "../../server/protocols/stream/aws_event_stream.ts";
import { SseLimitError } from "../../server/protocols/stream/sse.ts";
import type { SseFrame } from "../../server/protocols/stream/sse.ts";

interface ReadOptions {
  readonly size?: number;
}

async function read(
  bytes: Uint8Array,
  { size = bytes.length }: ReadOptions = {},
): Promise<readonly SseFrame[]> {
  let at = 0;
  const next = () => Promise.resolve(at < bytes.length ? bytes.subarray(at, at += size) : undefined);
  const source = awsEventStreamSource(next, { maxEventBytes: 10_000, maxBytes: 40_000 });
  const frames: SseFrame[] = [];
  for (let batch = await source.pull(); batch !== undefined; batch = await source.pull()) {
    frames.push(...batch);
  }
  return frames;
}

const story =
  'event: messageStart\ndata: {"role":"assistant"}\n\nevent: throttlingException\ndata: {"message":"é 🌍"}\n\n';

Deno.test("awsEventStreamSource reads what AWS's own writer writes, whatever the pieces", async () => {
  const expected = [
    { event: "messageStart", data: '{"role":"assistant"}' },
    { event: "throttlingException", data: '{"message":"é 🌍"}' },
  ];
  const bytes = eventStreamBytes(story);
  for (const size of [1, 3, 7, 64, bytes.length]) assert.deepEqual(await read(bytes, { size }), expected);
});

Deno.test("awsEventStreamSource says nothing of a message that breaks off", async () => {
  assert.equal((await read(eventStreamBytes(story).slice(0, -1))).length, 1);
});

Deno.test("awsEventStreamSource finds every damaged byte", async () => {
  const bytes = awsMessage("metadata", "{}");
  for (let at = 0; at < bytes.length; at++) {
    const damaged = Uint8Array.from(bytes, (byte, place) => place === at ? byte ^ 0x20 : byte);
    await assert.rejects(() => read(damaged), AwsEventStreamError, `byte ${at}`);
  }
});

Deno.test("awsEventStreamSource refuses messages and streams that are too long", async () => {
  await assert.rejects(() => read(awsMessage("metadata", "x".repeat(10_000))), SseLimitError);
  const many = eventStreamBytes("event: metadata\ndata: {}\n\n".repeat(600));
  await assert.rejects(() => read(many, { size: 1_000 }), SseLimitError);
});
