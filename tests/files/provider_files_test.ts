/** Files at OpenAI and Anthropic, reached through the gateway with the workspace's own key. */

import assert from "node:assert/strict";
import { readError } from "../support/call.ts";
import { fakeClock } from "../support/clock.ts";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { fileCall, upload, utf8 } from "../support/files.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { httpStub } from "../support/http_stub.ts";
import { managed } from "../support/manage.ts";

const env = { TOLLGATE_MASTER_KEY: new Uint8Array(32).fill(9).toBase64() };
const KEY = "sk-workspace-key-0123456789abcdef";
type Provider = "openai" | "anthropic";

interface Seen {
  readonly line: string;
  readonly headers: Headers;
  readonly form?: FormData;
}

/** Both file APIs at once: what they are sent, and what they answer. */
function providerStub(answer: (line: string) => Response | undefined = () => undefined) {
  const seen: Seen[] = [];
  const stub = httpStub(async (request) => {
    const { pathname, search } = new URL(request.url);
    const line = `${request.method} ${pathname}${search}`;
    const form = request.method === "POST" ? await request.formData() : undefined;
    seen.push({ line, headers: request.headers, form });
    return answer(line) ?? Response.json({ error: { message: "unexpected" } }, { status: 418 });
  });
  return { ...stub, seen, [Symbol.asyncDispose]: stub[Symbol.asyncDispose] };
}

async function gatewayAt(url: string): Promise<Gateway> {
  const gateway = await startGateway({
    env: { ...env, OPENAI_BASE_URL: `${url}/v1`, ANTHROPIC_BASE_URL: `${url}/v1` },
  });
  for (const provider of ["openai", "anthropic"]) {
    const made = await managed(gateway, { call: "POST /byok", body: { provider, key: KEY } });
    assert.equal(made.status, 201, JSON.stringify(made.body));
  }
  return gateway;
}

const openAiFile = {
  id: "file-1",
  object: "file",
  bytes: 6,
  created_at: 1_790_000_000,
  filename: "a.txt",
  purpose: "user_data",
  status: "uploaded",
};
const anthropicFile = {
  id: "file_1",
  type: "file",
  filename: "a.txt",
  mime_type: "text/plain",
  size_bytes: 6,
  created_at: "2026-11-23T00:00:00Z",
  downloadable: true,
};
const files: Readonly<Record<Provider, Json>> = { openai: openAiFile, anthropic: anthropicFile };
const shaped: Readonly<Record<Provider, Json>> = {
  openai: { _shape: "openai", ...openAiFile },
  anthropic: { _shape: "anthropic", ...anthropicFile, created_at: "2026-11-23T00:00:00.000Z" },
};

for (const provider of ["openai", "anthropic"] as const) {
  Deno.test(`provider=${provider}: the five operations go to that provider with the workspace's key`, async () => {
    await using stub = providerStub((line) => {
      if (line.startsWith("DELETE")) return Response.json({ id: files[provider].id, deleted: true });
      if (line.includes("/content")) return new Response("content");
      if (line.includes("?limit")) return Response.json({ data: [files[provider]], has_more: true });
      return Response.json({ ...files[provider], secret: "not ours to show" });
    });
    await using gateway = await gatewayAt(stub.url);
    const query = `?provider=${provider}`;
    const made = await upload(gateway, { query, name: "ü 'x'.txt", fields: { purpose: "vision" } });
    assert.deepEqual(made, { status: 200, body: shaped[provider] });
    const at = async (path: string, method = "GET") =>
      await (await fileCall(gateway, { path, token: gateway.apiKey, method })).json();
    const id = String(files[provider].id);
    const list = asObject(await at(`${query}&limit=7&after=${id}&purpose=vision`));
    assert.deepEqual([asList(list.data), list.has_more, list.last_id], [[shaped[provider]], true, id]);
    assert.deepEqual(await at(`/${id}${query}`), shaped[provider]);
    assert.equal(asObject(await at(`/${id}${query}`, "DELETE")).id, id);
    const content = await fileCall(gateway, { path: `/${id}/content${query}`, token: gateway.managementKey });
    assert.deepEqual([content.headers.get("content-security-policy"), await content.text()], [
      "sandbox",
      "content",
    ]);
    const after = provider === "openai" ? "after=file-1&order=desc&purpose=vision" : "after_id=file_1";
    assert.deepEqual(stub.seen.map(({ line }) => line), [
      "POST /v1/files",
      `GET /v1/files?limit=7&${after}`,
      `GET /v1/files/${id}`,
      `DELETE /v1/files/${id}`,
      `GET /v1/files/${id}/content`,
    ]);
    for (const { headers } of stub.seen) {
      const key = provider === "openai" ? headers.get("authorization") : `Bearer ${headers.get("x-api-key")}`;
      assert.equal(key, `Bearer ${KEY}`);
      assert.equal(JSON.stringify([...headers]).includes(gateway.apiKey), false);
    }
    const [{ form } = {}] = stub.seen;
    const file = form?.get("file");
    assert(file instanceof File);
    assert.deepEqual([file.name, await file.text()], ["ü 'x'.txt", "hello\n"]);
    assert.equal(form?.get("purpose"), provider === "openai" ? "vision" : null);
  });

  Deno.test(`provider=${provider}: its errors become those of the operation`, async () => {
    let status = 0;
    await using stub = providerStub(() =>
      Response.json({ error: { message: "its own words" } }, {
        status,
        headers: { "retry-after": "7", location: "https://elsewhere.example" },
      })
    );
    await using gateway = await gatewayAt(stub.url);
    const expected: readonly (readonly [number, number, RegExp])[] = [
      [400, 400, /its own words/],
      [401, 400, /key is refused/],
      [403, 400, /key is refused/],
      [404, 404, /has no file with this id/],
      [418, 502, /status 418/],
      [429, 429, /limits the rate/],
      [500, 502, /status 500/],
      [302, 502, /status 302/],
    ];
    for (const [theirs, ours, message] of expected) {
      status = theirs;
      for (
        const [path, method] of [["", "GET"], ["/x", "GET"], ["/x", "DELETE"], ["/x/content", "GET"]] as const
      ) {
        const token = gateway.managementKey;
        const error = await readError(
          await fileCall(gateway, { path: `${path}?provider=${provider}`, token, method }),
        );
        assert.deepEqual([error.status, message.test(error.message)], [ours, true], error.message);
        assert.equal(error.headers.get("retry-after"), ours === 429 ? "7" : null);
        assert.equal(JSON.stringify(error.body).includes(KEY), false);
      }
      if (theirs === 404) continue;
      const { status: uploaded } = await upload(gateway, { query: `?provider=${provider}` });
      assert.equal(uploaded, ours);
    }
  });
}

Deno.test("without a key of the workspace, or with one that is not for this caller, 400 says how to add one", async () => {
  await using stub = providerStub();
  await using gateway = await startGateway({
    env: { ...env, OPENAI_BASE_URL: `${stub.url}/v1`, OPENAI_API_KEY: "sk-gateway-key-000000000000" },
  });
  const refused = async () => {
    const { status, message } = await readError(
      await fileCall(gateway, { path: "?provider=openai", token: gateway.apiKey }),
    );
    assert.equal(status, 400);
    assert.match(message, /The workspace has no OpenAI key\. Add one with POST \/v1\/byok/);
  };
  await refused();
  const body = { provider: "openai", key: KEY, allowed_api_key_hashes: ["0".repeat(64)] };
  await managed(gateway, { call: "POST /byok", body });
  await refused();
  assert.deepEqual(stub.seen, []);
});

Deno.test("a provider that is not there, breaks off, or sends what is no JSON is 502; its content breaks the connection", async () => {
  let content = "";
  await using stub = providerStub((line) => {
    if (line.includes("/content")) {
      return new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(utf8("half"));
            controller.error(new Error("cut"));
          },
        }),
        { headers: { "content-length": "8" } },
      );
    }
    return new Response(content);
  });
  await using gateway = await gatewayAt(stub.url);
  const token = gateway.managementKey;
  for (content of ["", "[]", "<html>", '{"object":"file"}']) {
    const { status } = await readError(await fileCall(gateway, { path: "/x?provider=openai", token }));
    assert.equal(status, 502, content);
  }
  const broken = await fileCall(gateway, { path: "/x/content?provider=openai", token });
  await assert.rejects(broken.text());
  for (const odd of ["..%2F..%2Fmodels", "a%3Fb", "%F0%9F%92%A9", "x".repeat(201)]) {
    const { status } = await readError(await fileCall(gateway, { path: `/${odd}?provider=openai`, token }));
    assert.equal(status, 404);
  }
});

Deno.test("content of more than 512 MiB is not passed on", async () => {
  let told = true;
  await using stub = providerStub(() => {
    const chunk = new Uint8Array(4 * 1024 * 1024);
    let left = 150;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => left-- > 0 ? controller.enqueue(chunk) : controller.close(),
    });
    return new Response(body, told ? { headers: { "content-length": String(150 * chunk.length) } } : {});
  });
  await using gateway = await gatewayAt(stub.url);
  const get = () => fileCall(gateway, { path: "/x/content?provider=openai", token: gateway.managementKey });
  assert.match((await readError(await get())).message, /larger than 512 MiB/);
  told = false;
  let size = 0;
  await assert.rejects(async () => {
    for await (const bytes of (await get()).body ?? []) size += bytes.length;
  });
  assert(size <= 512 * 1024 * 1024);
});

Deno.test("a provider that does not answer within 60 s is 502", async () => {
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  await using stub = httpStub(async () => {
    ask();
    await over;
    return new Response("late");
  });
  const clock = fakeClock();
  await using gateway = await startGateway({
    clock,
    env: { ...env, OPENAI_BASE_URL: `${stub.url}/v1` },
  });
  await managed(gateway, { call: "POST /byok", body: { provider: "openai", key: KEY } });
  const waiting = fileCall(gateway, { path: "/x?provider=openai", token: gateway.apiKey });
  await asked;
  await clock.advanceOnce(() => clock.open > 0, 60_001);
  const { status, message } = await readError(await waiting);
  assert.deepEqual([status, message], [502, "OpenAI did not answer within 60 s."]);
  end();
});
