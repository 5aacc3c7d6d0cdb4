/** Hang-ups at the level of TCP, at random moments of every kind of call (faults C1). */

import assert from "node:assert/strict";
import { createConnection, type Socket } from "node:net";
import { seeded } from "../fuzz/random.ts";
import { wires } from "../support/scripted.ts";
import { pause, until } from "../support/until.ts";
import { type FaultRig, withFaults } from "./rig.ts";
import { seed } from "../support/seed.ts";

/** Moments at which a client leaves: a call waits for a head, the rest of a body, the next event. */
const moments = [
  { fault: "hang", stream: false },
  { fault: "hang", stream: true },
  { fault: "stall-after-1", stream: false },
  { fault: "stall-after-1", stream: true },
] as const;

/** Bodies that a client sends at each API. */
const apis = {
  responses: { input: "Hi" },
  chat: { messages: [{ role: "user", content: "Hi" }] },
  messages: { messages: [{ role: "user", content: "Hi" }], max_tokens: 100 },
} as const;
type Api = keyof typeof apis;
const paths: { readonly [D in Api]: string } = {
  responses: "/v1/responses",
  chat: "/v1/chat/completions",
  messages: "/v1/messages",
};

interface Call {
  readonly fault: string;
  readonly stream: boolean;
  readonly api: Api;
}

/** The head and the body of a call. */
function callFor({ gateway }: FaultRig, { fault, stream, api }: Call): readonly [string, string] {
  const body = JSON.stringify({ model: `faultd/${fault}`, ...apis[api], stream });
  const head = `POST ${paths[api]} HTTP/1.1\r\nHost: 127.0.0.1:${gateway.port}\r\n` +
    `Authorization: Bearer ${gateway.apiKey}\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${body.length}\r\n\r\n`;
  return [head, body];
}

async function connected({ gateway }: FaultRig): Promise<Socket> {
  const socket = createConnection({ host: "127.0.0.1", port: gateway.port, noDelay: true });
  socket.on("error", () => {
    // The gateway may answer one who has left already.
  });
  await new Promise<void>((resolve) => socket.once("connect", () => resolve()));
  return socket;
}

/** One call whose client leaves by itself after `ms`, on a connection that has carried another one or not. */
async function leaveAfter(rig: FaultRig, how: Call & Way): Promise<void> {
  const socket = await connected(rig);
  let seen = "";
  socket.on("data", (bytes) => seen += String(bytes));
  if (how.kept) {
    socket.write(callFor(rig, { fault: "ok", stream: false, api: "responses" }).join(""));
    await until(() => seen.includes('"status":"completed"'), { what: "the first answer" });
  }
  const [head, body] = callFor(rig, how);
  socket.write(how.split ? head : head + body);
  if (how.split) {
    await pause(2);
    socket.write(body);
  }
  await pause(how.ms);
  const gone = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  if (how.reset) socket.resetAndDestroy();
  else socket.destroy();
  await gone;
}

interface Way {
  readonly reset: boolean;
  readonly kept: boolean;
  /** The body comes in a packet of its own. */
  readonly split: boolean;
  readonly ms: number;
}

const both = [true, false];
const ways = both.flatMap((reset) => both.flatMap((kept) => both.map((split) => ({ reset, kept, split }))));

for (const wire of wires) {
  for (const api of ["responses", "chat", "messages"] as const) {
    Deno.test(`C1 whoever leaves is heard, however he leaves and whatever he waits for (${api}, ${wire})`, async () => {
      const random = seeded(seed);
      await withFaults({ wire }, async (rig) => {
        const calls = moments.flatMap((moment) => ways.map((way) => ({ ...moment, ...way, api })));
        for (let round = 0; round < 3; round++) {
          await Promise.all(calls.map((call) => leaveAfter(rig, { ...call, ms: random.below(120) })));
          const heard = () => rig.faultd.open() === 0;
          await until(heard, { what: `the end of every call (SEED=${seed})` });
        }
      });
    });
  }
}

Deno.test("C1 whoever half-closes is taken to have left, as he is at a platform's door", async () => {
  for (const platform of both) {
    await withFaults({ platform }, async (rig) => {
      for (const stream of both) {
        const socket = await connected(rig);
        socket.write(callFor(rig, { fault: "hang", stream, api: "responses" }).join(""));
        await until(() => rig.faultd.open() === 1);
        socket.end();
        await until(() => rig.faultd.open() === 0, { what: "the end of the call" });
        socket.destroy();
      }
    });
  }
});

Deno.test("C1 a client that asks for more while it waits is heard when it leaves", async () => {
  await withFaults({}, async (rig) => {
    for (const reset of both) {
      const socket = await connected(rig);
      socket.write(callFor(rig, { fault: "hang", stream: false, api: "responses" }).join(""));
      await until(() => rig.faultd.open() === 1);
      for (let more = 0; more < 3; more++) {
        socket.write(callFor(rig, { fault: "ok", stream: false, api: "responses" }).join(""));
        await pause(5);
      }
      if (reset) socket.resetAndDestroy();
      else socket.destroy();
      await until(() => rig.faultd.open() === 0, { what: "the end of the call" });
    }
    assert.equal(rig.faultd.requests.length, 2, "what was asked behind it was not begun");
  });
});
