import assert from "node:assert/strict";
import { trace } from "@opentelemetry/api";
import { fakeClock } from "../../../tests/support/clock.ts";
import { tickingClock } from "../../../tests/support/ticking_clock.ts";
import { until } from "../../../tests/support/until.ts";
import { loadedTokenizer } from "../../billing/tokenizer/tokens.ts";
import { readConfig } from "../../config/config.ts";
import { createRuntime, type Runtime } from "../../runtime.ts";
import { openThrowaway, type ThrowawayGateway } from "./throwaway_gateway.ts";
import { warmUp } from "./warm_up.ts";
import { askUntil } from "./warm_up_requests.ts";
import { wordTokenizer } from "./word_tokenizer.ts";

interface Logged {
  readonly runtime: Runtime;
  /** Messages of any level, with their error. */
  readonly lines: readonly string[];
}

function loggedBy(clock: Runtime["clock"]): Logged {
  const lines: string[] = [];
  const line = (message: string, fields?: { readonly error?: unknown }) =>
    void lines.push(`${message} ${fields?.error ?? ""}`.trim());
  const log = { debug: line, info: line, warn: line, error: line };
  return { runtime: { ...createRuntime(log), clock }, lines };
}

/** Kinds of requests: path, model, and whether the answer is streamed. */
const kinds = ["/v1/responses", "/v1/chat/completions", "/v1/messages"].flatMap((path) =>
  ["local/echo", "local/priced"].flatMap((model) =>
    [true, false].map((stream) => `${path} ${model} ${stream}`)
  )
);

/** The gateway, which notes what it is asked. */
function noting(gateway: ThrowawayGateway, asked: string[]): ThrowawayGateway {
  return {
    ...gateway,
    transport: async (call) => {
      const { model, stream } = JSON.parse(String(call.body));
      const answer = await gateway.transport(call);
      asked.push(`${call.url.slice(gateway.url.length)} ${model} ${stream}`);
      return answer;
    },
  };
}

Deno.test("a warm-up asks by each wire, whole and streamed, and leaves no deadline, line, trace or table", async () => {
  const clock = tickingClock();
  const { runtime, lines } = loggedBy(clock);
  trace.setGlobalTracerProvider({ getTracer: () => assert.fail("a trace") });
  const gateway = await openThrowaway(runtime);
  const asked: string[] = [];
  await askUntil(noting(gateway, asked), () => asked.length >= kinds.length);
  assert.deepEqual([...new Set(asked)].sort(), [...kinds].sort());
  assert.deepEqual(await gateway.close(), [], "every part has ended");
  trace.disable();
  assert.deepEqual(lines, []);
  assert.equal(clock.open, 0);
  assert.equal(loadedTokenizer(), undefined);
});

Deno.test("warmUp closes its gateway and says nothing where all is well", async () => {
  const clock = tickingClock();
  const { runtime, lines } = loggedBy(clock);
  let isClosed = false;
  await warmUp(runtime, async (given) => {
    const gateway = await openThrowaway(given);
    const close = async () => {
      await gateway.close();
      isClosed = true;
    };
    return { ...gateway, close };
  });
  // A busy machine brings the end of the wait first.
  await until(() => isClosed, { what: "the end of the warm-up" });
  await until(() => clock.open === 0, { what: "that no deadline is open" });
  assert.deepEqual(lines, []);
});

interface FakeGateway {
  readonly gateway: ThrowawayGateway;
  readonly isClosed: () => boolean;
}

/** A gateway that answers as the test says. */
function fakeGateway(transport: ThrowawayGateway["transport"]): FakeGateway {
  let closed = false;
  const close = () => {
    closed = true;
    return Promise.resolve();
  };
  return { gateway: { url: "http://127.0.0.1:1", apiKey: "key", transport, close }, isClosed: () => closed };
}

const failure = "Cannot warm up; the first requests will take longer";

Deno.test("warmUp goes on where its gateway cannot be opened, and says why", async () => {
  const { runtime, lines } = loggedBy(fakeClock());
  await warmUp(runtime, () => Promise.reject(new Error("no port")));
  assert.deepEqual(lines, [`${failure} Error: no port`]);
});

Deno.test("warmUp goes on where its gateway does not answer, and closes it", async () => {
  const { runtime, lines } = loggedBy(fakeClock());
  const refused = fakeGateway(() => Promise.reject(new Error("reset")));
  await warmUp(runtime, () => Promise.resolve(refused.gateway));
  const faulty = fakeGateway(() =>
    Promise.resolve({
      status: 500,
      header: () => null,
      text: () => assert.fail("a text"),
      read: () => assert.fail("a body"),
      discard: () => {},
    })
  );
  await warmUp(runtime, () => Promise.resolve(faulty.gateway));
  assert.deepEqual(lines, [
    `${failure} Error: reset`,
    `${failure} Error: /v1/responses was answered with 500`,
  ]);
  assert.ok(refused.isClosed() && faulty.isClosed());
});

Deno.test("warmUp keeps a start no longer than 400 ms, and gives up a request that hangs", async () => {
  const clock = fakeClock();
  const { runtime, lines } = loggedBy(clock);
  const { gateway, isClosed } = fakeGateway(() => Promise.withResolvers<never>().promise);
  const warmed = warmUp(runtime, () => Promise.resolve(gateway));
  await clock.advanceOnce(() => clock.open === 2, 400);
  await warmed;
  assert.deepEqual([lines, isClosed()], [[], false]);
  await clock.advanceOnce(() => clock.open === 1, 5_000);
  await until(isClosed, { what: "the end of its gateway" });
  assert.deepEqual(lines, [`${failure} Error: a request did not end within 5000 ms`]);
});

Deno.test("a start warms up unless it is told not to, and never on Deno Deploy", () => {
  const isOn = (variables: readonly (readonly [string, string])[]) => {
    const env = new Map(variables);
    const source = { env: (name: string) => env.get(name), readFile: () => "", terminal: false };
    return readConfig(source, []).warmUp;
  };
  const off = ["TOLLGATE_WARM_UP", "off"] as const;
  const deploy = [["DENO_DEPLOY", "true"], ["TOLLGATE_WARM_UP", "on"]] as const;
  assert.deepEqual([isOn([]), isOn([off]), isOn(deploy)], [true, false, false]);
});

Deno.test("wordTokenizer cuts a text into words that make it up again", () => {
  for (const text of ["", "one", "one two  three\n", "a\u00a0b c"]) {
    const chunks = [...wordTokenizer.chunks(text)];
    assert.equal(chunks.map((chunk) => chunk.text).join(""), text);
    assert.equal(wordTokenizer.countNow(text), chunks.length);
    const counting = wordTokenizer.count([text, "x"], { most: 10 });
    assert.equal([...counting].length, 2);
  }
});
