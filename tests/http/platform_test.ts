/**
 * The second API: a platform listens itself and hands requests in. Everything else goes through the gateway's own.
 */

import assert from "node:assert/strict";
import { ask, readError, readJson } from "../support/call.ts";
import { checkStream, readStream } from "../support/event_stream.ts";
import { type Gateway, providerAt, startGateway } from "../support/gateway.ts";
import { rawExchange } from "../support/raw.ts";
import { says, scripted } from "../support/scripted.ts";
import { withFaults } from "../faults/rig.ts";
import { until } from "../support/until.ts";

async function withPlatform(test: (gateway: Gateway) => Promise<void>): Promise<void> {
  await using upstream = scripted(says("responses", "Hello"));
  await using gateway = await startGateway({ platform: true, providers: [providerAt(upstream.baseUrl)] });
  await test(gateway);
}

const question = { model: "mock/model", input: "Hi" };

Deno.test("a platform's requests are answered whole and streamed", () =>
  withPlatform(async (gateway) => {
    const whole = await readJson(await ask(gateway, question));
    assert.equal(whole.status, "completed");
    const streamed = await readStream(await ask(gateway, { ...question, stream: true }));
    assert.equal(checkStream(streamed).status, "completed");
    const length = 20_000;
    const body = JSON.stringify({ ...question, input: "x".repeat(length) });
    const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const { status } = await rawExchange(
      gateway.port,
      `POST /v1/responses HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.apiKey}\r\n` +
        `Transfer-Encoding: chunked\r\n\r\n${chunks}`,
    );
    assert.equal(status, 200);
  }));

Deno.test("a platform's requests are refused as others are", () =>
  withPlatform(async (gateway) => {
    assert.equal((await readError(await ask(gateway, "{"))).status, 400);
    assert.equal((await readError(await ask({ ...gateway, apiKey: "nobody" }, question))).status, 401);
    const { status } = await rawExchange(gateway.port, "GET /v1/models HTTP/1.1\r\nHost: x/y?\r\n\r\n");
    assert.equal(status, 400);
    const unknown = await fetch(`${gateway.url}/nowhere`, { method: "HEAD" });
    assert.equal(unknown.status, 404);
  }));

Deno.test("a platform's requests with a Transfer-Encoding other than chunked are 400", () =>
  withPlatform(async (gateway) => {
    const body = JSON.stringify(question);
    const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const statusOf = async (coding: string) => {
      const head = `POST /v1/responses HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.apiKey}\r\n`;
      return (await rawExchange(gateway.port, `${head}Transfer-Encoding: ${coding}\r\n\r\n${chunks}`)).status;
    };
    for (const coding of ["chunked", "Chunked"]) assert.equal(await statusOf(coding), 200, coding);
    const others = ["gzip, chunked", "chunked, chunked", "identity, chunked", "gzip,chunked", "deflate", "x"];
    for (const coding of others) assert.equal(await statusOf(coding), 400, coding);
  }));

Deno.test("C1 a platform's client that leaves is heard, as far as the platform tells", () =>
  withFaults({ platform: true }, async ({ ask, faultd }) => {
    for (const stream of [false, true]) {
      const leave = new AbortController();
      const requested = ask({ fault: "hang", stream, signal: leave.signal });
      await until(() => faultd.open() === 1);
      leave.abort();
      await assert.rejects(requested);
      await until(() => faultd.open() === 0, { what: "the end of the upstream call" });
    }
    const leave = new AbortController();
    const response = await ask({ fault: "stall-after-3", stream: true, signal: leave.signal });
    await response.body?.getReader().read();
    leave.abort();
    await until(() => faultd.open() === 0, { what: "the end of the upstream call" });
  }));
