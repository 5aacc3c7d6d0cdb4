/** A gateway behind nginx and Caddy, set up by the blocks of docs/behind-a-proxy.md: what clients see through them. */

import assert from "node:assert/strict";
import { readConfig } from "../../server/config/config.ts";
import { httpServerOptions } from "../../server/http/http_server/default_options.ts";
import { createLogger } from "../../server/logger.ts";
import { providerSettings } from "../../server/providers/mod.ts";
import { createRuntime } from "../../server/runtime.ts";
import { call, pricedAt } from "../money/rig.ts";
import { fakeClock } from "../support/clock.ts";
import { asObject, type Json } from "../support/event_stream.ts";
import {
  type FrontProxyName,
  frontProxyNames,
  type FrontProxyOptions,
  hasFrontProxy,
  pageBlock,
  startFrontProxy,
} from "../support/front_proxies.ts";
import { type Gateway, type GatewayOptions, startGateway } from "../support/gateway.ts";
import { says, type Script, scripted, textFrames } from "../support/scripted.ts";
import { patiently, until } from "../support/until.ts";
import { makeCertificates } from "../support/upstream_certificates.ts";

const certificates = await makeCertificates();
const MIB = 1024 * 1024;

interface Front {
  readonly gateway: Gateway;
  /** The proxy's. */
  readonly url: string;
  readonly fetch: (path: string, init?: RequestInit & { readonly from?: string }) => Promise<Response>;
}

interface FrontOptions
  extends Pick<GatewayOptions, "clock" | "env" | "limits">, Pick<FrontProxyOptions, "without"> {
  /** The provider's. */
  readonly script?: Script;
}

/** The page's first command. */
const trusting = { TOLLGATE_TRUST_PROXY: "127.0.0.1" };

/** The same through each proxy. */
function frontStory(title: string, { use, ...options }: FrontOptions & Pick<FrontTest, "use">): void {
  for (const name of frontProxyNames) frontTest(name, { title: `${title} (${name})`, options, use });
}

interface FrontTest {
  readonly title: string;
  readonly options: FrontOptions;
  readonly use: (front: Front) => Promise<void>;
}

function frontTest(name: FrontProxyName, { title, options, use }: FrontTest): void {
  Deno.test({
    name: title,
    ignore: certificates === undefined || !hasFrontProxy(name),
    fn: () => withFront(name, options, use),
  });
}

async function withFront(
  name: FrontProxyName,
  ...[{ script = says("chat", "Hello"), env = trusting, without, ...own }, use]: [
    FrontOptions,
    FrontTest["use"],
  ]
): Promise<void> {
  assert(certificates !== undefined);
  const { good: certificate, authority } = certificates;
  await using upstream = scripted(script);
  await using gateway = await startGateway({
    ...own,
    env,
    providers: [pricedAt(upstream.baseUrl, { wire: "chat" })],
  });
  await using proxy = await startFrontProxy(name, { port: gateway.port, certificate, without });
  const clients = new Map<string, Deno.HttpClient>();
  const clientAt = (localAddress: string) => {
    const known = clients.get(localAddress) ?? Deno.createHttpClient({ caCerts: [authority], localAddress });
    clients.set(localAddress, known);
    return known;
  };
  try {
    await use({
      gateway,
      url: proxy.url,
      fetch: (path, { from = "127.0.0.1", ...init } = {}) =>
        fetch(proxy.url + path, { ...init, client: clientAt(from) }),
    });
  } finally {
    for (const client of clients.values()) client.close();
  }
}

const ask = ({ gateway: { apiKey }, fetch: get }: Front, body: Json, signal?: AbortSignal) =>
  get("/v1/chat/completions", {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "mock/model", messages: [{ role: "user", content: "Hi" }], ...body }),
    signal,
  });

/** Tells a streamed text as far as `release` has let it go. */
function heldStream() {
  const released = Promise.withResolvers<void>();
  let isCancelled = false;
  const script: Script = () => {
    const encoder = new TextEncoder();
    const frames = textFrames("chat", "one two");
    const [first, rest] = [frames.slice(0, 2).join(""), frames.slice(2).join("")];
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(encoder.encode(first)),
      pull: async (controller) => {
        await released.promise;
        if (isCancelled) return;
        controller.enqueue(encoder.encode(rest));
        controller.close();
      },
      cancel: () => {
        isCancelled = true;
        released.resolve();
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  return { script, release: () => released.resolve(), isCancelled: () => isCancelled };
}

/** Reads on until the text has come; fails where something holds it back. */
async function readUntil(
  reader: ReadableStreamDefaultReader<string>,
  ...[wanted, read = ""]: [RegExp, string?]
): Promise<string> {
  let text = read;
  while (!wanted.test(text)) {
    const { value, done } = await patiently(reader.read(), `${wanted} through the proxy`);
    assert(!done, `the stream ended before ${wanted}: ${text}`);
    text += value;
  }
  return text;
}

const readerOf = ({ body }: Response) => {
  assert(body !== null);
  return body.pipeThrough(new TextDecoderStream()).getReader();
};

for (const name of frontProxyNames) {
  const held = heldStream();
  const clock = fakeClock();
  frontTest(name, {
    title: `a stream's words and its comments pass as they come (${name})`,
    // Time passes until the comment has come, however long that takes.
    options: { script: held.script, clock, limits: { silence_seconds: 86_400, stream_seconds: 86_400 } },
    use: async (front) => {
      const response = await ask(front, { stream: true });
      assert.equal(response.status, 200);
      assert.equal(response.headers.get("content-encoding"), null);
      const reader = readerOf(response);
      const begun = await readUntil(reader, /"one"/);
      assert.doesNotMatch(begun, /two/);
      let quiet: string | undefined;
      const reading = readUntil(reader, /^:/m, begun).then((text) => quiet = text);
      await until(async () => {
        if (quiet === undefined) await clock.advanceOnce(() => true, 1_000);
        return quiet !== undefined;
      }, { what: "a comment through the proxy" });
      assert.doesNotMatch(await reading, /two/);
      held.release();
      await readUntil(reader, /two[^]*\[DONE\]/, quiet);
      await reader.cancel();
    },
  });
}

for (const name of frontProxyNames) {
  const held = heldStream();
  frontTest(name, {
    title: `a client that leaves ends the provider's call (${name})`,
    options: { script: held.script },
    use: async (front) => {
      const abort = new AbortController();
      const response = await ask(front, { stream: true }, abort.signal);
      const reader = readerOf(response);
      await readUntil(reader, /"one"/);
      abort.abort();
      await assert.rejects(reader.closed);
      await until(held.isCancelled, { what: "the end of the provider's call" });
    },
  });
}

frontStory("whole answers, errors and their headers pass as they are", {
  use: async (front) => {
    const response = await ask(front, {});
    const text = await response.text();
    assert.equal(response.status, 200, text);
    assert.match(text, /Hello/);
    const direct = await call(front.gateway, { api: "chat", key: front.gateway.apiKey, model: "no/such" });
    const through = await ask(front, { model: "no/such" });
    assert.equal(through.status, 404);
    assert.deepEqual(asObject(await through.json()).error, asObject(await direct.json()).error);
    assert.match(through.headers.get("x-request-id") ?? "", /^req_/);
  },
});

frontStory("a certificate that the client does not trust ends the call", {
  use: async ({ url }) => {
    await assert.rejects(fetch(`${url}/healthz`), TypeError);
  },
});

/** A file by its beginning alone, of bytes that no compression shortens. */
function pdfOf(length: number): Uint8Array<ArrayBuffer> {
  const block = crypto.getRandomValues(new Uint8Array(65_536));
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += block.length) {
    bytes.set(block.subarray(0, Math.min(block.length, length - at)), at);
    bytes[at] = at / block.length;
  }
  new TextEncoder().encodeInto("%PDF-1.7\n", bytes);
  return bytes;
}

const digest = async (bytes: Uint8Array<ArrayBuffer> | ArrayBuffer) =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();

frontStory("a file of 100 MiB is uploaded as it is", {
  use: async ({ gateway, fetch: get }) => {
    const headers = { authorization: `Bearer ${gateway.apiKey}` };
    const bytes = pdfOf(100 * MIB);
    const body = new FormData();
    body.append("file", new File([bytes], "large.pdf", { type: "application/pdf" }));
    const uploaded = await get("/v1/files", { method: "POST", headers, body });
    const record = await uploaded.text();
    assert.equal(uploaded.status, 200, record);
    const [stored, ...others] = await Array.fromAsync(gateway.blobs.list());
    assert(stored !== undefined && others.length === 0);
    const kept = await gateway.blobs.open(stored);
    assert.equal(await digest(await new Response(kept).arrayBuffer()), await digest(bytes));
  },
});

/** A body of 2 MiB, which nginx refuses by itself, against a limit of the gateway's of 1 MiB. */
frontStory(
  "a body that is too large is refused by the gateway",
  {
    limits: { body_bytes: MIB },
    use: async (front) => {
      const content = "x".repeat(2 * MIB);
      const response = await ask(front, { messages: [{ role: "user", content }] });
      assert.equal(response.status, 413);
      assert.match(
        String(asObject(asObject(await response.json()).error).message),
        /1048576|body_bytes|1 MiB/,
      );
    },
  },
);

frontTest("nginx", {
  title: "nginx refuses that body itself, with a page, where the block's line is missing",
  options: { without: /client_max_body_size/ },
  use: async (front) => {
    const response = await ask(front, { messages: [{ role: "user", content: "x".repeat(2 * MIB) }] });
    assert.deepEqual([response.status, response.headers.get("content-type")], [413, "text/html"]);
    await response.body?.cancel();
  },
});

interface SignIn {
  readonly key: string;
  readonly from?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const signIn = ({ url, fetch: get }: Front, { key, from, headers }: SignIn) =>
  get("/console/session", {
    method: "POST",
    headers: { "content-type": "application/json", "sec-fetch-site": "same-origin", origin: url, ...headers },
    body: JSON.stringify({ key }),
    from,
  });

frontStory("the console's sign-in works, with a cookie for TLS only", {
  use: async (front) => {
    const response = await signIn(front, { key: front.gateway.managementKey });
    assert.equal(response.status, 201, await response.text());
    assert.match(response.headers.get("set-cookie") ?? "", /^__Host-.*;\s*Secure/i);
  },
});

frontStory("each client counts by its own address, whatever it writes in X-Forwarded-For", {
  use: async (front) => {
    const attempt = async (from: string, forged?: string) => {
      const headers: Record<string, string> = forged === undefined ? {} : { "x-forwarded-for": forged };
      const response = await signIn(front, { key: "tg-mgmt-wrong", from, headers });
      await response.body?.cancel();
      return response.status;
    };
    for (let at = 0; at < 5; at++) assert.equal(await attempt("127.0.0.2", `192.0.2.${at}`), 401);
    assert.equal(await attempt("127.0.0.2", "198.51.100.7"), 429);
    assert.equal(await attempt("127.0.0.3"), 401);
  },
});

frontStory("a sign-in through a proxy that is not trusted says that TOLLGATE_TRUST_PROXY must name it", {
  env: {},
  use: async (front) => {
    const response = await signIn(front, { key: front.gateway.managementKey });
    const text = await response.text();
    assert.equal(response.status, 403, text);
    assert.match(text, /has TLS, and the gateway does not trust it: set TOLLGATE_TRUST_PROXY/);
  },
});

frontStory("a sign-in that another page has sent is told as such, through each proxy", {
  use: async (front) => {
    const headers = { origin: "https://other.example", "sec-fetch-site": "cross-site" };
    const response = await signIn(front, { key: front.gateway.managementKey, headers });
    const text = await response.text();
    assert.equal(response.status, 403, text);
    assert.match(text, /the request comes from another origin/);
  },
});

const wrongLines: readonly (readonly [RegExp, RegExp])[] = [
  [
    /proxy_set_header Host/,
    /must pass Host on as the browser sent it: the page is at https:\/\/localhost:\d+, /,
  ],
  [/X-Forwarded-Proto/, /does not say that the browser's connection has TLS: let it send X-Forwarded-Proto/],
];

for (const [without, message] of wrongLines) {
  frontTest("nginx", {
    title: `a sign-in through a block without ${without.source} says what the proxy must do`,
    options: { without },
    use: async (front) => {
      const response = await signIn(front, { key: front.gateway.managementKey });
      const text = await response.text();
      assert.equal(response.status, 403, text);
      assert.match(text, message);
    },
  });
}

/** Seconds of a setting in a block. */
function secondsOf(block: string, setting: RegExp): number {
  const [, number] = setting.exec(block) ?? assert.fail(`the block has no ${setting}`);
  return Number(number);
}

Deno.test("times of the proxies' blocks fit the gateway's", async () => {
  const config = readConfig({ env: () => undefined, readFile: () => "", terminal: false }, providerSettings);
  const runtime = createRuntime(createLogger({ ...config.log, now: () => 0, write: () => {} }));
  const idleSeconds = httpServerOptions(runtime, config.limits).limits.idleMs / 1_000;
  const [nginx, caddy] = [await pageBlock("nginx"), await pageBlock("caddy")];
  const readSeconds = secondsOf(nginx, /^\s*proxy_read_timeout (\d+)s;$/m);
  assert(readSeconds * 1_000 > config.limits.wholeResponseMs, "nginx waits longer than a whole answer takes");
  assert(secondsOf(caddy, /^\s*keepalive (\d+)s$/m) < idleSeconds, "Caddy gives connections up first");
  // nginx keeps unused ones for 60 s unless a line says otherwise, and reads for 60 s.
  assert.doesNotMatch(nginx, /keepalive_timeout/);
  assert(60 < idleSeconds && config.limits.heartbeatMs < 60_000);
});
