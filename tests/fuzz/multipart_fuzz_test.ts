/** Multipart bodies damaged at random: no 5xx, no file that nobody sent, and nothing kept of what was refused. */

import assert from "node:assert/strict";
import { asObject } from "../support/event_stream.ts";
import { fileRows, utf8 } from "../support/files.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { type Random, seeded } from "./random.ts";
import { seed } from "../support/seed.ts";
import { runs } from "../support/property.ts";

const count = runs(2_000);
const BOUNDARY = "bound-ary";
const type = `multipart/form-data; boundary=${BOUNDARY}`;

type Bytes = Uint8Array<ArrayBuffer>;
interface Body {
  readonly bytes: Bytes;
  readonly type: string;
}

const part = (head: string, content: string) => `--${BOUNDARY}\r\n${head}\r\n\r\n${content}\r\n`;
const END = `--${BOUNDARY}--\r\n`;
const disposition = (name: string, more = "") => `Content-Disposition: form-data; name="${name}"${more}`;
const file = (content: string, name = "a.txt") => part(disposition("file", `; filename="${name}"`), content);
const whole = (...parts: readonly string[]): Body => ({ bytes: utf8(parts.join("") + END), type });

const wholeForms: readonly Body[] = [
  whole(file("hello")),
  whole(part(disposition("purpose"), "user_data"), file("hello"), part(disposition("x"), "y")),
  whole(file("a".repeat(70_000), "日本.txt")),
  whole(
    part(
      `${disposition("file", '; filename="a"')}\r\nContent-Type: text/plain; charset=utf-8`,
      "x\r\n--bound",
    ),
  ),
];

type Damage = (body: Body, random: Random) => Body;

function splice({ bytes, ...body }: Body, at: number, { cut = 0, add = new Uint8Array() }): Body {
  const rest = bytes.subarray(at + cut);
  const joined = new Uint8Array(at + add.length + rest.length);
  joined.set(bytes.subarray(0, at));
  joined.set(add, at);
  joined.set(rest, at + add.length);
  return { ...body, bytes: joined };
}

const odd = [
  "\r\n",
  "\n",
  "\0",
  "--",
  `--${BOUNDARY}`,
  `--${BOUNDARY}--`,
  '"',
  ";",
  "%00",
  "=?utf-8?B?AA==?=",
  "\xff\xfe",
];

const damages: readonly Damage[] = [
  (body, random) => ({ ...body, bytes: body.bytes.slice(0, random.below(body.bytes.length)) }),
  (body, random) => splice(body, random.below(body.bytes.length), { cut: 1 }),
  (body, random) => splice(body, random.below(body.bytes.length), { add: utf8(random.pick(odd)) }),
  (body, random) => {
    const at = random.below(body.bytes.length);
    return splice(body, at, { cut: 1, add: Uint8Array.of(random.below(256)) });
  },
  (body, random) => splice(body, 0, { add: utf8(file("another").repeat(1 + random.below(30))) }),
  (body, random) => splice(body, 0, { add: utf8(part(disposition("x"), "y").repeat(random.below(60))) }),
  (body, random) => splice(body, 0, { add: utf8(part(disposition("x"), "y".repeat(random.below(100_000)))) }),
  (body, random) => {
    const header = `${disposition("file")}; filename="${"n".repeat(random.below(400))}"`;
    return splice(body, 0, { add: utf8(part(`${header}\r\nX: ${"h".repeat(random.below(20_000))}`, "z")) });
  },
  (body, random) => ({
    ...body,
    type: random.pick([
      "multipart/form-data",
      "multipart/form-data; boundary=",
      `multipart/form-data; boundary="${BOUNDARY}"`,
      `multipart/form-data; boundary=${"b".repeat(300)}`,
      "multipart/form-data; boundary=other",
      "multipart/mixed; boundary=bound-ary",
      "multipart/form-data; charset=utf-8; BOUNDARY=bound-ary",
    ]),
  }),
];

/** In pieces of any size, as a socket gives them. */
function streamOf(bytes: Bytes, random: Random): ReadableStream<Bytes> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      const end = at + 1 + random.below(random.pick([3, 100, 20_000]));
      controller.enqueue(bytes.slice(at, end));
      at = end;
    },
  });
}

async function send(
  { app, apiKey }: Gateway,
  { type, body }: { readonly type: string; readonly body: ReadableStream<Bytes> },
): Promise<{ readonly status: number; readonly text: string }> {
  const headers = { host: "localhost", authorization: `Bearer ${apiKey}`, "content-type": type };
  const request = new Request("http://localhost/v1/files", { method: "POST", headers, body });
  const response = await app.fetch(request, "127.0.0.1");
  return { status: response.status, text: await response.text() };
}

Deno.test(`uploads damaged ${count} times are refused or stored whole, SEED=${seed}`, async () => {
  await using gateway = await startGateway({ limits: { file_bytes: 200_000 } });
  const random = seeded(seed);
  const stored = new Set<string>();
  const outcomes = new Map<number, number>();
  for (let at = 0; at < count; at++) {
    let body = random.pick(wholeForms);
    for (let done = random.below(3); done >= 0; done--) body = random.pick(damages)(body, random);
    const { status, text } = await send(gateway, { type: body.type, body: streamOf(body.bytes, random) });
    outcomes.set(status, (outcomes.get(status) ?? 0) + 1);
    assert([200, 400, 413].includes(status), `${at}: ${status} ${text.slice(0, 300)}`);
    const answer = asObject(JSON.parse(text));
    if (status === 200) stored.add(String(answer.id));
    else {assert.match(
        String(asObject(answer.error).message),
        /^(?:The (?:multipart )?(?:body|file)|Cannot upload|A multipart)/,
      );}
  }
  assert((outcomes.get(200) ?? 0) > count / 50 && (outcomes.get(400) ?? 0) > count / 3);
  assert.deepEqual(
    new Set((await fileRows(gateway)).map(({ id }) => `tg_file_${id}`)).size,
    Math.min(1_000, stored.size),
  );
  assert.equal((await Array.fromAsync(gateway.blobs.list())).length, stored.size);
});

Deno.test("a form without parts is refused, in whatever pieces it comes and whatever stands behind it", async () => {
  await using gateway = await startGateway();
  for (const end of ["", "\r\n", "x", `\r\n${file("behind")}`, `\r\n--${BOUNDARY}--\r\n`]) {
    for (const size of [1, 7, 13, 14, 1_000]) {
      const text = `--${BOUNDARY}--${end}`;
      const pieces = Array.from(
        { length: Math.ceil(text.length / size) },
        (_, at) => text.slice(at * size, (at + 1) * size),
      );
      const body = new ReadableStream<Bytes>({
        start(controller) {
          for (const piece of pieces) controller.enqueue(utf8(piece));
          controller.close();
        },
      });
      const answer = await send(gateway, { type, body });
      assert.deepEqual(
        [answer.status, /no part named|malformed/.test(answer.text)],
        [400, true],
        answer.text,
      );
    }
  }
});

Deno.test("a header, a text or a preamble without an end is given up at the limit, not read to its end", async () => {
  await using gateway = await startGateway({ limits: { file_bytes: 1_000_000 } });
  const begins = [
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="`,
    `--${BOUNDARY}\r\nX: `,
    `--${BOUNDARY}\r\n${disposition("text")}\r\n\r\n`,
    "",
  ];
  for (const begin of begins) {
    let pulled = 0;
    const body = new ReadableStream<Bytes>({
      start: (controller) => controller.enqueue(utf8(begin)),
      pull(controller) {
        pulled += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(120));
      },
    });
    const { status } = await send(gateway, { type, body });
    assert([400, 413].includes(status));
    assert(pulled < 3_000_000, `${pulled} bytes were read`);
  }
  assert.deepEqual(await Array.fromAsync(gateway.blobs.list()), []);
});
