import assert from "node:assert/strict";
import { type Faultd, startFaultd } from "../faultd/server.ts";
import { ask } from "../support/call.ts";
import { asObject } from "../support/event_stream.ts";
import { type Gateway, providerAt, startGateway } from "../support/gateway.ts";
import { wires } from "../support/scripted.ts";
import { outcomeOf } from "./rig.ts";

/** An address where nothing listens. */
function deadPort(): number {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = listener.addr;
  listener.close();
  return port;
}

/** Answers everything with words that are neither HTTP nor TLS, and closes. */
function startGibberish(): { readonly port: number; readonly close: () => Promise<void> } {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const answer = async (connection: Deno.Conn) => {
    await connection.read(new Uint8Array(4_096));
    await connection.write(new TextEncoder().encode("220 mail.example.com ESMTP ready\r\n"));
    connection.close();
  };
  const answering: Promise<void>[] = [];
  const accepting = (async () => {
    for await (const connection of listener) answering.push(answer(connection));
  })();
  const close = async () => {
    listener.close();
    await accepting;
    await Promise.all(answering);
  };
  return { port: listener.addr.port, close };
}

interface Rig {
  readonly gateway: Gateway;
  readonly faultd: Faultd;
}

interface Broken {
  readonly wire: string;
  readonly baseUrl: string;
}

/** `mock/model` at an address that cannot be reached and at faultd; `mock/dead` at the former alone. */
async function withDead({ wire, baseUrl }: Broken, test: (rig: Rig) => Promise<void>): Promise<void> {
  const faultd = await startFaultd();
  const one = { id: "mock/model", upstream_id: "ok" };
  const providers = [
    providerAt(baseUrl, { id: "dead", wire, models: [one, { id: "mock/dead" }] }),
    providerAt(faultd.url, { id: "alive", wire, models: [one] }),
  ];
  try {
    await using gateway = await startGateway({ providers });
    await test({ gateway, faultd });
  } finally {
    await faultd.close();
  }
}

async function check({ gateway, faultd }: Rig, code: RegExp): Promise<void> {
  for (const stream of [false, true]) {
    const body = { input: "Hi", stream, provider: { order: ["dead", "alive"] } };
    const served = await outcomeOf(await ask(gateway, { ...body, model: "mock/model" }));
    assert.equal(served.ended, "completed");
    const { status, error } = await outcomeOf(await ask(gateway, { ...body, model: "mock/dead" }));
    assert.equal(status, 502);
    const [reported] = Object(error?.error.metadata).previous_errors;
    assert.match(String(asObject(reported).code), code);
    assert.doesNotMatch(
      error?.message ?? "",
      /127\.0\.0\.1|invalid\b.*:|os error/,
      "nothing of the inside is told",
    );
  }
  assert.equal(faultd.requests.length, 2);
}

for (const wire of wires) {
  Deno.test(`U5 route goes on where the connection is refused (${wire})`, () =>
    withDead({ wire, baseUrl: `http://127.0.0.1:${deadPort()}/v1` }, (rig) => check(rig, /refused/)));

  Deno.test(`U5 route goes on where the name has no address (${wire})`, () =>
    withDead({ wire, baseUrl: "http://no-such-host.invalid/v1" }, (rig) => check(rig, /dns|connection/)));

  for (const scheme of ["http", "https"]) {
    Deno.test(`U5 route goes on where another protocol is spoken than ${scheme} (${wire})`, async () => {
      const gibberish = startGibberish();
      try {
        const baseUrl = `${scheme}://127.0.0.1:${gibberish.port}/v1`;
        await withDead({ wire, baseUrl }, (rig) => check(rig, scheme === "https" ? /tls/ : /bad_http|reset/));
      } finally {
        await gibberish.close();
      }
    });
  }
}
