/** POST /internal/containers/{id}/{operation}: who is let in, and that there is no such route without an address. */

import assert from "node:assert/strict";
import { MAX_SKEW_MS, SIGNATURE_HEADER } from "../../server/sandbox/containers/forwarding/call_signatures.ts";
import { fakeClock } from "../support/clock.ts";
import { type Gateway, type GatewayOptions, startGateway } from "../support/gateway.ts";
import { MASTER_KEY, signCall } from "../support/instances.ts";

const PATH = "/internal/containers/sess_a/run";
const WORKSPACE = "0b0e7c1c-9a51-4d43-8f4b-0d2f4d0f9b11";
const COMMANDS = { workspace_id: WORKSPACE, language: "bash", commands: ["true"], timeout_ms: 1_000 };
const BODY = JSON.stringify(COMMANDS);

/** Its clock stands still. */
const start = (options: GatewayOptions = {}) =>
  startGateway({
    shared: true,
    clock: fakeClock(),
    ...options,
    env: {
      TOLLGATE_MASTER_KEY: MASTER_KEY.toBase64(),
      TOLLGATE_PEER_URL: "http://10.0.0.5:8787",
      ...options.env,
    },
  });

interface Call {
  readonly path?: string;
  readonly method?: string;
  readonly body?: string;
  readonly signature: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

async function call({ url }: Gateway, { path = PATH, method = "POST", body = BODY, ...more }: Call) {
  const { signature, headers = {} } = more;
  const response = await fetch(url + path, {
    method,
    headers: {
      "content-type": "application/json",
      ...headers,
      ...(signature === undefined ? {} : { [SIGNATURE_HEADER]: signature }),
    },
    ...(method === "GET" ? {} : { body }),
  });
  return { status: response.status, text: await response.text() };
}

const GONE = ': waiting\n\ndata: {"type":"gone"}\n\n';

interface Signed {
  readonly to?: string;
  readonly master?: Uint8Array;
  readonly path?: string;
  readonly body?: string;
  /** By so many milliseconds the clock of who signs is ahead. */
  readonly aheadMs?: number;
}

const sign = ({ clock }: Gateway, { path = PATH, body = BODY, aheadMs = 0, ...more }: Signed = {}) =>
  signCall({ path, body, now: clock.now() + aheadMs, ...more });

Deno.test("a signed call is let in once, and told that the container is not here", async () => {
  await using gateway = await start();
  for (const aheadMs of [0, -MAX_SKEW_MS, MAX_SKEW_MS]) {
    const signature = await sign(gateway, { aheadMs });
    assert.deepEqual(await call(gateway, { signature }), { status: 200, text: GONE });
    const again = await call(gateway, { signature });
    assert.equal(again.status, 401, "a second time");
    assert.ok(!again.text.includes(signature));
  }
  const path = "/internal/containers/sess_a/turn";
  const body = JSON.stringify({ workspace_id: WORKSPACE });
  const turn = { path, body, signature: await sign(gateway, { path, body }) };
  assert.deepEqual(await call(gateway, turn), { status: 200, text: GONE });
});

const REFUSED = "No gateway on this store has signed this call.";

/** Calls that nobody has signed as they are, and what they have instead of the signature. */
const unsigned: Readonly<Record<string, (gateway: Gateway) => Promise<Call>>> = {
  "no signature": () => Promise.resolve({ signature: undefined }),
  "an empty one": () => Promise.resolve({ signature: "" }),
  "nonsense": () => Promise.resolve({ signature: "v1;0;0;0;0;0" }),
  "another master key": async (gateway) => ({
    signature: await sign(gateway, { master: new Uint8Array(32).fill(8) }),
  }),
  "another body": async (gateway) => ({
    signature: await sign(gateway),
    body: BODY.replace("true", "rm -rf ~"),
  }),
  "a longer body": async (gateway) => ({ signature: await sign(gateway), body: `${BODY} ` }),
  "another container": async (gateway) => ({
    signature: await sign(gateway),
    path: PATH.replace("sess_a", "sess_b"),
  }),
  "another operation": async (gateway) => ({
    signature: await sign(gateway),
    path: PATH.replace("run", "turn"),
  }),
  "a query": async (gateway) => ({ signature: await sign(gateway), path: `${PATH}?a=b` }),
  "one for another instance, changed to this one": async (gateway) => ({
    signature: (await sign(gateway, { to: "one" })).replace(";one;", ";two;"),
  }),
  "an older time": async (gateway) => ({ signature: await sign(gateway, { aheadMs: -MAX_SKEW_MS - 1 }) }),
  "a later time": async (gateway) => ({ signature: await sign(gateway, { aheadMs: MAX_SKEW_MS + 1 }) }),
  "an API key": ({ apiKey }) =>
    Promise.resolve({ signature: undefined, headers: { authorization: `Bearer ${apiKey}` } }),
  "a management key": ({ managementKey }) =>
    Promise.resolve({ signature: undefined, headers: { authorization: `Bearer ${managementKey}` } }),
};

Deno.test("a call with anything but its own signature is refused, always in the same words", async () => {
  await using gateway = await start();
  for (const [what, make] of Object.entries(unsigned)) {
    const { status, text } = await call(gateway, await make(gateway));
    assert.deepEqual([status, JSON.parse(text).error?.message], [401, REFUSED], what);
  }
  const warned = gateway.logged.filter((line) => line.includes("Refused call of another instance"));
  assert.equal(warned.filter((line) => line.includes('"late"')).length, 2, warned.join("\n"));
});

Deno.test("the body of a call is looked at behind its signature", async () => {
  await using gateway = await start();
  const headers = { "content-type": "text/plain" };
  assert.equal((await call(gateway, { signature: undefined, headers })).status, 401);
  assert.equal((await call(gateway, { signature: await sign(gateway), headers })).status, 400);
});

/** Calls that an instance would not make. */
const odd: readonly (readonly [path: string, body: string, status: number])[] = [
  [PATH, "{", 400],
  [PATH, "null", 400],
  [PATH, "{}", 400],
  [PATH, JSON.stringify({ ...COMMANDS, workspace_id: "default" }), 400],
  [PATH, JSON.stringify({ ...COMMANDS, language: "ruby" }), 400],
  [PATH, JSON.stringify({ ...COMMANDS, commands: "true" }), 400],
  [PATH, JSON.stringify({ ...COMMANDS, timeout_ms: 0 }), 400],
  ["/internal/containers/sess_a/turn", "{}", 400],
  ["/internal/containers/sess_a/end", BODY, 404],
  ["/internal/containers/sess_a/constructor", BODY, 404],
  ["/internal/containers/sess.a/run", BODY, 404],
  [`/internal/containers/${"a".repeat(41)}/run`, BODY, 404],
  ["/internal/containers/sess_a/run/more", BODY, 404],
  ["/internal/containers/sess_a", BODY, 404],
  ["/v1/internal/containers/sess_a/run", BODY, 404],
];

Deno.test("a signed call of another form is refused", async () => {
  await using gateway = await start();
  for (const [path, body, status] of odd) {
    const reply = await call(gateway, { path, body, signature: await sign(gateway, { path, body }) });
    assert.equal(reply.status, status, `${path} ${body}`);
  }
  const large = JSON.stringify({ ...COMMANDS, commands: ["x".repeat(2_000)] });
  await using small = await start({ limits: { body_bytes: 1_024 } });
  const signature = await sign(small, { body: large });
  assert.equal((await call(small, { body: large, signature })).status, 400);
});

Deno.test("there is no such route without an address, a shared store and a master key", async () => {
  const without: readonly GatewayOptions[] = [
    { env: { TOLLGATE_PEER_URL: "" } },
    { env: { TOLLGATE_MASTER_KEY: "" } },
    { shared: false },
  ];
  for (const options of without) {
    await using gateway = await start(options);
    const reply = await call(gateway, { signature: await sign(gateway) });
    assert.equal(reply.status, 404, JSON.stringify(options));
    assert.match(reply.text, /There is no POST \/internal\/containers\/sess_a\/run here/);
  }
});

Deno.test("the route stands in no document, and takes no other method", async () => {
  await using gateway = await start();
  for (const document of ["/openapi.json", "/llms.txt"]) {
    assert.ok(!(await (await fetch(gateway.url + document)).text()).includes("/internal"), document);
  }
  for (const method of ["GET", "PUT", "DELETE"]) {
    assert.equal((await call(gateway, { method, signature: await sign(gateway) })).status, 404, method);
  }
});
