/** Chunked bodies (RFC 9112, 7.1): in every form that is right, and in none that is wrong. */

import assert from "node:assert/strict";
import {
  type ApiRig,
  assertHeard,
  assertRefused,
  chunked,
  inputOf,
  question,
  questionParts,
  withApi,
} from "../support/api_rig.ts";
import type { Line } from "../support/raw_client.ts";

const json = (input: string) => JSON.stringify({ model: "mock/model", input });

/** A question whose body is this text, as it stands, behind a head that announces chunks. */
function requested({ gateway }: ApiRig, body: string): string {
  return questionParts(gateway, { chunks: [1] }).head + body;
}

const hex = (size: number) => size.toString(16);

/** Bodies of a question, made of its JSON. */
const right: Readonly<Record<string, (text: string) => string>> = {
  "one chunk": (text) => chunked(text),
  "chunks of a byte": (text) => chunked(text, [1]),
  "chunks of many sizes": (text) => chunked(text, [1, 7, 2, 16, 3]),
  "sizes in capitals": (text) => `${hex(text.length).toUpperCase()}\r\n${text}\r\n0\r\n\r\n`,
  "sizes with zeros before them": (text) => `0000${hex(text.length)}\r\n${text}\r\n000\r\n\r\n`,
  "an extension": (text) => `${hex(text.length)};a\r\n${text}\r\n0\r\n\r\n`,
  "an extension with a value": (text) => `${hex(text.length)};a=b;c=d\r\n${text}\r\n0;e=f\r\n\r\n`,
  "an extension in quotes": (text) => `${hex(text.length)};a="b;\\"c"\r\n${text}\r\n0\r\n\r\n`,
  "a trailer": (text) => `${hex(text.length)}\r\n${text}\r\n0\r\nX-A: b\r\n\r\n`,
  "trailers": (text) => `${hex(text.length)}\r\n${text}\r\n0\r\nX-A: b\r\nX-B:\r\nx-a: c\r\n\r\n`,
  "a trailer that is a length": (text) => `${hex(text.length)}\r\n${text}\r\n0\r\nContent-Length: 1\r\n\r\n`,
  "a trailer that is a coding": (text) =>
    `${hex(text.length)}\r\n${text}\r\n0\r\nTransfer-Encoding: gzip\r\n\r\n`,
  "a trailer that is a key": (text) =>
    `${hex(text.length)}\r\n${text}\r\n0\r\nAuthorization: Bearer nobody\r\n\r\n`,
  "a trailer that ends the connection": (text) =>
    `${hex(text.length)}\r\n${text}\r\n0\r\nConnection: close\r\n\r\n`,
  "line ends inside a chunk": (text) => chunked(`\r\n\r\n${text}\r\n\r\n`),
};

async function assertBothHeard(client: Line, input: string): Promise<void> {
  assertHeard(await client.reply(), input);
  assertHeard(await client.reply(), "the next");
}

Deno.test("the door takes chunks in every form that is right, in one packet and in one a byte", async (t) => {
  await withApi(async (rig) => {
    const next = question(rig.gateway, { input: "the next" });
    for (const [which, form] of Object.entries(right)) {
      await t.step(which, async () => {
        const text = requested(rig, form(json(which)));
        await using whole = await rig.open();
        await whole.send(text + next);
        await assertBothHeard(whole, which);
        await using slow = await rig.open();
        const { head } = questionParts(rig.gateway, { chunks: [1] });
        await slow.send(head, ...text.slice(head.length), next);
        await assertBothHeard(slow, which);
      });
    }
  });
});

/** The same; each ends the connection without that anybody is asked. */
const wrong: Readonly<Record<string, (text: string) => string>> = {
  "no size": (text) => `\r\n${text}\r\n0\r\n\r\n`,
  "a size that is none": (text) => `xyz\r\n${text}\r\n0\r\n\r\n`,
  "a size with a plus": (text) => `+${hex(text.length)}\r\n${text}\r\n0\r\n\r\n`,
  "a size below zero": (text) => `-${hex(text.length)}\r\n${text}\r\n0\r\n\r\n`,
  "a size with 0x": (text) => `0x${hex(text.length)}\r\n${text}\r\n0\r\n\r\n`,
  "a size with an underscore": (text) => `0_${hex(text.length)}\r\n${text}\r\n0\r\n\r\n`,
  "a blank before a size": (text) => ` ${hex(text.length)}\r\n${text}\r\n0\r\n\r\n`,
  "a size in two words": (text) => `${hex(text.length)} 1\r\n${text}\r\n0\r\n\r\n`,
  "a size with a fraction": (text) => `${hex(text.length)}.0\r\n${text}\r\n0\r\n\r\n`,
  "a size with a NUL": (text) => `${hex(text.length)}\0\r\n${text}\r\n0\r\n\r\n`,
  "a bare line feed behind a size": (text) => `${hex(text.length)}\n${text}\r\n0\r\n\r\n`,
  "a bare carriage return behind a size": (text) => `${hex(text.length)}\r${text}\r\n0\r\n\r\n`,
  "a bare line feed behind data": (text) => `${hex(text.length)}\r\n${text}\n0\r\n\r\n`,
  "nothing behind data": (text) => `${hex(text.length)}\r\n${text}0\r\n\r\n`,
  "two more bytes behind data": (text) => `${hex(text.length - 2)}\r\n${text}\r\n0\r\n\r\n`,
  "a size that is one too large": (text) => `${hex(text.length + 1)}\r\n${text}\r\n0\r\n\r\n`,
  "a bare line feed behind the last chunk": (text) => `${hex(text.length)}\r\n${text}\r\n0\n\r\n`,
  "a bare line feed at the end": (text) => `${hex(text.length)}\r\n${text}\r\n0\r\n\n`,
  "a line feed in an extension": (text) => `${hex(text.length)};a\nb\r\n${text}\r\n0\r\n\r\n`,
  "a carriage return in an extension": (text) => `${hex(text.length)};a\rb\r\n${text}\r\n0\r\n\r\n`,
  "a NUL in an extension": (text) => `${hex(text.length)};a\0b\r\n${text}\r\n0\r\n\r\n`,
  "an extension without end": (text) => `${hex(text.length)};${"a".repeat(70_000)}\r\n${text}\r\n0\r\n\r\n`,
  "a size of 2 to the 64th and more": (text) =>
    `1${hex(text.length).padStart(16, "0")}\r\n${text}\r\n0\r\n\r\n`,
  "a size of 2 to the 128th and more": (text) =>
    `1${hex(text.length).padStart(32, "0")}\r\n${text}\r\n0\r\n\r\n`,
  "a size of 17 digits": (text) => `${"f".repeat(17)}\r\n${text}\r\n0\r\n\r\n`,
  "a trailer without a colon": (text) => `${hex(text.length)}\r\n${text}\r\n0\r\nX-A\r\n\r\n`,
  "a trailer with a blank before its colon": (text) =>
    `${hex(text.length)}\r\n${text}\r\n0\r\nX-A : b\r\n\r\n`,
  "a trailer with a NUL": (text) => `${hex(text.length)}\r\n${text}\r\n0\r\nX-A: \0\r\n\r\n`,
  "a trailer that is folded": (text) => `${hex(text.length)}\r\n${text}\r\n0\r\nX-A: b\r\n c\r\n\r\n`,
  "a trailer with a bare line feed": (text) => `${hex(text.length)}\r\n${text}\r\n0\r\nX-A: b\n\r\n`,
  "trailers of 70 KiB": (text) => `${hex(text.length)}\r\n${text}\r\n0\r\nX-A: ${"b".repeat(70_000)}\r\n\r\n`,
};

for (const split of [false, true]) {
  const how = split ? "each line a packet" : "in one packet";
  Deno.test(`the door refuses chunks that are wrong (${how})`, async (t) => {
    await withApi(async (rig) => {
      const { gateway, upstream, open } = rig;
      for (const [which, form] of Object.entries(wrong)) {
        await t.step(which, async () => {
          const before = upstream.requested.length;
          const text = requested(rig, form(json(which))) + question(gateway, { input: "hidden behind it" });
          await using client = await open();
          await client.send(...(split ? text.split(/(?<=\n)/) : [text]));
          await assertRefused(client, { statuses: [400, 413, 431] });
          assert.equal(upstream.requested.length, before, "nobody was asked");
        });
      }
    });
  });
}

/** Sizes of 2 to the 63rd, to the 53rd, to the 32nd: larger than any body may be, and smaller when they overflow. */
Deno.test("the door counts sizes beyond every limit as what they are", async (t) => {
  await withApi(async (rig) => {
    for (
      const size of [
        "8000000000000010",
        "20000000000010",
        "100000010",
        "ffffffff",
        "7fffffffffffffff",
        "fffffffffffffff0",
      ]
    ) {
      await t.step(size, async () => {
        await using client = await rig.open();
        const text = json("x");
        await client.send(
          requested(rig, `${size}\r\n${text.slice(0, 16)}`),
          `${text.slice(16)}\r\n0\r\n\r\n`,
        );
        await client.halfClose();
        const received = await client.rest();
        assert.match(received, /^(?:HTTP\/1\.1 4|$)/);
        assert.equal(rig.upstream.requested.length, 0);
      });
    }
  });
});

/** Where a body may break off, as a part of a whole one. */
const cuts: Readonly<Record<string, (text: string) => string>> = {
  "before the first chunk": () => "",
  "within a size": (text) => hex(text.length).slice(0, 1),
  "behind a size": (text) => `${hex(text.length)}\r\n`,
  "within a chunk": (text) => `${hex(text.length)}\r\n${text.slice(0, 10)}`,
  "at the end of a chunk's data": (text) => `${hex(text.length)}\r\n${text}`,
  "before the last chunk": (text) => `${hex(text.length)}\r\n${text}\r\n`,
  "within the last chunk": (text) => `${hex(text.length)}\r\n${text}\r\n0`,
  "behind the last chunk's size": (text) => `${hex(text.length)}\r\n${text}\r\n0\r\n`,
  "within the last line end": (text) => `${hex(text.length)}\r\n${text}\r\n0\r\n\r`,
  "within a trailer": (text) => `${hex(text.length)}\r\n${text}\r\n0\r\nX-A: b`,
  "behind a trailer": (text) => `${hex(text.length)}\r\n${text}\r\n0\r\nX-A: b\r\n`,
};

Deno.test("the door asks nobody before a body is whole", async (t) => {
  await withApi(async (rig) => {
    for (const [which, form] of Object.entries(cuts)) {
      for (const half of [true, false]) {
        await t.step(`${which}, ${half ? "half-closed" : "hung up"}`, async () => {
          await using client = await rig.open();
          const { head } = questionParts(rig.gateway, { chunks: [1] });
          await client.send(head, form(json(which)));
          if (half) await client.halfClose();
          else client.hangUp();
          if (half) assert.match(await client.rest(), /^(?:HTTP\/1\.1 400 |$)/);
          assert.equal(rig.upstream.requested.length, 0, "nobody was asked");
        });
      }
    }
  });
});

Deno.test("the door asks nobody before a body of a given length is whole", async () => {
  await withApi(async ({ gateway, upstream, open }) => {
    const { head, body } = questionParts(gateway);
    for (const size of [0, 1, body.length - 1]) {
      await using client = await open();
      await client.send(head, body.slice(0, size));
      await client.halfClose();
      assert.match(await client.rest(), /^(?:HTTP\/1\.1 400 |$)/);
    }
    assert.equal(upstream.requested.length, 0, "nobody was asked");
  });
});

const MIB = 1024 * 1024;
const MOST = 32 * MIB;

Deno.test("the door refuses more than 32 MiB in one chunk, readably", async () => {
  await withApi(async (rig) => {
    await using client = await rig.open();
    const data = new Uint8Array(MOST + 1).fill(32);
    await client.send(requested(rig, `${hex(MOST + 1)}\r\n`), data, "\r\n0\r\n\r\n");
    const { status, text } = await client.reply();
    assert.equal(status, 413, text);
    assert.match(text, /32 MiB/);
    assert.equal(rig.upstream.requested.length, 0);
  });
});

Deno.test("the door refuses more than 32 MiB in many chunks, readably", async () => {
  await withApi(async (rig) => {
    await using client = await rig.open();
    const data = new Uint8Array(MIB).fill(32);
    await client.send(requested(rig, ""));
    for (let at = 0; at <= 32; at++) await client.send(`${hex(MIB)}\r\n`, data, "\r\n");
    const { status, text } = await client.reply();
    assert.equal(status, 413, text);
    assert.equal(rig.upstream.requested.length, 0);
  });
});

Deno.test("the door takes as much as 32 MiB, in chunks and with a length", async () => {
  await withApi(async (rig) => {
    const text = json("as large as may be");
    const data = new Uint8Array(MOST).fill(32);
    data.set(new TextEncoder().encode(text));
    await using client = await rig.open();
    const { head } = questionParts(rig.gateway);
    await client.send(requested(rig, `${hex(MOST)}\r\n`), data, "\r\n0\r\n\r\n");
    assertHeard(await client.reply(), "as large as may be");
    await client.send(head.replace(/Content-Length: \d+/, `Content-Length: ${MOST}`), data);
    assertHeard(await client.reply(), "as large as may be");
    assert.equal(rig.upstream.requested.map(({ body }) => inputOf(body)).length, 2);
  });
});

Deno.test("the door refuses a length of more than 32 MiB before the body comes", async () => {
  await withApi(async ({ gateway, open, upstream }) => {
    await using client = await open();
    const { head } = questionParts(gateway);
    await client.send(head.replace(/Content-Length: \d+/, `Content-Length: ${MOST + 1}`));
    const { status, text } = await client.reply();
    assert.equal(status, 413, text);
    assert.equal(upstream.requested.length, 0);
  });
});
