import assert from "node:assert/strict";
import { startLocalProvider } from "../../server/local_provider/local_provider.ts";
import { createRuntime } from "../../server/runtime.ts";
import { tickingClock } from "../support/ticking_clock.ts";
import { withLocal } from "./rig.ts";

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const runtime = { ...createRuntime(silent), clock: tickingClock() };
const body = JSON.stringify({ model: "local/echo", input: "hi" });

Deno.test("startLocalProvider lets nobody in without its secret", () =>
  withLocal(async ({ baseUrl, headers, post }) => {
    for (const authorization of ["", "Bearer", "Bearer x", `${headers.authorization}x`]) {
      const response = await fetch(`${baseUrl}/responses`, {
        method: "POST",
        headers: { authorization },
        body,
      });
      assert.equal(response.status, 401);
      assert.equal((await response.json()).error.code, "invalid_api_key");
    }
    const fine = await post({ model: "local/echo", input: "hi" });
    assert.equal(fine.status, 200);
    assert.match(fine.headers.get("x-request-id") ?? "", /^req_\w{24}$/);
    await fine.body?.cancel();
    assert.match(baseUrl, /^http:\/\/127\.0\.0\.1:\d+$/);
  }));

Deno.test("startLocalProvider answers other paths, methods and models like a provider", () =>
  withLocal(async ({ baseUrl, headers, post }) => {
    for (
      const [path, method] of [["/responses", "GET"], ["/models", "GET"], ["/responses/", "POST"]] as const
    ) {
      const response = await fetch(baseUrl + path, { method, headers });
      assert.equal(response.status, 404);
      assert.equal((await response.json()).error.type, "invalid_request_error");
    }
    for (const model of ["nope", "fault/nope", "fault/constructor", ""]) {
      const response = await post({ model, input: "hi" });
      assert.deepEqual([response.status, (await response.json()).error.code], [404, "model_not_found"]);
    }
    for (const text of ["", "{", "[1", "null", "5", "[]"]) {
      const response = await post(undefined, { body: text });
      assert.equal(response.status, 400, text);
      await response.body?.cancel();
    }
  }));

Deno.test("startLocalProvider has no faults unless told so", async () => {
  const local = startLocalProvider({ runtime });
  const body = JSON.stringify({ model: "fault/500", input: "hi" });
  const response = await fetch(`${local.baseUrl}/responses`, {
    method: "POST",
    headers: local.headers,
    body,
  });
  assert.equal(response.status, 404);
  await response.body?.cancel();
  await local.close();
});

Deno.test("startLocalProvider without a port answers in process", async () => {
  const local = startLocalProvider({ runtime, listen: false, faultLab: true });
  const request = (model: string) =>
    new Request(`${local.baseUrl}/responses`, {
      method: "POST",
      headers: local.headers,
      body: JSON.stringify({ model, input: "hi" }),
    });
  assert.equal(
    (await (await local.fetch(request("local/priced"))).json()).output[0].content[0].text,
    "You said: hi",
  );
  await assert.rejects(local.fetch(request("fault/refuse")), /closed on purpose/);
  const cut = await local.fetch(request("fault/cut"));
  await assert.rejects(cut.text(), /broken on purpose/);
  await local.close();
});

Deno.test("startLocalProvider survives callers that leave in the middle", () =>
  withLocal(async ({ post, ask }) => {
    for (let after = 0; after < 12; after++) {
      const leave = new AbortController();
      const response = await post({ model: "local/echo", input: "word ".repeat(500), stream: true }, {
        signal: leave.signal,
      });
      const reader = (response.body ?? new Blob().stream()).getReader();
      for (let read = 0; read < after; read++) await reader.read();
      leave.abort();
      await reader.read().catch((error) => assert.equal(error.name, "AbortError"));
    }
    assert.equal((await ask({ input: "hi" })).status, "completed");
  }));
