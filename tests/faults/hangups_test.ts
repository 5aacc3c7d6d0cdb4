/** Hang-ups at the level of TCP, at random moments of every kind of call (faults C1). */

import { createConnection, type Socket } from "node:net";
import { seeded } from "../fuzz/random.ts";
import { wires } from "../support/scripted.ts";
import { pause, until } from "../support/until.ts";
import { type FaultRig, withFaults } from "./rig.ts";

/** What a call waits for when its client leaves: a head, the rest of a body, the next event. */
const moments = [
  { fault: "hang", stream: false },
  { fault: "hang", stream: true },
  { fault: "stall-after-1", stream: false },
  { fault: "stall-after-1", stream: true },
] as const;

function callFor(
  { gateway }: FaultRig,
  { fault, stream }: { readonly fault: string; readonly stream: boolean },
) {
  const body = JSON.stringify({ model: `faultd/${fault}`, input: "Hi", stream });
  return `POST /v1/responses HTTP/1.1\r\nHost: 127.0.0.1:${gateway.port}\r\n` +
    `Authorization: Bearer ${gateway.apiKey}\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${body.length}\r\n\r\n${body}`;
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
async function leaveAfter(rig: FaultRig, how: typeof moments[number] & Way): Promise<void> {
  const socket = await connected(rig);
  let seen = "";
  socket.on("data", (bytes) => seen += String(bytes));
  if (how.kept) {
    socket.write(callFor(rig, { fault: "ok", stream: false }));
    await until(() => seen.includes('"status":"completed"'), { what: "the first answer" });
  }
  socket.write(callFor(rig, how));
  await pause(how.ms);
  const gone = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  if (how.reset) socket.resetAndDestroy();
  else socket.destroy();
  await gone;
}

interface Way {
  readonly reset: boolean;
  readonly kept: boolean;
  readonly ms: number;
}

for (const wire of wires) {
  Deno.test(`C1 whoever leaves is heard within a second, however he leaves and whatever he waits for (${wire})`, async () => {
    const seed = Number(Deno.env.get("TOLLGATE_SEED") ?? Date.now() % 1e9);
    const random = seeded(seed);
    await withFaults({ wire }, async (rig) => {
      const calls = moments.flatMap((moment) =>
        [true, false].flatMap((reset) => [true, false].map((kept) => ({ ...moment, reset, kept })))
      );
      for (let round = 0; round < 3; round++) {
        await Promise.all(calls.map((call) => leaveAfter(rig, { ...call, ms: random.below(120) })));
        const heard = () => rig.faultd.open() === 0;
        await until(heard, { within: 1_000, what: `the end of every call (TOLLGATE_SEED=${seed})` });
      }
    });
  });
}
