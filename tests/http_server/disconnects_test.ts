/** Clients that leave, in every manner and at every moment: whatever was done for them ends within a second. */

import assert from "node:assert/strict";
import { type Random, seeded } from "../fuzz/random.ts";
import { type Bytes, type Line, openResetting } from "../support/raw_client.ts";
import {
  handles,
  type Leaving,
  type Manner,
  manners,
  withLeaving,
} from "../support/disconnecting_clients.ts";
import { pause, until } from "../support/until.ts";
import { seed } from "../support/seed.ts";
import { runs } from "../support/property.ts";

const ways = ["hangs up", "resets", "half-closes"] as const;
type Way = typeof ways[number];

/** One that can leave in any way; reads nothing by default so. */
interface Leaver {
  readonly send: (...chunks: readonly Bytes[]) => Promise<void>;
  /** Waits for so many bytes of an answer. */
  readonly hear: (bytes: number) => Promise<void>;
  readonly leave: () => Promise<void>;
  /** Closes what must be given back in the end. */
  readonly close: () => void;
}

async function leaver({ gateway, open }: Leaving, way: Way): Promise<Leaver> {
  if (way !== "resets") return lineLeaver(await open(), way);
  const client = await openResetting(gateway.port);
  return {
    send: async (...chunks) => {
      for (const [at, chunk] of chunks.entries()) {
        if (at > 0) await pause(1);
        await client.send(chunk);
      }
    },
    hear: (bytes) => until(() => client.received() >= bytes, { what: "an answer" }),
    leave: () => client.reset(),
    close: () => {},
  };
}

function lineLeaver(line: Line, way: Way): Leaver {
  return {
    send: async (...chunks) => void await line.send(...chunks),
    hear: async (bytes) => {
      for (let heard = 0; heard < bytes;) heard += (await line.more())?.length ?? bytes;
    },
    leave: () => way === "half-closes" ? line.halfClose() : Promise.resolve(line.hangUp()),
    close: () => line.hangUp(),
  };
}

interface Preference {
  readonly manner: Manner;
  readonly stream: boolean;
}

/** The forms of a question, in packets. */
const forms: Readonly<Record<string, (rig: Leaving, preference: Preference) => readonly string[]>> = {
  "in one packet": (rig, { manner, stream }) => [rig.ask(manner, { stream })],
  "with its body in a packet of its own": (rig, { manner, stream }) => {
    const { head, body } = rig.parts(manner, { stream });
    return [head, body];
  },
  "with its body's last byte in a packet of its own": (rig, { manner, stream }) => {
    const text = rig.ask(manner, { stream });
    return [text.slice(0, -1), text.slice(-1)];
  },
  "in chunks": (rig, { manner, stream }) => [rig.ask(manner, { stream, chunks: [20] })],
  "in chunks of a packet each": (rig, { manner, stream }) => {
    const { head, body } = rig.parts(manner, { stream, chunks: [20] });
    return [head, ...body.split(/(?<=\r\n)(?=[0-9a-f]+\r\n)/)];
  },
};

for (const way of ways) {
  Deno.test(`who ${way} while the provider is asked ends the call (C1)`, async (t) => {
    await withLeaving(async (rig) => {
      for (const stream of [false, true]) {
        for (const [form, packets] of Object.entries(forms)) {
          await t.step(`${stream ? "streamed" : "whole"}, ${form}`, async () => {
            const { faultd } = rig;
            const [requested, aborted] = [faultd.requests.length, faultd.aborted()];
            const client = await leaver(rig, way);
            await client.send(...packets(rig, { manner: "hang", stream }));
            await until(() => faultd.requests.length > requested, { what: "the upstream call" });
            await client.leave();
            await rig.quiet();
            assert.equal(faultd.aborted(), aborted + 1);
            await until(async () => (await rig.endings()).length === faultd.requests.length);
            assert.equal((await rig.endings()).at(-1), "cancelled");
            client.close();
          });
        }
      }
    });
  });

  Deno.test(`who ${way} in mid-stream ends the call (C1)`, async (t) => {
    await withLeaving(async (rig) => {
      for (const [form, packets] of Object.entries(forms)) {
        await t.step(form, async () => {
          const client = await leaver(rig, way);
          await client.send(...packets(rig, { manner: "stall-after-3", stream: true }));
          await client.hear(400);
          await client.leave();
          await rig.quiet();
          await until(async () => (await rig.endings()).length === rig.faultd.requests.length);
          assert.equal((await rig.endings()).at(-1), "cancelled");
          client.close();
        });
      }
    });
  });

  Deno.test(`who ${way} before a request is whole leaves nothing behind`, async (t) => {
    await withLeaving(async (rig) => {
      const before = handles();
      const { head, body } = rig.parts("ok");
      const chunked = rig.parts("ok", { chunks: [20] });
      const texts: Readonly<Record<string, string>> = {
        "without a byte": "",
        "within the method": "PO",
        "within the request line": head.slice(0, 12),
        "behind the request line": head.slice(0, head.indexOf("\r\n") + 2),
        "within a field": head.slice(0, 60),
        "before the empty line": head.slice(0, -2),
        "behind the head": head,
        "within the body": head + body.slice(0, 9),
        "before the body's last byte": head + body.slice(0, -1),
        "within a chunk": chunked.head + chunked.body.slice(0, 10),
        "before the last chunk": chunked.head + chunked.body.slice(0, -5),
        "before the last line end": chunked.head + chunked.body.slice(0, -1),
        "behind an answer": rig.ask("ok", { stream: true }),
        "behind an answer, within the next head": rig.ask("ok") + head.slice(0, 30),
        "behind an answer, within the next body": rig.ask("ok") + head + body.slice(0, 9),
        "behind what is no request": "no request\r\n\r\n",
      };
      for (const [when, text] of Object.entries(texts)) {
        await t.step(when, async () => {
          const client = await leaver(rig, way);
          await client.send(text);
          if (when.startsWith("behind an answer")) await client.hear(100);
          await pause(2);
          await client.leave();
          await rig.quiet();
          client.close();
        });
      }
      const answered = Object.keys(texts).filter((when) => when.startsWith("behind an answer")).length;
      assert.equal(rig.faultd.requests.length, answered, "nobody was asked what was not whole");
      // What the client itself holds is given back late.
      await until(() => handles() <= before + 2, { what: "that every socket is given back" });
    });
  });

  Deno.test(`who ${way} gets nothing done that waits behind the request that is served`, async () => {
    await withLeaving(async (rig) => {
      const client = await leaver(rig, way);
      await client.send(rig.ask("hang") + rig.ask("ok", { stream: true }) + rig.ask("ok"));
      await until(() => rig.faultd.requests.length === 1);
      await client.leave();
      await rig.quiet();
      await pause(20);
      assert.equal(rig.faultd.requests.length, 1, "what came behind was not begun");
      assert.deepEqual(await rig.endings(), ["cancelled"]);
      client.close();
    });
  });
}

/** One client: a request or two, cut anywhere, left anywhere. */
async function strayed(rig: Leaving, random: Random): Promise<void> {
  const client = await leaver(rig, random.pick(ways));
  const preference = {
    stream: random.below(2) === 0,
    chunks: random.below(2) === 0 ? undefined : [1 + random.below(60)],
  };
  const texts = Array.from({ length: 1 + random.below(2) }, () => rig.ask(random.pick(manners), preference));
  const text = texts.join("");
  const whole = random.below(3) > 0;
  const end = whole ? text.length : random.below(text.length);
  const cut = random.below(end + 1);
  await client.send(text.slice(0, cut), text.slice(cut, end));
  await pause(random.below(60));
  await client.leave();
  client.close();
}

Deno.test(`who leaves at a random moment and in a random manner leaves nothing behind (C1, SEED=${seed})`, async () => {
  const random = seeded(seed);
  await withLeaving(async (rig) => {
    const before = handles();
    try {
      for (let round = 0; round < runs(15); round++) {
        await Promise.all(Array.from({ length: 25 }, () => strayed(rig, random)));
        await rig.quiet();
      }
      // Who left before the provider was asked has a receipt, too.
      const written = async () => (await rig.endings()).length >= rig.faultd.requests.length;
      await until(written, { what: "every receipt" });
      const endings = new Set(await rig.endings());
      assert(endings.has("cancelled"));
      for (const ending of endings) assert(["cancelled", "completed"].includes(ending), ending);
      await until(() => handles() <= before + 8, { what: "that every socket is given back" });
    } catch (cause) {
      throw new Error(`SEED=${seed}`, { cause });
    }
  });
});
