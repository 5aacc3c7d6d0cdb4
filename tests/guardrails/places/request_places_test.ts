/** Every place of a request in which a text may stand is read, or says why not: made from the schemas themselves. */

import assert from "node:assert/strict";
import { chatRequest } from "../../../shared/chat/request.ts";
import { messagesRequest } from "../../../shared/messages/request.ts";
import { responseRequest } from "../../../shared/responses/request.ts";
import { embeddingsRequest } from "../../../shared/embeddings/request.ts";
import { speechRequest } from "../../../shared/speech.ts";
import type { ModelRequest } from "../../../server/protocols/canonical/request.ts";
import { parseModelRequest } from "../../../server/app/compose/guardrails.ts";
import type { FilterAction } from "../../../server/pipeline/guardrails/filter_strength.ts";
import type { ModelApi } from "../../../server/management/core/management_deps.ts";
import { completeBody } from "./complete_body.ts";
import { guardFor } from "./guard_for.ts";
import { placesIn, type TextPlace, textsIn } from "./schema_places.ts";
import { opaquePlaces, unreadPlaces } from "./unread_places.ts";

/** It has the form of an id, which ids and words of an API may have. */
const secret = "id-4711-x";
/** It has not. */
const text = `is ${secret}`;
const schemas = {
  responses: responseRequest,
  chat: chatRequest,
  messages: messagesRequest,
  speech: speechRequest,
  embeddings: embeddingsRequest,
};

interface PlantedText {
  readonly api: ModelApi;
  readonly place: TextPlace;
  readonly planted: string;
}

/** The request; undefined where the API refuses it, whatever the text. */
function requestOf({ api, place, planted }: PlantedText): ModelRequest | undefined {
  try {
    return parseModelRequest(api, completeBody(api, place.build(planted)));
  } catch {
    // No text may stand there, or not this one.
    return undefined;
  }
}

const holds = (value: unknown) => textsIn(value).some((text) => text.includes(secret));

interface PlacedRequest {
  readonly path: string;
  readonly request: ModelRequest;
}

/** Requests whose text reaches the canonical model. */
const placed = (api: keyof typeof schemas, planted: string): readonly PlacedRequest[] =>
  placesIn(schemas[api]).flatMap((place) => {
    const request = requestOf({ api, place, planted });
    return request !== undefined && holds(request) ? [{ path: `${place.path}`, request }] : [];
  });

const allWith = (planted: string) =>
  (["responses", "chat", "messages", "speech", "embeddings"] as const).flatMap((api) =>
    placed(api, planted).map((one) => ({ api, ...one }))
  );
const all = allWith(secret);
const allTexts = allWith(text);

type UnreadPlaces = typeof unreadPlaces;

async function assertListed(requests: typeof all, places: UnreadPlaces): Promise<void> {
  const unread: string[] = [];
  for (const { api, path, request } of requests) {
    if (holds(await readWith("redact", request))) unread.push(`${api} ${path}`);
  }
  const isPlace = (path: string, place: RegExp) => place.test(path.slice(path.indexOf(" ") + 1));
  assert.deepEqual(unread.filter((path) => !places.some(([place]) => isPlace(path, place))), []);
  assert.deepEqual(places.filter(([place]) => !unread.some((path) => isPlace(path, place))), []);
}

async function readWith(action: FilterAction, request: ModelRequest): Promise<ModelRequest | "blocked"> {
  try {
    return await guardFor(action).readRequest(request);
  } catch (error) {
    assert.match(String(error), /A guardrail blocked the request/);
    return "blocked";
  }
}

Deno.test("the schemas have many places, and each unread one is listed with its reason", async () => {
  assert.ok(all.length > 1_200, String(all.length));
  await assertListed(all, [...unreadPlaces, ...opaquePlaces]);
});

Deno.test("where ids and words of an API may stand, any other text is read", async () => {
  assert.ok(allTexts.length > 1_200, String(allTexts.length));
  await assertListed(allTexts, unreadPlaces);
});

Deno.test("names in logit_bias that are no ids of tokens are read", async () => {
  const bias = (name: string) =>
    parseModelRequest("chat", completeBody("chat", { logit_bias: { [name]: 1, 50256: -1 } }));
  const read = await readWith("redact", bias(secret));
  assert.ok(read !== "blocked");
  assert.deepEqual(read.sampling.logitBias, { "[ID]": 1, 50256: -1 });
  assert.equal(await readWith("block", bias(text)), "blocked");
  const plain = bias("464");
  assert.equal(await readWith("redact", plain), plain);
});

Deno.test("a text is masked and blocked in every place in which it is redacted", async () => {
  for (const { api, path, request } of [...all, ...allTexts]) {
    if (holds(await readWith("redact", request))) continue;
    assert.ok(!holds(await readWith("mask", request)), `${api} ${path}`);
    assert.equal(await readWith("block", request), "blocked", `${api} ${path}`);
  }
});
