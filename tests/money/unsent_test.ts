/** A call that ends before it was sent costs nothing, for every kind of request and of ending. */

import assert from "node:assert/strict";
import { OneShotSignal } from "../../server/one_shot_signal.ts";
import { type Gateway, mockModel, startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { until } from "../support/until.ts";
import { call, newestReceipt, price, pricedAt, spentBy } from "./rig.ts";

interface Ending {
  readonly leave: AbortController;
  readonly stop: OneShotSignal;
  readonly gateway: Gateway;
  readonly hash: string;
}

const endings: Readonly<Record<string, (ending: Ending) => unknown>> = {
  "its client": ({ leave }) => leave.abort(),
  "a stop": ({ stop }) => stop.fire(),
  "abort=true": ({ gateway, hash }) =>
    managed(gateway, { call: `PATCH /keys/${hash}?abort=true`, body: { disabled: true } }),
};

const draws = {
  ...mockModel,
  output_modalities: ["text", "image"],
  pricing: { ...price, output_image: "0.04" },
};
const writes = { ...mockModel, pricing: price };

/** A server that takes connections and never says anything: a TLS connection to it is never there. */
function silentServer() {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const taken: Deno.Conn[] = [];
  const accepting = (async () => {
    for await (const connection of listener) taken.push(connection);
  })();
  return {
    url: `https://127.0.0.1:${listener.addr.port}/v1`,
    taken,
    [Symbol.asyncDispose]: async () => {
      listener.close();
      await accepting;
      for (const connection of taken) connection.close();
    },
  };
}

for (const [who, end] of Object.entries(endings)) {
  for (const [what, model] of Object.entries({ "a text": writes, "a picture": draws })) {
    for (const stream of [true, false]) {
      const how = stream ? "streamed" : "whole";
      Deno.test(`a call for ${what} that ${who} ends before it was sent costs nothing (${how})`, async () => {
        await using server = silentServer();
        const stop = new OneShotSignal();
        const models = [{ ...model, max_output_tokens: 20_000 }];
        const providers = [pricedAt(server.url, { wire: "chat", models })];
        await using gateway = await startGateway({ providers, stop });
        const { key, record: { hash } } = await createKey(gateway, { limit: 10 });
        const leave = new AbortController();
        const text = "Draw a cat. ".repeat(20);
        const asked = call(gateway, { key, stream, text, signal: leave.signal })
          .then((response) => response.text())
          .catch(() => {
            // It is aborted below.
          });
        await until(() => server.taken.length === 1, { what: "that the provider is connected to" });
        await end({ leave, stop, gateway, hash });
        await asked;
        const { cost, status } = await newestReceipt(gateway);
        assert.deepEqual([cost, status === "completed"], [0, false]);
        if (who !== "abort=true") assert.equal(await spentBy(gateway, key), 0);
      });
    }
  }
}
