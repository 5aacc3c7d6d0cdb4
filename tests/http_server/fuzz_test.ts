/** Damaged requests as bytes: each connection is answered or ended, and the API serves on. */

import assert from "node:assert/strict";
import { type Random, seeded } from "../fuzz/random.ts";
import { type ApiRig, assertServes, lookup, question, withApi } from "../support/api_rig.ts";
import type { Line } from "../support/raw_client.ts";
import { handles } from "../support/disconnecting_clients.ts";
import { pause, until } from "../support/until.ts";
import { seed } from "../support/seed.ts";
import { runs } from "../support/property.ts";

const count = runs(2_000);
const BESIDE = 16;

/** Characters that parsers trip over. */
const odds = [
  "\r",
  "\n",
  "\r\n",
  "\r\n\r\n",
  "\0",
  " ",
  "\t",
  ":",
  ";",
  ",",
  "0",
  "-1",
  "0x10",
  "99999999999999999999",
  "\xff",
  "\x80",
  "HTTP/1.1",
  "HTTP/1.0",
  "Content-Length: 5\r\n",
  "Content-Length: 0\r\n",
  "Transfer-Encoding: chunked\r\n",
  "Transfer-Encoding: gzip\r\n",
  "Connection: close\r\n",
  "Connection: keep-alive\r\n",
  "Expect: 100-continue\r\n",
  "Upgrade: h2c\r\n",
  "Host: other\r\n",
  "X: y\r\n",
  " folded\r\n",
  "0\r\n\r\n",
  "ffffffff\r\n",
  "PRI * HTTP/2.0\r\n\r\n",
  "GET / HTTP/1.1\r\n\r\n",
];

type Mutation = (text: string, random: Random) => string;

const place = (text: string, random: Random) => random.below(text.length + 1);

const mutations: readonly Mutation[] = [
  // Puts in, at any place.
  (text, random) => {
    const at = place(text, random);
    return text.slice(0, at) + random.pick(odds) + text.slice(at);
  },
  // Puts in, at a line's start.
  (text, random) => {
    const lines = text.split("\r\n");
    lines.splice(random.below(lines.length), 0, random.pick(odds).replace(/\r\n$/, ""));
    return lines.join("\r\n");
  },
  // Takes out.
  (text, random) => {
    const at = place(text, random);
    return text.slice(0, at) + text.slice(at + 1 + random.below(8));
  },
  // Takes out a line.
  (text, random) => {
    const lines = text.split("\r\n");
    lines.splice(random.below(lines.length), 1);
    return lines.join("\r\n");
  },
  // Says a part twice.
  (text, random) => {
    const at = place(text, random);
    return text.slice(0, at) + text.slice(Math.max(0, at - random.below(60)));
  },
  // Says a line twice.
  (text, random) => {
    const lines = text.split("\r\n");
    const at = random.below(lines.length);
    return [...lines.slice(0, at + 1), ...lines.slice(at)].join("\r\n");
  },
  // Another byte.
  (text, random) => {
    const at = random.below(text.length);
    return text.slice(0, at) + String.fromCharCode(random.below(256)) + text.slice(at + 1);
  },
  // Another case.
  (text, random) => {
    const at = random.below(text.length);
    const letter = text.charAt(at);
    return text.slice(0, at) +
      (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()) +
      text.slice(at + 1);
  },
  // Another line end.
  (text, random) => random.below(2) === 0 ? text.replace("\r\n", "\n") : text.replace("\r\n", "\r"),
  // Breaks off.
  (text, random) => text.slice(0, place(text, random)),
  // Another number.
  (text, random) => text.replace(/\d+(?=\r\n)/, (number) => String(Number(number) + random.below(5) - 2)),
];

/** `toUpperCase` makes two letters of one that is no byte. */
const asBytes = (text: string) => text.replace(/[^\0-\xff]/g, "?");

interface Damaged {
  readonly text: string;
  readonly packets: readonly string[];
}

function damaged(rig: ApiRig, random: Random): Damaged {
  const { gateway } = rig;
  const preferences = [
    () => question(gateway),
    () => question(gateway, { stream: true, chunks: [1 + random.below(30)] }),
    () => question(gateway, { version: "1.0" }),
    () => question(gateway, { key: "nobody", chunks: [40] }),
    () => lookup(gateway, "/healthz"),
    () => lookup(gateway, "/v1/models", { method: random.pick(["GET", "HEAD", "OPTIONS", "DELETE"]) }),
  ];
  let text = Array.from({ length: 1 + random.below(3) }, () => random.pick(preferences)()).join("");
  for (let left = 1 + random.below(4); left > 0 && text.length > 0; left--) {
    text = asBytes(random.pick(mutations)(text, random));
  }
  const cut = place(text, random);
  return { text, packets: random.below(2) === 0 ? [text] : [text.slice(0, cut), text.slice(cut)] };
}

/** Statuses that a damaged request may come to; never a fault of ours. */
const STATUS = /^HTTP\/1\.[01] (?:100|200|204|400|401|403|404|405|408|411|413|414|417|422|429|431|501|505) /;

/** How it was answered first: 0 where it was not. */
async function sendDamaged({ open }: ApiRig, { packets }: Damaged): Promise<number> {
  await using client = await open();
  await client.send(...packets);
  // Time for an answer; who then says that nothing more will come is taken to have left.
  await pause(10);
  await client.halfClose();
  return await judge(client);
}

async function judge(client: Line): Promise<number> {
  const received = await client.rest();
  if (received === "") return 0;
  assert.match(received, STATUS);
  return Number(received.slice(9, 12));
}

Deno.test(`the door answers or ends every damaged connection (SEED=${seed})`, async () => {
  const random = seeded(seed);
  // Who has no key too often is refused for that.
  const limits = { failed_keys_per_minute: 1_000_000 };
  await withApi(async (rig) => {
    const before = handles();
    const seen = new Map<number, number>();
    for (let done = 0; done < count; done += BESIDE) {
      const batch = Array.from({ length: BESIDE }, () => damaged(rig, random));
      await Promise.all(batch.map(async (one) => {
        try {
          const status = await sendDamaged(rig, one);
          seen.set(status, (seen.get(status) ?? 0) + 1);
        } catch (cause) {
          throw new Error(`SEED=${seed}: ${JSON.stringify(one.text)}`, { cause });
        }
      }));
      if (done % 160 === 0) await assertServes(rig.gateway);
    }
    for (const status of [0, 200, 400, 401]) {
      assert((seen.get(status) ?? 0) > count / 100, `too few are ${status}: ${seen.get(status)}`);
    }
    // Connections to the provider are kept, and both ends of each are here.
    await until(() => handles() <= before + 4 * BESIDE, { what: "that every socket is given back" });
    assert.deepEqual(rig.gateway.logged.filter((line) => line.includes('"level":"error"')), []);
  }, { limits });
});

Deno.test(`the door ends every connection that says nonsense (SEED=${seed})`, async () => {
  const random = seeded(seed);
  await withApi(async (rig) => {
    for (let turn = 0; turn < count / 20; turn++) {
      const bytes = Uint8Array.from({ length: random.below(3_000) }, () => random.below(256));
      await using client = await rig.open();
      await client.send(bytes);
      await client.halfClose();
      await judge(client);
    }
  });
});
