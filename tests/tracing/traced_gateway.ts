/**
 * A gateway in a process of its own, because Deno decides at its start whether it exports traces: it prints its
 * address and key, serves until its standard input ends, and prints then which traces its upstream was sent.
 */

import { startChatMock } from "../mocks/chat_upstream.ts";
import { providerAt, startGateway } from "../support/gateway.ts";

const model = (id: string, upstream_id: string) => ({
  id,
  upstream_id,
  context_length: 100_000,
  pricing: { prompt: "0.000001", completion: "0.000002" },
});

const mock = startChatMock();
const gateway = await startGateway({
  providers: [
    providerAt(mock.url, { id: "broken", wire: "chat", models: [model("mock/loop", "mock-500")] }),
    providerAt(mock.url, {
      id: "well",
      wire: "chat",
      models: [model("mock/loop", "mock")],
      trace_context: true,
    }),
  ],
  env: { OTEL_DENO: "true", TOLLGATE_TRUST_TRACEPARENT: "on" },
});
const { url, apiKey, managementKey } = gateway;
console.log(JSON.stringify({ url, apiKey, managementKey }));
for await (const _chunk of Deno.stdin.readable);
await gateway.close();
await mock.close();
const sent = mock.requests.map(({ headers }) => headers.traceparent ?? null);
console.log(JSON.stringify(sent));
