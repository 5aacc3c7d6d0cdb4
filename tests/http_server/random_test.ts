/**
 * Requests that are broken at random, in random chunks: each connection comes to an end, and nothing else suffers.
 */

import assert from "node:assert/strict";
import { type Random, seeded } from "../fuzz/random.ts";
import { withFront } from "../support/http_server_rig.ts";
import { until } from "../support/until.ts";
import { seed } from "../support/seed.ts";

const heads = [
  "GET /a HTTP/1.1\r\nHost: x\r\n",
  "POST /b HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n",
  "POST http://x/c?d=e HTTP/1.0\r\nConnection: keep-alive\r\nHost: x\r\n",
  "HEAD /f HTTP/1.1\r\nHost: x\r\nConnection: close, te\r\nX-Long: " + "y".repeat(300) + "\r\n",
  "OPTIONS * HTTP/1.1\r\nHost: x\r\n",
];
const bodies = [
  "\r\n",
  "Content-Length: 0\r\n\r\n",
  "Content-Length: 11\r\n\r\nhello world",
  "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;a=b\r\n world\r\n0\r\nX-T: y\r\n\r\n",
];
const odd = [
  "\r",
  "\n",
  "\r\n",
  "\0",
  " ",
  ":",
  "\t",
  "\x80",
  "\xff",
  ",",
  "0",
  "f",
  "-",
  "Content-Length: 3\r\n",
];

function mutated(text: string, random: Random): string {
  let result = text;
  for (let left = random.below(4); left > 0; left--) {
    const at = random.below(result.length + 1);
    const taken = random.below(3) === 0 ? random.below(12) : random.below(2);
    result = result.slice(0, at) + (random.below(3) === 0 ? "" : random.pick(odd)) + result.slice(at + taken);
  }
  return result;
}

function chunks(text: string, random: Random): readonly string[] {
  const cuts = Array.from({ length: random.below(6) }, () => random.below(text.length + 1)).sort((a, b) =>
    a - b
  );
  return [0, ...cuts].map((from, at) => text.slice(from, cuts[at] ?? text.length)).filter((one) =>
    one !== ""
  );
}

Deno.test("a front survives what is broken at random, and answers whole requests as ever", async () => {
  const random = seeded(seed);
  const answer = async (request: { readonly url: string; text(): Promise<string> }) => {
    if (random.below(5) === 0) return new Response("unread", { status: 401 });
    try {
      return new Response(`[${await request.text()}]`);
    } catch (error) {
      return new Response(String(error), { status: 400 });
    }
  };
  await withFront({ answer }, async ({ connect, failures, clock }) => {
    const one = async () => {
      const client = await connect();
      const text = Array.from({ length: 1 + random.below(3) }, () => random.pick(heads) + random.pick(bodies))
        .map((each) => mutated(each, random)).join("");
      await client.send(...chunks(text, random));
      await client.halfClose().catch(() => {
        // It was told to go, and has been closed meanwhile.
      });
      await until(() => client.end !== "", {
        what: `an end (SEED=${seed}): ${JSON.stringify(text)}`,
      });
      assert.match(client.heard, /^(?:HTTP\/1\.1 |$)/, `SEED=${seed}`);
    };
    for (let round = 0; round < 20; round++) await Promise.all(Array.from({ length: 20 }, one));
    assert.deepEqual(failures, [], `SEED=${seed}`);
    await until(() => clock.open === 0, { what: "that every connection is given back" });
    const client = await connect();
    await client.send(random.pick(heads.slice(0, 1)) + "Content-Length: 2\r\n\r\nhi");
    await client.hears("HTTP/1.1 ");
  });
});
