/** A service that judges texts: what it is told, what it may do, and what happens where it fails. */

import assert from "node:assert/strict";
import { guardrailCollection } from "../../server/management/guardrails/guardrail_rows.ts";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { receiptOf } from "../money/rig.ts";
import { type Guarded, guarded, places } from "./guarded.ts";

const names = ["responses", "chat", "messages"] as const;
type Reply = (asked: Json) => Response | Promise<Response>;

interface Rig extends AsyncDisposable {
  readonly rig: Guarded;
  readonly asked: Json[];
  readonly headers: Headers[];
  answer(reply: Reply): void;
}

async function external(fields: Json = {}, more: Json = {}): Promise<Rig> {
  let reply: Reply = () => Response.json({ action: "allow" });
  const asked: Json[] = [];
  const headers: Headers[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    const text = await request.text();
    asked.push(text === "" ? {} : asObject(JSON.parse(text)));
    headers.push(request.headers);
    return await reply(asked.at(-1) ?? {});
  });
  const { port } = server.addr;
  const rig = await guarded({
    ...more,
    external: {
      type: "http",
      url: `http://127.0.0.1:${port}/judge`,
      on: ["input", "output", "tools"],
      ...fields,
    },
  }, {
    file: { fetch: { allowed_hosts: [`127.0.0.1:${port}`], header_env: ["GUARD_TOKEN"] } },
    env: { GUARD_TOKEN: "Bearer of-the-service" },
  });
  return {
    rig,
    asked,
    headers,
    answer: (next) => {
      reply = next;
    },
    [Symbol.asyncDispose]: async () => {
      await rig[Symbol.asyncDispose]();
      await server.shutdown();
    },
  };
}

const textsOf = (asked: Json) => asList(asked.texts).map(asObject);

/** Replaces a word in every text that has it. */
const replacing = (word: string, by: string): Reply => (asked) => {
  const texts = textsOf(asked).filter(({ text }) => String(text).includes(word))
    .map(({ path, text }) => ({ path, text: String(text).replaceAll(word, by) }));
  return Response.json(
    texts.length === 0 ? { action: "allow" } : { action: "replace", patterns: ["WORD"], texts },
  );
};

const blocking = (word: string): Reply => (asked) =>
  Response.json(
    textsOf(asked).some(({ text }) => String(text).includes(word))
      ? { action: "block", patterns: ["WORD"] }
      : { action: "allow" },
  );

Deno.test("a service is told texts, paths, model, key and workspace, and never more", async () => {
  await using own = await external({ header_env: "GUARD_TOKEN" });
  const { rig, asked, headers } = own;
  const { status, raw } = await rig.ask({ api: "chat", stream: false, text: "hello there" });
  assert.equal(status, 200, raw);
  const [input, output] = asked;
  assert.ok(input && output);
  for (const one of [input, output]) {
    assert.deepEqual(Object.keys(one).sort(), [
      "guardrail_id",
      "key_hash",
      "model",
      "side",
      "texts",
      "version",
      "workspace_id",
    ]);
    assert.equal(one.guardrail_id, rig.guardrail);
    assert.equal(one.model, "mock/model");
    for (const text of textsOf(one)) assert.deepEqual(Object.keys(text).sort(), ["path", "text"]);
  }
  assert.deepEqual([input.side, output.side], ["input", "output"]);
  assert.ok(
    textsOf(input).some(({ path, text }) => text === "hello there" && /^input\.0\./.test(String(path))),
  );
  assert.ok(!JSON.stringify(asked).includes(rig.key));
  assert.equal(headers[0]?.get("authorization"), "Bearer of-the-service");
});

Deno.test("a service is told whole characters", async () => {
  await using own = await external();
  const { status, raw } = await own.rig.ask({ api: "chat", stream: false, text: "half \ud83d of one" });
  assert.equal(status, 200, raw);
  assert(own.asked.flatMap(textsOf).some(({ text }) => text === "half \ufffd of one"));
});

Deno.test("a service replaces by path, on each API, in both directions, whole and streamed", async () => {
  await using own = await external();
  const { rig } = own;
  own.answer(replacing("falcon", "[BIRD]"));
  for (const api of names) {
    for (const stream of [false, true]) {
      for (const place of places) {
        const text = `a falcon and ${"words ".repeat(400)}a falcon`;
        const said = place === "arguments" ? JSON.stringify({ to: text }) : text;
        rig.say({ place, pieces: said.match(/[^]{1,7}/g) ?? [] });
        const { status, texts, raw, response } = await rig.ask({ api, stream, text: "my falcon" });
        const name = `${api} ${place} ${stream}`;
        assert.equal(status, 200, raw);
        assert.equal(texts[place], said.replaceAll("falcon", "[BIRD]"), name);
        const sent = JSON.stringify(rig.upstream.requested.at(-1)?.body);
        assert.ok(sent.includes("my [BIRD]") && !sent.includes("falcon"), name);
        assert.ok(!raw.includes("falcon"), name);
        const receipt = asList((await receiptOf(rig.gateway, response)).guardrails).map(asObject);
        assert.deepEqual(receipt.map(({ action, label, side }) => [action, label, side]), [
          ["redacted", "WORD", "input"],
          ["redacted", "WORD", "output"],
        ], name);
      }
    }
  }
});

Deno.test("a service blocks requests before anybody is called, and responses before or while they go out", async () => {
  await using own = await external();
  const { rig } = own;
  own.answer(blocking("falcon"));
  for (const api of names) {
    for (const stream of [false, true]) {
      const before = rig.upstream.requested.length;
      const blocked = await rig.ask({ api, stream, text: "my falcon" });
      assert.equal(blocked.status, 403, blocked.raw);
      assert.match(blocked.raw, /"WORD"/);
      assert.equal(rig.upstream.requested.length, before);
      rig.say({ place: "text", pieces: ["a falcon"] });
      assert.equal((await rig.ask({ api, stream })).status, 403);
      rig.say({ place: "text", pieces: [..."words ".repeat(400), "a falcon ", "more ".repeat(300)] });
      const late = await rig.ask({ api, stream });
      assert.equal(late.status, stream ? 200 : 403, late.raw.slice(0, 300));
      assert.ok(late.error !== undefined || late.raw.includes("response.failed"), late.raw.slice(-400));
      assert.ok(!late.raw.includes("falcon"));
      rig.say({ place: "text", pieces: ["ok"] });
    }
  }
});

Deno.test("texts that were judged are not told again, and the filters come first", async () => {
  await using own = await external({}, { content_filters: [{ pattern: "id-\\d{4}", action: "redact" }] });
  const { rig, asked } = own;
  const messages = [
    { role: "user", content: "see id-4711" },
    { role: "assistant", content: "see id-4711" },
    { role: "user", content: "see id-4711" },
  ];
  assert.equal((await rig.ask({ api: "chat", stream: false, more: { messages } })).status, 200);
  assert.equal(asked.length, 2, "one call for the request, one for the response");
  assert.ok(!JSON.stringify(asked).includes("id-4711"));
});

const failures: { readonly [name: string]: Reply } = {
  "a status": () => new Response("no", { status: 500 }),
  "no JSON": () => new Response("allow"),
  "another form": () => Response.json({ action: "perhaps" }),
  "a list": () => Response.json([{ action: "allow" }]),
  "a redirect inside": () =>
    new Response(null, { status: 307, headers: { location: "http://127.0.0.1:1/" } }),
  "too much": () => new Response(`{"action":"allow","more":"${"x".repeat(5 * 1024 * 1024)}"}`),
  "half a reply": () => new Response('{"action":"al'),
};

Deno.test("where the service fails, closed blocks and open lets through, and the stage says so", async () => {
  for (const fail of ["closed", "open"] as const) {
    await using own = await external({ fail });
    const { rig } = own;
    for (const [name, reply] of Object.entries(failures)) {
      for (const stream of [false, true]) {
        own.answer(reply);
        const before = rig.upstream.requested.length;
        const headers = { "x-service-metadata": "enabled" };
        const { status, raw } = await rig.ask({ api: "chat", stream, headers, text: "hello" });
        assert.equal(status, fail === "open" ? 200 : 403, `${name}: ${raw}`);
        assert.match(raw, /The service could not be asked/, name);
        assert.equal(rig.upstream.requested.length - before, fail === "open" ? 1 : 0, name);
      }
    }
    assert.equal(rig.gateway.logged.filter((line) => line.includes("cannot be asked")).length, 1);
  }
});

/** As it was saved when the settings allowed it. */
async function storeUrl({ gateway: { store }, guardrail }: Guarded, url: string): Promise<void> {
  const rows = guardrailCollection(store);
  const found = await rows.get(guardrail);
  assert.ok(found?.record.external);
  const changed = { ...found.record, external: { ...found.record.external, url } };
  await store.commit({ puts: [rows.put([guardrail], changed)] });
}

Deno.test("a service that is down or not allowed is one that fails", async () => {
  await using own = await external();
  const { rig } = own;
  const asIs = { type: "http" };
  for (const url of ["http://127.0.0.1:1/", "http://10.0.0.1/judge", "https://[::1]/"]) {
    await storeUrl(rig, url);
    await rig.set({ external: { ...asIs, url } });
    assert.equal((await rig.ask({ api: "chat", stream: false })).status, 403, url);
    await rig.set({ external: { ...asIs, url, fail: "open" } });
    assert.equal((await rig.ask({ api: "chat", stream: false })).status, 200, url);
  }
  await rig.set({ external: null });
  assert.equal((await rig.ask({ api: "chat", stream: false })).status, 200);
});

Deno.test("a slow service is given its time and no more", async () => {
  await using own = await external({ timeout_ms: 100 });
  const held = Promise.withResolvers<Response>();
  own.answer(() => held.promise);
  const { status, raw } = await own.rig.ask({ api: "chat", stream: false });
  assert.equal(status, 403);
  assert.match(raw, /could not be judged/);
  held.resolve(Response.json({ action: "allow" }));
});

Deno.test("only the sides that are named are told", async () => {
  for (const side of ["input", "output"] as const) {
    await using own = await external({ on: [side] });
    assert.equal((await own.rig.ask({ api: "responses", stream: true, text: "hello" })).status, 200);
    assert.deepEqual([...new Set(own.asked.map((one) => one.side))], [side]);
  }
});

const asksJson: { readonly [A in typeof names[number]]: Json } = {
  responses: { text: { format: { type: "json_object" } } },
  chat: { response_format: { type: "json_object" } },
  messages: {
    output_config: {
      format: {
        type: "json_schema",
        schema: { type: "object", properties: {}, required: [], additionalProperties: true },
      },
    },
  },
};

/** A provider's words, the texts in them that a service is told, and the JSON that the client reads. */
const jsonRows: readonly (readonly [said: string, told: readonly string[], read: unknown])[] = [
  ['{"v":"a \\u0066alcon","n":12}', ["v", "a falcon", "n"], { v: "a [BIRD]", n: 12 }],
  ['{"\\u0066alcon":["\\"falcon\\""]}', ["falcon", '"falcon"'], { "[BIRD]": ['"[BIRD]"'] }],
  ['{"v":"{\\"w\\":\\"f\\\\u0061lcon\\"}"}', ["v", "w", "falcon"], { v: '{"w":"[BIRD]"}' }],
  [`{"v":"${"words ".repeat(400)}f\\u0061lcon"}`, ["v", `${"words ".repeat(400)}falcon`], {
    v: `${"words ".repeat(400)}[BIRD]`,
  }],
];

/** 0 stands for the whole answer. */
const cutsOf = (said: string) => [...Array(said.length).keys()].filter((cut) => cut % 4 === 0);

Deno.test("a service is told the values of what is JSON, on each API, whole and streamed", async () => {
  await using own = await external({ on: ["output"] });
  const { rig, asked } = own;
  own.answer(replacing("falcon", "[BIRD]"));
  for (const [said, told, read] of jsonRows) {
    for (const place of ["text", "arguments"] as const) {
      for (const api of names) {
        for (const cut of said.length > 100 ? [0, 7, 2_000] : cutsOf(said)) {
          asked.length = 0;
          rig.say({ place, pieces: [said.slice(0, cut), said.slice(cut)] });
          const more = place === "text" ? asksJson[api] : {};
          const { texts, raw } = await rig.ask({ api, stream: cut > 0, more });
          const name = `${api} ${place} ${cut}: ${said.slice(-60)}`;
          assert.deepEqual(JSON.parse(texts[place]), read, `${name} ${raw.slice(0, 400)}`);
          const all = asked.flatMap(textsOf).map(({ text }) => text);
          for (const text of told) assert.ok(all.includes(text), `${name}: ${text}`);
          assert.ok(all.every((text) => !/\\u00|^\{/.test(String(text))), `${name}: ${all}`);
        }
      }
    }
  }
});

Deno.test("a service is told an answer as text from which no JSON came, though it was asked for", async () => {
  await using own = await external({ on: ["output"] });
  const { rig } = own;
  own.answer(replacing("falcon", "[BIRD]"));
  for (const said of ["I saw a falcon.", '{"v":"a falcon', '```json\n{"v":"falcon"}\n```', "falcon {"]) {
    for (const api of names) {
      for (const pieces of [[said], [...said]]) {
        rig.say({ place: "text", pieces });
        for (const stream of [false, true]) {
          const { texts, raw } = await rig.ask({ api, stream, more: asksJson[api] });
          assert.equal(texts.text, said.replace("falcon", "[BIRD]"), `${api} ${stream} ${raw.slice(0, 300)}`);
        }
      }
    }
  }
});
