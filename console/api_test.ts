import assert from "node:assert/strict";
import { ApiFailure, ConnectionLost, ConsoleApi, operation } from "./api.ts";

const getKey = operation<"keys.get">("GET", "/keys/:hash");
const updateKey = operation<"keys.update">("PATCH", "/keys/:hash");

interface Sent {
  readonly address: string;
  readonly init: RequestInit;
}

function apiThat(answer: (sent: Sent) => Response | Promise<Response>) {
  const sent: Sent[] = [];
  const heard: string[] = [];
  const api = new ConsoleApi((input, init = {}) => {
    sent.push({ address: String(input), init });
    return Promise.resolve(answer({ address: String(input), init }));
  });
  api.events = {
    lost: () => heard.push("lost"),
    answered: () => heard.push("answered"),
    signedOut: (reason) => heard.push(`signed out: ${reason}`),
  };
  return { api, sent, heard };
}

const headersOf = ({ init }: Sent | undefined = { address: "", init: {} }) => new Headers(init.headers);

Deno.test("a call fills in the path, leaves out what is undefined, and sends X-CSRF with changes only", async () => {
  const { api, sent } = apiThat(() => Response.json({ data: {} }, { headers: { etag: '"v1"' } }));
  api.csrf = "secret";
  await api.call(getKey, { params: { hash: "a/b?c" } });
  const { etag } = await api.callWithTag(updateKey, {
    params: { hash: "abc" },
    query: { abort: undefined },
    body: { name: "x" },
    ifMatch: '"v0"',
  });
  assert.deepEqual(sent.map(({ address }) => address), [
    "/console/api/keys/a%2Fb%3Fc",
    "/console/api/keys/abc",
  ]);
  assert.equal(headersOf(sent[0]).get("x-csrf"), null);
  assert.equal(headersOf(sent[1]).get("x-csrf"), "secret");
  assert.equal(headersOf(sent[1]).get("if-match"), '"v0"');
  assert.equal(etag, '"v1"');
});

Deno.test("a refusal says what the gateway said, and an ended session is heard of", async () => {
  const error = { message: "Your session was ended.", metadata: { reason: "ended" } };
  const { api, heard } = apiThat(() =>
    Response.json({ error }, { status: 401, headers: { "x-request-id": "req_1", "retry-after": "7" } })
  );
  const failure = await api.call(getKey, { params: { hash: "abc" } }).catch((thrown: unknown) => thrown);
  assert(failure instanceof ApiFailure);
  assert.deepEqual([failure.status, failure.message, failure.requestId, failure.retryAfter], [
    401,
    error.message,
    "req_1",
    7,
  ]);
  assert.deepEqual(heard, ["answered", "signed out: ended"]);
});

Deno.test("what is no JSON of the gateway is told by its status", async () => {
  const { api } = apiThat(() => new Response("<h1>Bad gateway</h1>", { status: 502 }));
  await assert.rejects(api.call(getKey, { params: { hash: "abc" } }), /status 502/);
});

Deno.test("no answer is a lost connection, an aborted call is not", async () => {
  const { api, heard } = apiThat(({ init }) => {
    init.signal?.throwIfAborted();
    throw new TypeError("failed to fetch");
  });
  await assert.rejects(api.call(getKey, { params: { hash: "abc" } }), ConnectionLost);
  assert.deepEqual(heard, ["lost"]);
  await assert.rejects(
    api.call(getKey, { params: { hash: "abc" }, signal: AbortSignal.abort(new Error("left")) }),
    /left/,
  );
  assert.deepEqual(heard, ["lost"]);
});
