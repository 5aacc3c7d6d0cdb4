/** How a request is cut into packets, and what follows it in the same packet, changes nothing of its answer. */

import assert from "node:assert/strict";
import fc from "fast-check";
import {
  type ApiRig,
  chunked,
  lookup,
  type Question,
  question,
  questionParts,
  withApi,
} from "../support/api_rig.ts";
import { bytesOf } from "../support/raw_client.ts";
import { joined, latin1, type Reply } from "../support/reply.ts";
import { assertProperty, runs } from "../support/property.ts";
import { seed } from "../support/seed.ts";

/** One request, whatever it asks for, and how its answer can be told from the others'. */
interface Ask {
  readonly method: string;
  /** Its bytes, for a gateway. */
  readonly bytes: (rig: ApiRig) => Uint8Array;
  readonly expect: (reply: Reply) => void;
}

const utf8 = new TextEncoder();

const isHeard = (input: string, stream = false) => ({ status, text, headers, framing }: Reply) => {
  assert.equal(status, 200, text);
  assert(text.includes(JSON.stringify(`Heard ${input}`)), `${text.slice(0, 300)} repeats ${input}`);
  assert.equal(headers.get("content-type")?.split(";")[0], stream ? "text/event-stream" : "application/json");
  assert.equal(framing, stream ? "chunked" : "length");
};

const is = (status: number) => (reply: Reply) => assert.equal(reply.status, status, reply.text);

/** Words with letters of one to four bytes; the mock repeats them as they are. */
const words = fc.stringMatching(/^[a-zéщ語😀]{1,12}( [a-z0-9]{1,9}){0,6}$/u);
const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
const fields = fc.array(
  fc.tuple(
    fc.stringMatching(/^X-[A-Za-z0-9!#$%&'*+.^_`|~-]{1,20}$/),
    fc.stringMatching(/^[!-~]([ -~\t]{0,30}[!-~])?$/),
  ),
  { maxLength: 6 },
).map((pairs) => pairs.map(([name, value]) => `${name}: ${value}\r\n`).join(""));

const questions: fc.Arbitrary<Ask> = fc.record({
  input: words,
  stream: fc.boolean(),
  chunks: fc.option(sizes, { nil: undefined }),
  fields,
  path: fc.constantFrom("/v1/responses", "/api/v1/responses", "/v1/responses?a=b"),
}).map((preference) => ({
  method: "POST",
  bytes: (rig) => questionBytes(rig, preference),
  expect: isHeard(preference.input, preference.stream),
}));

/** The lengths are those of bytes, where letters have more than one. */
function questionBytes(
  { gateway }: ApiRig,
  { input = "", stream, chunks, ...preference }: Question,
): Uint8Array {
  const json = utf8.encode(JSON.stringify({ model: "mock/model", input, stream }));
  const text = latin1(json);
  const { head } = questionParts(gateway, { ...preference, chunks });
  const body = chunks === undefined ? text : chunked(text, chunks);
  return bytesOf(head.replace(/Content-Length: \d+/, `Content-Length: ${text.length}`) + body);
}

const plain = (
  method: string,
  ...[path, expect]: readonly [path: string, expect: (reply: Reply) => void]
): fc.Arbitrary<Ask> =>
  fields.map((more) => ({
    method,
    bytes: ({ gateway }) => bytesOf(lookup(gateway, path, { method, fields: more })),
    expect,
  }));

const withText = (status: number, part: string) => (reply: Reply) => {
  is(status)(reply);
  assert(reply.text.includes(part), reply.text);
};

/** A body that nobody reads, behind a head that is refused; the connection may or may not go on. */
const others: fc.Arbitrary<Ask> = fc.oneof(
  plain("GET", "/healthz", withText(200, '"ok"')),
  plain("GET", "/v1/models", withText(200, '"mock/model"')),
  plain("GET", "/v1/nothing", withText(404, "There is no GET /v1/nothing")),
  plain("HEAD", "/healthz", is(200)),
  plain("OPTIONS", "/v1/responses", is(204)),
  plain("DELETE", "/v1/responses", is(404)),
);

const cutPlaces = fc.array(fc.nat(), { minLength: 1, maxLength: 12 });

/** The same bytes, cut at these places. */
function cut(bytes: Uint8Array, places: readonly number[]): readonly Uint8Array[] {
  const sorted = [...new Set(places.map((place) => place % bytes.length))].filter((at) => at > 0).sort((
    a,
    b,
  ) => a - b);
  return [0, ...sorted].map((at, index) => bytes.subarray(at, sorted[index] ?? bytes.length));
}

/** Picks the parts of an answer that are the same each time. */
function essence({ status, headers, text, framing, keepsAlive }: Reply) {
  const plain = text.replace(/(resp|gen|req|msg)[_-][0-9a-f]{8,}/g, "$1").replace(
    /"(created|completed)_at":\d+/g,
    "",
  );
  const names = [...headers].map(([name]) => name).filter((name) => name !== "connection").sort();
  return { status, names, text: plain, framing, keepsAlive };
}

Deno.test(`the door answers a request the same, wherever it is cut (SEED=${seed})`, async () => {
  await withApi(async (rig) => {
    const property = fc.asyncProperty(fc.oneof(questions, others), cutPlaces, async (ask, places) => {
      const bytes = ask.bytes(rig);
      await using client = await rig.open();
      await client.send(bytes);
      const whole = await client.reply({ to: ask.method });
      ask.expect(whole);
      await client.send(...cut(bytes, places));
      assert.deepEqual(essence(await client.reply({ to: ask.method })), essence(whole));
    });
    await assertProperty(property, { numRuns: runs(60) });
  });
});

Deno.test(`the door answers pipelined requests in their order, wherever they are cut (SEED=${seed})`, async () => {
  await withApi(async (rig) => {
    const asks = fc.array(fc.oneof(questions, others), { minLength: 1, maxLength: 5 });
    const property = fc.asyncProperty(asks, cutPlaces, fc.boolean(), async (all, places, whole) => {
      const bytes = joined(all.map((ask) => ask.bytes(rig)));
      await using client = await rig.open();
      await client.send(...(whole ? [bytes] : cut(bytes, places)));
      for (const { method, expect } of all) expect(await client.reply({ to: method }));
      await client.send(question(rig.gateway, { input: "last" }));
      isHeard("last")(await client.reply());
    });
    await assertProperty(property, { numRuns: runs(60) });
  });
});

/** Cut at each place there is, and at all of them. */
for (const chunks of [undefined, [5, 3]]) {
  const form = chunks === undefined ? "with a length" : "in chunks";
  Deno.test(`the door takes a request cut at any byte (${form})`, async () => {
    await withApi(async (rig) => {
      const { gateway, open } = rig;
      const text = question(gateway, { input: "cut", chunks });
      // Eight clients at a time.
      for (let at = 1; at < text.length; at += 8) {
        await Promise.all(Array.from({ length: 8 }, async (_, more) => {
          await using client = await open();
          await client.send(text.slice(0, at + more), text.slice(at + more) || "\r\n");
          isHeard("cut")(await client.reply());
        }));
      }
      await using client = await open();
      await client.send(...text);
      isHeard("cut")(await client.reply());
    });
  });
}

Deno.test("the door answers a hundred pipelined requests, one after the other", async () => {
  await withApi(async ({ gateway, upstream, open }) => {
    await using client = await open();
    const inputs = Array.from({ length: 100 }, (_, at) => `number ${at}`);
    await client.send(inputs.map((input, at) => question(gateway, { input, stream: at % 3 === 0 })).join(""));
    for (const [at, input] of inputs.entries()) isHeard(input, at % 3 === 0)(await client.reply());
    assert.equal(upstream.requested.length, 100);
  });
});

Deno.test("the door answers in the requests' order when the first takes longest", async () => {
  await withApi(async ({ gateway, open }) => {
    await using client = await open();
    const long = "long ".repeat(2_000).trim();
    await client.send(question(gateway, { input: long, stream: true }) + lookup(gateway, "/healthz"));
    isHeard(long, true)(await client.reply());
    withText(200, '"ok"')(await client.reply());
  });
});

Deno.test("the door serves connections beside each other", async () => {
  await withApi(async ({ gateway, open }) => {
    await Promise.all(Array.from({ length: 50 }, async (_, at) => {
      await using client = await open();
      for (let turn = 0; turn < 4; turn++) {
        const input = `client ${at} turn ${turn}`;
        const text = question(gateway, {
          input,
          stream: turn % 2 === 1,
          chunks: at % 2 === 0 ? undefined : [9],
        });
        await client.send(text.slice(0, 40 * turn), text.slice(40 * turn));
        isHeard(input, turn % 2 === 1)(await client.reply());
      }
    }));
  });
});
