/** Two endpoints of which the first fails, in as many ways as the table has, on three APIs, streamed and whole (tests/faults/failover.ts). */

import assert from "node:assert/strict";
import { type Faultd, startFaultd } from "../faultd/server.ts";
import { SOUND_USAGE, TEXT } from "../faultd/wires.ts";
import { apiNames, call, framesOf, price, receiptOf } from "../money/rig.ts";
import { type FakeClock, fakeClock } from "../support/clock.ts";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { type Gateway, mockModel, providerAt, startGateway } from "../support/gateway.ts";
import { runOut } from "../support/run_out.ts";
import { says, scripted, type Wire, wires } from "../support/scripted.ts";
import { until } from "../support/until.ts";
import { failover, type FailoverRow, outage } from "./failover.ts";

type Api = typeof apiNames[number];

interface Sent {
  readonly row: FailoverRow;
  readonly wire: Wire;
  readonly api: Api;
  readonly stream: boolean;
  /** Whether there is a second endpoint. */
  readonly others: boolean;
}

interface Received {
  readonly status: number;
  readonly said: string;
  /** Endpoints that were asked, in order, each by the name of its fault. */
  readonly asked: readonly string[];
  readonly cost: number;
  readonly estimated: boolean;
}

const INPUT = Number(SOUND_USAGE.input);
const OUTPUT = Number(SOUND_USAGE.output);
const DUE = INPUT * 1_000 + OUTPUT * 2_000;

/** Nothing listens there. */
const NOBODY = "http://127.0.0.1:9/v1";

function rowAt(
  url: string,
  { id, fault, wire }: { readonly id: string; readonly fault: string; readonly wire: Wire },
) {
  const models = [{ ...mockModel, upstream_id: fault, max_output_tokens: 20_000, pricing: price }];
  return providerAt(url, { id, name: id, wire, models });
}

async function send(sent: Sent): Promise<Received> {
  const clock = fakeClock();
  const faultd = await startFaultd({ now: clock.now });
  try {
    return await sendTo(faultd, { sent, clock });
  } finally {
    await faultd.close();
  }
}

interface Sending {
  readonly sent: Sent;
  readonly clock: FakeClock;
}

async function sendTo(faultd: Faultd, { sent, clock }: Sending): Promise<Received> {
  const { row: { fault, silent }, wire, api, stream, others } = sent;
  const first = rowAt(fault === undefined ? NOBODY : faultd.url, { id: "first", fault: fault ?? "ok", wire });
  const second = rowAt(faultd.url, { id: "second", fault: "ok", wire });
  await using gateway = await startGateway({ clock, providers: others ? [first, second] : [first] });
  const more = { provider: { order: ["first", "second"] } };
  const answered = call(gateway, { api, key: gateway.apiKey, stream, more }).then(async (response) => ({
    response,
    said: await response.text(),
  }));
  const asks = (count: number) => faultd.requests.length >= count;
  if (silent) {
    // Time stands still again when the second endpoint is asked: it needs none.
    const over = others ? until(() => asks(2), { what: "that the second endpoint is asked" }) : answered;
    await runOut<unknown>(over, { clock, once: () => asks(1) });
  }
  const { response, said } = await answered;
  const receipt = await receiptOf(gateway, response);
  return {
    status: response.status,
    said,
    asked: faultd.requests.map(({ body }) => String(asObject(body).model)),
    cost: receipt.cost,
    estimated: receipt.estimated,
  };
}

/** The text of an answer in the words of each API. */
const texts: { readonly [A in Api]: (said: Json) => unknown } = {
  responses: ({ output }) => asObject(asList(asObject(asList(output)[0]).content)[0]).text,
  chat: ({ choices }) => asObject(asObject(asList(choices)[0]).message).content,
  messages: ({ content }) => asObject(asList(content)[0]).text,
};
const deltas: { readonly [A in Api]: (frame: Json) => unknown } = {
  responses: ({ type, delta }) => type === "response.output_text.delta" ? delta : "",
  chat: ({ choices }) => {
    const [choice] = asList(choices);
    return choice === undefined ? "" : asObject(asObject(choice).delta).content ?? "";
  },
  messages: ({ type, delta }) => type === "content_block_delta" ? asObject(delta).text : "",
};

function textIn({ said }: Received, { api, stream }: Sent): string {
  if (!stream) return String(texts[api](asObject(JSON.parse(said))));
  return framesOf(said).map((frame) => deltas[api](frame)).join("");
}

function check(received: Received, sent: Sent): void {
  const { row, stream } = sent;
  const end = stream ? row.streamed : row.whole;
  const at = `${row.what}, ${JSON.stringify(received)}`;
  assert.equal(received.status, end === "refused" ? 400 : 200, at);
  const first = row.fault === undefined ? [] : [row.fault];
  assert.deepEqual(received.asked, end === "next" ? [...first, "ok"] : first, at);
  if (end === "refused") {
    assert.match(received.said, /"error"/);
    assert.equal(received.cost, 0, at);
    return;
  }
  if (end === "broken") {
    assert.equal(textIn(received, sent), "The", at);
    assert.match(received.said, /"error"/);
    assert(received.cost > 0 && received.cost < DUE && received.estimated, at);
    return;
  }
  assert.equal(textIn(received, sent), TEXT, at);
  assert.doesNotMatch(received.said, /"type":"error"|"error":\{/);
  assert.equal(received.cost, DUE, at);
}

for (const row of failover) {
  for (const wire of wires) {
    for (const stream of [true, false]) {
      const form = stream ? "streamed" : "whole";
      Deno.test(`route ends as the table of docs/routing.md says: ${row.what} (${wire}, ${form})`, async () => {
        for (const api of apiNames) {
          const sent = { row, wire, api, stream, others: true };
          check(await send(sent), sent);
        }
        if (stream || row.alone === undefined) return;
        for (const api of apiNames) {
          const { status, cost } = await send({ row, wire, api, stream, others: false });
          assert.deepEqual([status, cost], [row.alone, 0], api);
        }
      });
    }
  }
}

const MINUTE = 60_000;

for (const stream of [true, false]) {
  Deno.test(`route ends as the table of docs/routing.md says: ${outage.what} (${stream ? "streamed" : "whole"})`, async () => {
    const clock = fakeClock();
    const from = clock.monotonic();
    const isOver = () => clock.monotonic() - from >= MINUTE;
    await using first = scripted((requested, number) =>
      isOver() ? says("chat", "well again")(requested, number) : new Response("", { status: 503 })
    );
    await using second = scripted(says("chat", "in its place"));
    await using gateway = await startGateway({
      clock,
      providers: [
        rowAt(first.baseUrl, { id: "first", fault: "one", wire: "chat" }),
        rowAt(second.baseUrl, { id: "second", fault: "two", wire: "chat" }),
      ],
    });
    await checkOutage({ gateway, clock, from, stream, asked: () => first.requested.length });
  });
}

interface Outage extends Pick<Sent, "stream"> {
  readonly gateway: Gateway;
  readonly clock: FakeClock;
  readonly from: number;
  /** How often the first endpoint was. */
  readonly asked: () => number;
}

/** A request every five seconds: none fails, the dead endpoint is asked seldom, and soon when it is well again. */
async function checkOutage({ gateway, clock, from, stream, asked }: Outage): Promise<void> {
  const more = { provider: { order: ["first", "second"] } };
  const seconds = () => (clock.monotonic() - from) / 1_000;
  for (;;) {
    const api = apiNames[(seconds() / 5) % apiNames.length];
    const response = await call(gateway, { api, key: gateway.apiKey, stream, more });
    const said = await response.text();
    assert.equal(response.status, 200, said);
    if (/again/.test(said)) break;
    assert.match(said, /place/);
    assert(seconds() <= 60 + outage.recovery, `the first endpoint is missed after ${seconds()} s`);
    await clock.advanceOnce(() => true, 5_000);
  }
  assert(seconds() >= 60);
  assert(asked() <= 3 + 4 + 1, `${asked()} requests went to the endpoint`);
}
