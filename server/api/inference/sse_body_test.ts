import assert from "node:assert/strict";
import { memoryClock, settle } from "../../../tests/support/clock.ts";
import { sseBody } from "./sse_body.ts";

const limits = { heartbeatMs: 10_000, writeStallMs: 60_000 };

function rig(startWithComment = false) {
  const clock = memoryClock();
  const gone: string[] = [];
  const waiting: ((frames: string | undefined) => void)[] = [];
  const body = sseBody({
    clock,
    limits,
    startWithComment,
    next: () => new Promise((resolve) => waiting.push(resolve)),
    onDisconnect: (reason) => gone.push(reason),
  });
  const reader = body.getReader();
  const read = async () => {
    const { value } = await reader.read();
    return value === undefined ? undefined : new TextDecoder().decode(value);
  };
  return {
    clock,
    gone,
    read,
    reader,
    give: (frames: string | undefined) => waiting.shift()?.(frames),
    waiting,
  };
}

Deno.test("sseBody asks for nothing before it is read", async () => {
  const { waiting, read, give } = rig();
  await settle();
  assert.equal(waiting.length, 0);
  const first = read();
  await settle();
  give("data: 1\n\n");
  assert.equal(await first, "data: 1\n\n");
});

Deno.test("S4 sseBody sends a comment whenever 10 s pass in silence, and nothing in between", async () => {
  const { clock, read, give, reader } = rig();
  const first = read();
  await settle();
  await clock.advance(9_999);
  await settle();
  await clock.advance(1);
  assert.equal(await first, ": waiting\n\n");
  const second = read();
  await clock.advance(10_000);
  assert.equal(await second, ": waiting\n\n");
  const third = read();
  await settle();
  give("data: x\n\n");
  assert.equal(await third, "data: x\n\n");
  await reader.cancel();
  assert.equal(clock.open, 0);
});

Deno.test("C2 sseBody gives up on a client that reads nothing for a minute", async () => {
  const { clock, read, give, gone, reader } = rig();
  const first = read();
  await settle();
  give("data: x\n\n");
  await first;
  await clock.advance(60_000);
  await settle();
  assert.deepEqual(gone, ["The client reads nothing."]);
  await assert.rejects(reader.read());
  assert.equal(clock.open, 0);
});

Deno.test("C1 sseBody tells at once that the client has left", async () => {
  const { clock, gone, reader, read } = rig();
  const first = read();
  await settle();
  await reader.cancel();
  await first;
  assert.deepEqual(gone, ["Client disconnected."]);
  assert.equal(clock.open, 0);
});

Deno.test("sseBody starts with a comment when the silence was long enough already, and ends when told", async () => {
  const { clock, read, give } = rig(true);
  assert.equal(await read(), ": waiting\n\n");
  const end = read();
  await settle();
  give(undefined);
  assert.equal(await end, undefined);
  assert.equal(clock.open, 0);
});
