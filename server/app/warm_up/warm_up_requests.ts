/** Requests of a warm-up: each wire of clients, a whole answer and a stream, a model that is free and one with a price. */

import { CallAbort } from "../../providers/upstream/call_abort.ts";
import type { ThrowawayGateway } from "./throwaway_gateway.ts";

interface Question {
  readonly path: string;
  readonly body: string;
}

/** The model says it again, a word in each delta. */
const TEXT =
  "Tell me in twenty words or so why the second request to a program that has just started is quicker " +
  "than the first one.";

const messages = [{ role: "user", content: TEXT }];

const wires: readonly (readonly [path: string, fields: object])[] = [
  ["/v1/responses", { input: TEXT }],
  ["/v1/chat/completions", { messages }],
  ["/v1/messages", { max_tokens: 100, messages }],
];

const questions: readonly Question[] = [false, true].flatMap((stream) =>
  ["local/echo", "local/priced"].flatMap((model) =>
    wires.map(([path, fields]) => ({ path, body: JSON.stringify({ model, stream, ...fields }) }))
  )
);

function* inTurn(): Generator<Question, never> {
  for (;;) yield* questions;
}

/** Requests at a time. */
const LANES = 4;

/** Asks in turn until it is enough. Rejects with the first failure. */
export async function askUntil(
  gateway: Omit<ThrowawayGateway, "close">,
  isEnough: () => boolean,
): Promise<void> {
  const turns = inTurn();
  const lane = async () => {
    while (!isEnough()) await ask(gateway, turns.next().value);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

async function ask(
  { url, apiKey, transport }: Omit<ThrowawayGateway, "close">,
  { path, body }: Question,
): Promise<void> {
  const answer = await transport({
    url: `${url}${path}`,
    baseUrl: url,
    credentialHash: "warm-up",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body,
    signal: new CallAbort(),
  });
  if (answer.status !== 200) {
    answer.discard();
    throw new Error(`${path} was answered with ${answer.status}`);
  }
  while (await answer.read() !== undefined);
}
