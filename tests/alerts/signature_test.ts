/** Signatures of messages: the program of the documents and the standard's library take what was sent, and nothing else. */

import assert from "node:assert/strict";
import { Webhook } from "standardwebhooks";
import type { Alert, AlertFormat } from "../../shared/management/alerts.ts";
import { pause } from "../../shared/util/pause.ts";
import { AlertBook } from "../../server/management/alerts/alert_book.ts";
import { AlertSender } from "../../server/management/alerts/alert_sender.ts";
import { createLogger } from "../../server/logger.ts";
import { memoryStore } from "../../server/storage/stores/memory_store.ts";
import { add, SECRET } from "../destinations/destination_calls.ts";
import { destinationRig } from "../destinations/destination_rig.ts";
import { fakeClock } from "../support/clock.ts";

interface Signed {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const alert: Alert = {
  type: "credits",
  timestamp: "2026-11-21T12:00:00.000Z",
  data: { threshold: 50, interval: "lifetime", period: "lifetime", limit: 10, spent: 5 },
};

/** The message of an alert, as a receiver gets it. */
async function ofAlert(format: AlertFormat): Promise<Signed> {
  const [store, clock] = [memoryStore(), fakeClock(Date.now())];
  const sent: Signed[] = [];
  const sender = new AlertSender({
    store,
    runtime: {
      clock,
      log: createLogger({ format: "json", level: "error", now: clock.now, write: () => {} }),
    },
    webhook: () => ({ url: "https://alerts.example/", secret: SECRET, format }),
    send: ({ post }) => {
      sent.push({ headers: post?.headers ?? {}, body: String(post?.body) });
      return Promise.resolve({ status: 204 });
    },
    count: () => {},
  });
  await new AlertBook({ store, pause, count: () => {} }).raise({ alert, about: ["one"] }, clock.now());
  await sender.round(new AbortController().signal);
  const [message] = sent;
  assert.ok(message);
  return message;
}

/** The message of a destination. */
async function ofDestination(): Promise<Signed> {
  await using rig = await destinationRig();
  const ledger = await rig.openLedger();
  await add(rig, "webhook");
  await rig.receipt(ledger, { id: "gen-signed" });
  await rig.round();
  await ledger.close();
  const [message] = rig.at.messages;
  assert.ok(message);
  return message;
}

/** Says what the program of the documents says of a message. */
async function verdictOf({ headers, body }: Signed, secret = SECRET): Promise<string> {
  const program = new URL("../../docs/examples/verify_signature.py", import.meta.url).pathname;
  const child = new Deno.Command("python3", {
    args: [program, headers["tollgate-signature"] ?? ""],
    env: { SECRET: secret },
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(body));
  await writer.close();
  const { stdout } = await child.output();
  return new TextDecoder().decode(stdout).trim();
}

const OTHER = `whsec_${btoa("another of thirty-two characters")}`;

/** Changes of a message, and whether it is genuine still. */
const changes: Readonly<Record<string, (message: Signed) => Signed>> = {
  "another body": ({ headers, body }) => ({ headers, body: `${body} ` }),
  "another time": (message) =>
    signedAs(message, (text) => text.replace(/t=(\d+)/, (_, at) => `t=${Number(at) + 1}`)),
  "another signature": (message) => signedAs(message, (text) => text.replace(/v1=./, "v1=x")),
  "no signature": (message) => signedAs(message, () => ""),
};

function signedAs({ headers, body }: Signed, change: (text: string) => string): Signed {
  return { headers: { ...headers, "tollgate-signature": change(headers["tollgate-signature"] ?? "") }, body };
}

Deno.test("messages of alerts and destinations are verified by the program of the documents and by the standard's library", async () => {
  const messages = {
    "an alert": await ofAlert("json"),
    "an alert for Slack": await ofAlert("slack"),
    "a message of a destination": await ofDestination(),
  };
  for (const [name, message] of Object.entries(messages)) {
    new Webhook(SECRET).verify(message.body, message.headers);
    assert.equal(await verdictOf(message), "genuine", name);
    assert.equal(await verdictOf(message, OTHER), "not genuine", name);
    for (const [what, change] of Object.entries(changes)) {
      assert.equal(await verdictOf(change(message)), "not genuine", `${name}, ${what}`);
    }
  }
});
