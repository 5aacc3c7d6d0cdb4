/** `service:web_fetch`: pages and documents, their limits, and addresses that may not be fetched. */

import assert from "node:assert/strict";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { quickReaderRig } from "../support/quick_reader.ts";
import { readerRig } from "../support/reader.ts";
import { apis, calls, itemsOf, says, send, type Turns, wholeOf } from "./rig.ts";
import { type WebRig, withWeb } from "./web_rig.ts";

const page = `<!doctype html><title>The page</title><article><h2>Heading</h2>${
  "<p>A paragraph of the article, with commas, and with enough words to be worth reading.</p>".repeat(8)
}</article>`;

const typed = (body: string | Uint8Array<ArrayBuffer>, type: string) =>
  new Response(body, { headers: { "content-type": type } });

function pages(path: string): Response {
  switch (path) {
    case "/page":
      return typed(page, "text/html");
    case "/text":
      return typed("word ".repeat(50_000), "text/plain");
    case "/json":
      return typed('{"answer":42}', "application/json");
    case "/image":
      return typed(new Uint8Array([1, 2, 3]), "image/png");
    case "/binary":
      return typed(new Uint8Array([0, 1, 2, 255]), "application/octet-stream");
    case "/menu":
      return typed(`<nav><a href="/">Menu of the site</a></nav>${page}`, "text/html");
    case "/moved":
      return new Response(null, { status: 302, headers: { location: "/json" } });
    case "/away":
      return new Response(null, { status: 302, headers: { location: "https://169.254.169.254/latest" } });
    case "/blank":
      return typed("  \n", "text/plain");
    case "/app":
      return typed('<div id="root"></div><script src="/app.js"></script>', "text/html");
    default:
      return new Response("No.", { status: 404 });
  }
}

const fetching = (url: string): Turns => (turn) =>
  turn === 0 ? [calls("web_fetch", { args: { url } })] : [says(`Read ${url}.`)];

interface Fetched {
  readonly item: Json;
  /** Output that the model read. */
  readonly output: Json;
  readonly result: Json;
}

async function fetched({ gateway, plan, taken }: WebRig, url: string, settings: Json = {}): Promise<Fetched> {
  plan(fetching(url));
  const tools = [{ type: "service:web_fetch", ...settings }];
  const result = wholeOf(await send(gateway, { body: { model: "mock/chat", input: "?", tools } }));
  const item = itemsOf(result).find(({ type }) => type === "service:web_fetch");
  const messages = asList(taken("chat").at(-1)?.messages).map(asObject);
  const told = messages.find(({ role }) => role === "tool");
  return { item: item ?? {}, output: asObject(JSON.parse(String(told?.content))), result };
}

Deno.test("web_fetch reads a page, and its address can be cited", async () => {
  await using reader = readerRig();
  await withWeb({ pages, gateway: { keeper: reader.keeper } }, async (rig) => {
    const url = `${rig.site}/page`;
    const { item, output, result } = await fetched(rig, url);
    assert.deepEqual([item.status, item.url, item.title, item.httpStatus], [
      "completed",
      url,
      "The page",
      200,
    ]);
    assert.match(String(item.content), /^## Heading\n\nA paragraph/);
    assert.equal(output.content, item.content);
    const message = itemsOf(result).find(({ type }) => type === "message");
    const [cited] = asList(asObject(asList(message?.content)[0]).annotations).map(asObject);
    assert.deepEqual([cited?.url, cited?.title], [url, "The page"]);
  });
});

Deno.test("web_fetch says that a page has no readable text, and why", async () => {
  await using reader = quickReaderRig();
  await withWeb({ pages, gateway: { keeper: reader.keeper } }, async (rig) => {
    for (const [path, why] of [["/blank", "it is empty"], ["/app", "it is made by scripts"]]) {
      const { item, output } = await fetched(rig, `${rig.site}${path}`);
      assert.deepEqual([item.status, item.httpStatus, item.content], ["incomplete", 200, undefined]);
      assert.ok(
        String(output.error).startsWith(`The page has no readable text: ${why}`),
        String(output.error),
      );
    }
  });
});

Deno.test("web_fetch reads text and JSON, follows redirects, and names what it cannot read", async () => {
  await withWeb({ pages }, async (rig) => {
    const json = await fetched(rig, `${rig.site}/json`);
    assert.equal(json.output.content, '{"answer":42}');
    const moved = await fetched(rig, `${rig.site}/moved`);
    assert.deepEqual([moved.output.url, moved.item.url], [`${rig.site}/json`, `${rig.site}/json`]);
    const image = await fetched(rig, `${rig.site}/image`);
    assert.equal(image.item.status, "incomplete");
    assert.match(String(image.output.error), /3 bytes.*image\/png/);
    const binary = await fetched(rig, `${rig.site}/binary`);
    assert.match(String(binary.output.error), /4 bytes.*application\/octet-stream/);
    const missing = await fetched(rig, `${rig.site}/missing`);
    assert.deepEqual([missing.item.httpStatus, missing.item.status], [404, "incomplete"]);
    assert.match(String(missing.output.error), /404/);
  });
});

Deno.test("web_fetch gives as much as max_content_tokens says, and fits the limit of a result", async () => {
  await withWeb({ pages }, async (rig) => {
    const short = await fetched(rig, `${rig.site}/text`, { max_content_tokens: 100 });
    const words = String(short.output.content).trim().split(" ").length;
    assert.ok(words >= 90 && words <= 101, `${words} words`);
    assert.equal(short.output.truncated, true);
    const long = await fetched(rig, `${rig.site}/text`);
    assert.ok(String(long.output.content).length > 30_000);
    assert.ok(JSON.stringify(long.output).length < 64 * 1024);
    assert.doesNotMatch(String(long.output.content), /left out/);
  });
});

Deno.test("web_fetch holds its lists of domains on every address, and its uses", async () => {
  await withWeb({ pages }, async (rig) => {
    const refused: readonly (readonly [string, Json])[] = [
      [`${rig.site}/json`, { allowed_domains: ["example.com"] }],
      [`${rig.site}/json`, { parameters: { blocked_domains: ["127.0.0.1"] } }],
      [`${rig.site}/moved`, { allowed_domains: ["127.0.0.1/moved"] }],
      [`${rig.site}/%6Ason`, { blocked_domains: ["127.0.0.1/json"] }],
      [`${rig.site}//./json`, { blocked_domains: ["127.0.0.1/json/"] }],
      [`${rig.site}/text/..%2Fjson`, { allowed_domains: ["127.0.0.1/text"] }],
      [`${rig.site}/text/%2e%2e/json`, { allowed_domains: ["127.0.0.1/text"] }],
    ];
    for (const [url, settings] of refused) {
      const { item, output } = await fetched(rig, url, settings);
      assert.equal(item.status, "incomplete");
      assert.match(String(output.error), /does not allow/);
    }
    assert.deepEqual(rig.fetched, ["/moved"]);
    const allowed = await fetched(rig, `${rig.site}//%6Ason`, { allowed_domains: ["127.0.0.1/json"] });
    assert.equal(allowed.item.status, "incomplete", "this site has no such page");
    assert.deepEqual(rig.fetched, ["/moved", "//%6Ason"]);
    rig.plan((turn) =>
      turn < 2
        ? [calls("web_fetch", { args: { url: `${rig.site}/json` }, id: `call_${turn}` })]
        : [says("Done.")]
    );
    const tools = [{ type: "service:web_fetch", max_uses: 1 }];
    const result = wholeOf(await send(rig.gateway, { body: { model: "mock/chat", input: "?", tools } }));
    assert.deepEqual(itemsOf(result).slice(0, 2).map(({ status }) => status), ["completed", "incomplete"]);
  });
});

/** Forms of addresses of this machine and of private networks (security.md 3.4). */
const forbidden = [
  "https://127.0.0.1/",
  "https://2130706433/",
  "https://0x7f000001/",
  "https://[::1]/",
  "https://[::ffff:127.0.0.1]/",
  "https://0.0.0.0/",
  "https://localhost/",
  "https://10.0.0.1/",
  "https://169.254.169.254/latest/meta-data",
  "https://metadata.google.internal/",
  "https://user:password@example.com/",
  "http://example.com/",
  "https://example.com:22/",
  "file:///etc/passwd",
  "ftp://example.com/",
  "javascript:alert(1)",
  "not an address",
];

Deno.test("web_fetch reaches nothing that a guarded fetch may not reach", async () => {
  await withWeb({ pages }, async (rig) => {
    for (const url of forbidden) {
      const { item, output } = await fetched(rig, url);
      assert.equal(item.status, "incomplete", url);
      assert.ok(String(output.error).length > 10, url);
      assert.equal(output.content, undefined, url);
    }
    const away = await fetched(rig, `${rig.site}/away`);
    assert.equal(away.item.status, "incomplete");
    assert.deepEqual(rig.fetched, ["/away"], "nothing else was asked");
  });
});

Deno.test("a page is shown on every API, and taken back with the next request", async () => {
  await withWeb({ pages }, async (rig) => {
    const { gateway, plan, taken, site } = rig;
    const tools = [{ type: "service:web_fetch" }];
    for (const api of apis) {
      plan(fetching(`${site}/json`));
      const question = { role: "user", content: "?" };
      const said = api === "responses" ? { input: [question] } : { messages: [question] };
      const more = api === "messages" ? { max_tokens: 500 } : {};
      const body = { model: "mock/responses", tools, ...more, ...said };
      const first = wholeOf(await send(gateway, { api, body }));
      if (api === "messages") {
        const types = asList(first.content).map((block) => asObject(block).type);
        assert.deepEqual(types, ["server_tool_use", "web_fetch_tool_result", "text"]);
      }
      plan(() => [says("Again.")]);
      const [choice] = asList(first.choices ?? []).map(asObject);
      const again = api === "responses" ? { input: [question, ...itemsOf(first), question] } : {
        messages: [
          question,
          api === "chat" ? asObject(choice?.message) : { role: "assistant", content: first.content },
          question,
        ],
      };
      wholeOf(await send(gateway, { api, body: { ...body, ...again } }));
      const sent = JSON.stringify(taken("responses").at(-1));
      for (const part of [`${site}/json`, "answer"]) assert.ok(sent.includes(part), `${api}: ${sent}`);
    }
  });
});

/** Anthropic's codes for what goes wrong. */
const codes: readonly (readonly [path: string, settings: Json, code: string])[] = [
  ["/json", { allowed_domains: ["example.com"] }, "url_not_allowed"],
  ["/json", { blocked_domains: ["127.0.0.1"] }, "url_not_allowed"],
  ["/away", {}, "url_not_allowed"],
  ["/missing", {}, "url_not_accessible"],
  ["/blank", {}, "url_not_accessible"],
  ["/image", {}, "unsupported_content_type"],
  ["/binary", {}, "unsupported_content_type"],
  ["not an address", {}, "invalid_input"],
];

Deno.test("web_fetch says on the Messages API what went wrong in Anthropic's codes", async () => {
  await withWeb({ pages }, async ({ gateway, plan, site }) => {
    for (const [path, settings, code] of codes) {
      plan(fetching(path.startsWith("/") ? site + path : path));
      const tools = [{ type: "service:web_fetch", ...settings }];
      const body = { model: "mock/chat", max_tokens: 500, tools, messages: [{ role: "user", content: "?" }] };
      const reply = wholeOf(await send(gateway, { api: "messages", body }));
      const result = asList(reply.content).map(asObject).find(({ type }) => type === "web_fetch_tool_result");
      assert.deepEqual(result?.content, { type: "web_fetch_tool_result_error", error_code: code }, path);
    }
    plan((turn) =>
      turn < 2 ? [calls("web_fetch", { args: { url: `${site}/json` }, id: `call_${turn}` })] : [says("Done.")]
    );
    const tools = [{ type: "service:web_fetch", max_uses: 1 }];
    const body = { model: "mock/chat", max_tokens: 500, tools, messages: [{ role: "user", content: "?" }] };
    const reply = wholeOf(await send(gateway, { api: "messages", body }));
    const kinds = asList(reply.content).map(asObject).filter(({ type }) => type === "web_fetch_tool_result")
      .map(({ content }) => asObject(content).error_code);
    assert.deepEqual(kinds, [undefined, "max_uses_exceeded"]);
  });
});

Deno.test("web_fetch says on every API what was left out of a page, also in the next request", async () => {
  await using reader = quickReaderRig();
  await withWeb({ pages, gateway: { keeper: reader.keeper } }, async (rig) => {
    const { item, output } = await fetched(rig, `${rig.site}/menu`);
    assert.match(String(output.left_out), /navigation of the page was left out: \d+ %/);
    assert.equal(item.left_out, output.left_out);
    const { gateway, plan, taken, site } = rig;
    plan(fetching(`${site}/menu`));
    const question = { role: "user", content: "?" };
    const body = { model: "mock/responses", max_tokens: 500, tools: [{ type: "service:web_fetch" }] };
    const first = wholeOf(await send(gateway, { api: "messages", body: { ...body, messages: [question] } }));
    plan(() => [says("Again.")]);
    const messages = [question, { role: "assistant", content: first.content }, question];
    wholeOf(await send(gateway, { api: "messages", body: { ...body, messages } }));
    assert.match(JSON.stringify(taken("responses").at(-1)), /navigation of the page was left out/);
  });
});
