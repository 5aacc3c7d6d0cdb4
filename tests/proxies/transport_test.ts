/** Calls of providers and guarded fetches through a real forward proxy, and through broken ones. */

import assert from "node:assert/strict";
import { parseProxy } from "../../server/config/proxies.ts";
import { FetchError } from "../../server/web/fetch/fetch_error.ts";
import { createGuardedFetch } from "../../server/web/fetch/guarded_fetch.ts";
import { connect } from "../../server/providers/upstream/connections/connect.ts";
import { connectionFailure } from "../../server/providers/upstream/connections/connection_failure.ts";
import type { FindProxy } from "../../server/providers/upstream/proxy_rules.ts";
import { TransportError } from "../../server/providers/upstream/transport.ts";
import { tickingClock } from "../support/ticking_clock.ts";
import { hasTinyproxy, startTinyproxy } from "../support/tinyproxy.ts";
import { until } from "../support/until.ts";
import { makeCertificates } from "../support/upstream_certificates.ts";
import { drain, transportRig } from "../support/upstream_rig.ts";
import {
  always,
  answer,
  chunk,
  CHUNKED,
  LAST_CHUNK,
  type UpstreamConnection,
  upstreamServer,
} from "../support/upstream_server.ts";

/** Everything goes through it, this machine too. */
function through(port: number, credentials = ""): FindProxy {
  const parsed = parseProxy(`http://${credentials === "" ? "" : `${credentials}@`}127.0.0.1:${port}`);
  assert("value" in parsed);
  return () => parsed.value;
}

async function failure(call: Promise<unknown>): Promise<TransportError> {
  const error = await call.then(() => assert.fail("It was answered"), (error: unknown) => error);
  assert(error instanceof TransportError, String(error));
  return error;
}

const ignore = !hasTinyproxy();
const certificates = await makeCertificates();

Deno.test({
  name: "a provider is called through a proxy over http, on a kept connection, with its credentials",
  ignore,
  fn: async () => {
    await using proxy = await startTinyproxy({ credentials: "user:secret" });
    const requests: string[] = [];
    await using server = upstreamServer(async (connection) => {
      for (let request = await connection.request(); request !== undefined;) {
        requests.push(request);
        await connection.write(answer("ok"));
        request = await connection.request();
      }
    });
    await using rig = transportRig({ findProxy: through(proxy.port, "user:secret") });
    for (let call = 0; call < 3; call++) {
      const response = await rig.post(`${server.url}/v1`, { headers: { authorization: "Bearer key" } });
      assert.equal(await response.text(10), "ok");
      await rig.kept();
    }
    assert.equal(requests.length, 3);
    for (const request of requests) {
      assert.match(request, /^POST \/v1 HTTP\/1\.[01]\r\n/);
      assert.match(request, /authorization: Bearer key/i);
      assert.doesNotMatch(request, /proxy-authorization/i);
    }
  },
});

Deno.test({
  name: "a provider is called through a tunnel over https, and streams",
  ignore: ignore || certificates === undefined,
  fn: async () => {
    if (certificates === undefined) return;
    await using proxy = await startTinyproxy({ credentials: "user:secret" });
    await using server = upstreamServer(async (connection) => {
      await connection.request();
      await connection.write(answer("ok"));
      await connection.request();
      await connection.write(CHUNKED + chunk("data: 1\n\n"));
      await connection.write(chunk("data: 2\n\n") + LAST_CHUNK);
    }, { tls: certificates.good });
    const caCerts = [certificates.authority];
    await using rig = transportRig({ findProxy: through(proxy.port, "user:secret"), caCerts });
    const url = `https://localhost:${server.port}/v1`;
    assert.equal(await (await rig.post(url)).text(10), "ok");
    await rig.kept();
    assert.equal(await drain(await rig.post(url)), "data: 1\n\ndata: 2\n\n");
    assert.equal(server.connections.length, 1, "the tunnel is kept");
    await until(async () => (await proxy.log()).includes(`CONNECT localhost:${server.port}`));
  },
});

Deno.test({
  name: "a proxy's tunnel does not weaken the check of the provider's certificate",
  ignore: ignore || certificates === undefined,
  fn: async () => {
    if (certificates === undefined) return;
    await using proxy = await startTinyproxy();
    await using server = upstreamServer(always(answer("ok")), { tls: certificates.elsewhere });
    await using rig = transportRig({ findProxy: through(proxy.port), caCerts: [certificates.authority] });
    assert.equal((await failure(rig.post(`https://localhost:${server.port}/`))).kind, "tls");
  },
});

for (const credentials of ["", "user:wrong", "other:secret"]) {
  Deno.test({
    name: `a proxy that refuses the credentials "${credentials}" is named without them`,
    ignore,
    fn: async () => {
      await using proxy = await startTinyproxy({ credentials: "user:secret" });
      await using server = upstreamServer(always(answer("ok")));
      await using rig = transportRig({ findProxy: through(proxy.port, credentials) });
      // Of a plain request it refuses wrong credentials with 401, as a provider would.
      for (const scheme of credentials === "" ? ["http", "https"] : ["https"]) {
        const error = await failure(rig.post(`${scheme}://127.0.0.1:${server.port}/`));
        const { code, message } = connectionFailure(error);
        assert.equal(code, "proxy");
        assert.equal(
          message,
          `The proxy http://127.0.0.1:${proxy.port} does not pass the call on: ` +
            "its credentials are missing or wrong.",
        );
      }
      assert.equal(server.requests, 0);
    },
  });
}

Deno.test({
  name: "a proxy that is gone is named",
  ignore,
  fn: async () => {
    await using proxy = await startTinyproxy();
    await using server = upstreamServer(always(answer("ok")));
    await using rig = transportRig({ findProxy: through(proxy.port) });
    assert.equal(await (await rig.post(server.url)).text(10), "ok");
    await proxy.stop();
    await rig.kept();
    for (const url of [server.url, server.url.replace("http:", "https:")]) {
      const error = await failure(rig.post(url, { fresh: true }));
      const { kind, code, message } = connectionFailure(error);
      assert.deepEqual([kind, code], ["upstream_failed", "proxy"]);
      assert.equal(message, `The proxy http://127.0.0.1:${proxy.port} cannot be reached.`);
    }
  },
});

const says = (text: string) => async (connection: UpstreamConnection) => {
  await connection.request();
  await connection.write(text);
  connection.close();
};

const broken: readonly (readonly [what: string, sent: string, message: RegExp])[] = [
  ["closes", "", /closed the connection\.$/],
  ["closes within its head", "HTTP/1.1 200 O", /closed the connection\.$/],
  ["speaks something else", "SSH-2.0-proxy\r\n\r\n", /does not speak HTTP\.$/],
  ["sends an endless head", `HTTP/1.1 200 OK\r\n${"x: y\r\n".repeat(20_000)}`, /does not speak HTTP\.$/],
  ["speaks before the tunnel is used", "HTTP/1.1 200 OK\r\n\r\nhello", /does not speak HTTP\.$/],
  [
    "forbids the host",
    "HTTP/1.1 403 Filtered\r\n\r\n",
    /does not pass the call on: it answers with status 403\.$/,
  ],
  ["cannot connect", "HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n", /status 502\.$/],
];

for (const [what, sent, message] of broken) {
  Deno.test(`a proxy that ${what} is named`, async () => {
    await using proxy = upstreamServer(says(sent));
    await using rig = transportRig({ findProxy: through(proxy.port, "user:secret") });
    const error = await failure(rig.post("https://provider.example/"));
    assert.equal(error.kind, "proxy");
    assert.match(error.message, message);
    assert.doesNotMatch(error.message, /secret/);
  });
}

Deno.test("an origin is suspected whose proxy sends something before the tunnel is used", async () => {
  await using proxy = upstreamServer(says("HTTP/1.1 200 OK\r\n\r\nhello"));
  await using rig = transportRig({ findProxy: through(proxy.port) });
  await failure(rig.post("https://provider.example/"));
  assert.equal(rig.singleUse.has("https://provider.example"), true);
  assert.equal(rig.logged.length, 1);
});

Deno.test({
  name: "an origin is suspected that sends a response too many through a tunnel",
  ignore: ignore || certificates === undefined,
  fn: async () => {
    if (certificates === undefined) return;
    await using proxy = await startTinyproxy();
    const { promise: released, resolve } = Promise.withResolvers<void>();
    await using server = upstreamServer(async (connection) => {
      await connection.request();
      await connection.write(answer("ok"));
      await released;
      await connection.write(answer("of somebody else"));
      await always(answer("ok"))(connection);
    }, { tls: certificates.good });
    await using rig = transportRig({ findProxy: through(proxy.port), caCerts: [certificates.authority] });
    const url = `https://localhost:${server.port}`;
    assert.equal(await (await rig.post(url)).text(10), "ok");
    resolve();
    await until(() => rig.logged.length === 1);
    for (let call = 0; call < 3; call++) {
      assert.equal(await (await rig.post(url)).text(10), "ok");
      await rig.kept();
    }
    assert.equal(server.connections.length, 4, "each connection is used once");
  },
});

Deno.test("a proxy that is silent costs no more than the time to connect", async () => {
  await using proxy = upstreamServer(async (connection) => void await connection.request());
  await using rig = transportRig({ findProxy: through(proxy.port), connectMs: 1_000 });
  const call = failure(rig.post("https://provider.example/"));
  await rig.clock.advanceOnce(() => proxy.requests === 1, 1_000);
  assert.equal((await call).kind, "connect_timeout");
  await proxy.connections[0]?.gone();
});

Deno.test("a call that is left closes its connection to the proxy", async () => {
  await using proxy = upstreamServer(async (connection) => void await connection.request());
  await using rig = transportRig({ findProxy: through(proxy.port) });
  const abort = new AbortController();
  const call = rig.post("https://provider.example/", { signal: abort.signal });
  await until(() => proxy.requests === 1);
  abort.abort(new Error("left"));
  await assert.rejects(call, /^Error: left$/);
  await proxy.connections[0]?.gone();
});

interface FetchRig {
  readonly findProxy: FindProxy;
  /** Undefined: this network resolves nothing. */
  readonly addresses?: readonly string[];
}

function guarded({ findProxy, addresses }: FetchRig) {
  const clock = tickingClock();
  const fetch = createGuardedFetch({
    clock,
    connect,
    findProxy,
    policy: { allowHttp: true, allowedHosts: [] },
    resolve: () =>
      addresses === undefined ? Promise.reject(new Error("ENOTFOUND")) : Promise.resolve(addresses),
  });
  const signal = new AbortController().signal;
  return (url: string) => fetch({ url, accepts: () => true, signal });
}

const page = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 5\r\n\r\nhello";

Deno.test("a guarded fetch goes through the proxy by its name, where this network resolves none", async () => {
  let request = "";
  await using proxy = upstreamServer(async (connection) => {
    request = await connection.request() ?? "";
    await connection.write(page);
  });
  const findProxy = through(proxy.port, "user:secret");
  for (const addresses of [undefined, [], ["93.184.215.14"]]) {
    const { body } = await guarded({ findProxy, addresses })("http://site.example/page?q=1");
    assert.equal(new TextDecoder().decode(body), "hello");
    assert.match(request, /^GET http:\/\/site\.example\/page\?q=1 HTTP\/1\.1\r\nhost: site\.example\r\n/);
    assert.match(request, /proxy-authorization: Basic /);
  }
});

Deno.test("a guarded fetch through a proxy is refused for addresses and names of private networks", async () => {
  await using proxy = upstreamServer(says(page));
  const findProxy = through(proxy.port);
  const refused = async (call: Promise<unknown>) => {
    const error = await call.then(() => assert.fail("It was fetched"), (error: unknown) => error);
    assert.equal(error instanceof FetchError && error.kind, "forbidden_host", String(error));
  };
  await refused(guarded({ findProxy, addresses: ["10.0.0.1"] })("http://site.example/"));
  for (const host of ["10.0.0.1", "[::1]", "localhost", "metadata.google.internal", "intranet"]) {
    await refused(guarded({ findProxy })(`http://${host}/`));
    await refused(guarded({ findProxy })(`https://${host}/`));
  }
  assert.equal(proxy.connections.length, 0);
});

Deno.test("a guarded fetch names the proxy that refuses it", async () => {
  for (const url of ["http://site.example/", "https://site.example/"]) {
    await using proxy = upstreamServer(says("HTTP/1.1 407 Auth\r\ncontent-length: 0\r\n\r\n"));
    const call = guarded({ findProxy: through(proxy.port, "user:secret") })(url);
    const error = await call.then(() => assert.fail("It was fetched"), (error: unknown) => error);
    assert(error instanceof FetchError, String(error));
    assert.equal(error.kind, "proxy");
    assert.match(error.message, /credentials are missing or wrong/);
    assert.doesNotMatch(error.message, /secret/);
  }
});

Deno.test({
  name: "a guarded fetch reaches a secure site through a real proxy",
  ignore: ignore || certificates === undefined,
  fn: async () => {
    if (certificates === undefined) return;
    await using proxy = await startTinyproxy();
    await using server = upstreamServer(says(page), { tls: certificates.good });
    const clock = tickingClock();
    const fetch = createGuardedFetch({
      clock,
      connect: (to, options) => connect({ ...to, caCerts: [certificates.authority] }, options),
      findProxy: through(proxy.port),
      policy: { allowHttp: false, allowedHosts: [`localhost:${server.port}`] },
      resolve: () => Promise.reject(new Error("ENOTFOUND")),
    });
    const { signal } = new AbortController();
    const { body } = await fetch({ url: `https://localhost:${server.port}/`, accepts: () => true, signal });
    assert.equal(new TextDecoder().decode(body), "hello");
    assert.equal(clock.open, 0);
  },
});
