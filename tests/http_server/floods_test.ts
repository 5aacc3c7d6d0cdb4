/** Clients that send without end: what is held of it is little, and each of them is cut off. */

import assert from "node:assert/strict";
import { type FakeClock, fakeClock, turns } from "../support/clock.ts";
import { type ApiRig, assertServes, lookup, questionParts, withApi } from "../support/api_rig.ts";
import { withLeaving } from "../support/disconnecting_clients.ts";
import { bytesOf, type Line } from "../support/raw_client.ts";
import { settled, until } from "../support/until.ts";

const SECOND = 1_000;
const MIB = 1024 * 1024;

/** Most bytes that the system's buffers may hold of a connection, in both directions. */
const BUFFERS = 16 * MIB;

/** More than anybody has to take. */
const MOST = 256 * MIB;
/** Most growth of the process, in which other tests run at the same time. */
const MOST_GROWTH = 192 * MIB;

interface Poured {
  /** Bytes that could be sent. */
  readonly sent: () => number;
  /** The connection is broken, or all is sent. */
  readonly over: Promise<void>;
}

/** Sends the same text over and over, up to so many bytes of it. */
function pour(client: Line, { text, most }: { readonly text: string; readonly most: number }): Poured {
  const bytes = bytesOf(text.repeat(Math.ceil(100_000 / text.length)));
  let sent = 0;
  const over = async () => {
    while (sent < most && await client.send(bytes)) sent += bytes.length;
  };
  return { sent: () => sent, over: over() };
}

function withTime(test: (rig: ApiRig, time: FakeClock) => Promise<void>): Promise<void> {
  const time = fakeClock();
  return withApi((rig) => test(rig, time), { apiClock: time });
}

Deno.test("the door reads no further than a little ahead of the request that it answers", async () => {
  const { rss } = Deno.memoryUsage();
  const clock = fakeClock();
  await withLeaving(async ({ gateway, faultd, open, ask }) => {
    await using client = await open();
    await client.send(ask("hang"));
    await until(() => faultd.requests.length === 1);
    const { sent, over } = pour(client, { text: lookup(gateway, "/healthz"), most: MOST });
    assert(await settled(sent) < BUFFERS, `${sent()} bytes were taken`);
    assert(Deno.memoryUsage().rss - rss < MOST_GROWTH, "nothing is piled up");
    await assertServesHere(gateway);
    client.hangUp();
    await over;
    // Who has sent so much is not heard to leave: the call ends when its time is up.
    await clock.advanceOnce(turns, 600 * SECOND);
  }, { clock });
});

async function assertServesHere({ port }: { readonly port: number }): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/healthz`);
  assert.equal(await response.text(), '{"status":"ok"}');
}

/** None of these ends by itself. */
const endless: Readonly<Record<string, (rig: ApiRig) => { readonly first: string; readonly text: string }>> =
  {
    "empty lines": () => ({ first: "", text: "\r\n" }),
    "a method": () => ({ first: "", text: "A" }),
    "a target": () => ({ first: "GET /", text: "a" }),
    "fields": () => ({ first: "GET /healthz HTTP/1.1\r\nHost: a\r\n", text: "X: y\r\n" }),
    "a field's name": () => ({ first: "GET /healthz HTTP/1.1\r\nHost: a\r\n", text: "X" }),
    "a field's value": () => ({
      first: "GET /healthz HTTP/1.1\r\nHost: a\r\nX: ",
      text: "y",
    }),
    "zeros before a chunk's size": ({ gateway }) => ({
      first: questionParts(gateway, { chunks: [1] }).head,
      text: "0",
    }),
    "a chunk's extension": ({ gateway }) => ({
      first: `${questionParts(gateway, { chunks: [1] }).head}5;`,
      text: "a",
    }),
    "trailers": ({ gateway }) => ({
      first: `${questionParts(gateway, { chunks: [1] }).head}2\r\n{}\r\n0\r\n`,
      text: "X: y\r\n",
    }),
    "a body": ({ gateway }) => ({
      first: questionParts(gateway, { chunks: [1] }).head,
      text: `10000\r\n${" ".repeat(65_536)}\r\n`,
    }),
    "a body that is refused": ({ gateway }) => ({
      first: questionParts(gateway, { chunks: [1], key: "nobody" }).head,
      text: `10000\r\n${" ".repeat(65_536)}\r\n`,
    }),
    "noise": () => ({ first: "\x16\x03\x01", text: "\x00\xff\x80" }),
  };

Deno.test("the door cuts off who does not end, and takes little of it", async (t) => {
  for (const [which, of] of Object.entries(endless)) {
    await t.step(which, () =>
      withTime(async (rig, time) => {
        const { rss } = Deno.memoryUsage();
        await using client = await rig.open();
        const { first, text } = of(rig);
        await client.send(first);
        const { sent, over } = pour(client, { text, most: MOST });
        let cut = false;
        over.then(() => {
          cut = true;
        });
        // The API may take what was refused for a while, so that its refusal can be read.
        for (let turn = 0; turn < 60 && !cut; turn++) {
          await time.advanceOnce(turns, SECOND);
        }
        await until(() => cut, { what: "the end of the connection" });
        assert(sent() < MOST, "not everything was taken");
        assert(Deno.memoryUsage().rss - rss < MOST_GROWTH, "nothing is piled up");
        assert.equal(rig.upstream.requested.length, 0);
      }));
  }
});

Deno.test("the door serves others beside clients that ask much and read nothing", async () => {
  await withApi(async (rig) => {
    const many = await Promise.all(Array.from({ length: 10 }, rig.open));
    const bytes = bytesOf(lookup(rig.gateway, "/v1/nothing").repeat(500));
    const sending = many.map((client) => client.send(bytes));
    for (let turn = 0; turn < 5; turn++) await assertServes(rig.gateway);
    for (const client of many) client.hangUp();
    await Promise.all(sending);
  });
});
