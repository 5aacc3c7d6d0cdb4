/** Every place of a request in which a text may stand is read, or says why not: made from the schemas themselves. */

import assert from "node:assert/strict";
import { chatRequest } from "../../../shared/chat/request.ts";
import { messagesRequest } from "../../../shared/messages/request.ts";
import { responseRequest } from "../../../shared/responses/request.ts";
import { speechRequest } from "../../../shared/speech.ts";
import type { ModelRequest } from "../../../server/canonical/request.ts";
import { parseModelRequest } from "../../../server/compose_guardrails.ts";
import type { FilterAction } from "../../../server/guardrails/content_filters.ts";
import type { ModelApi } from "../../../server/management/core/management_deps.ts";
import { completeBody } from "./complete_body.ts";
import { guardFor } from "./guard_for.ts";
import { placesIn, type TextPlace, textsIn } from "./schema_places.ts";
import { unreadPlaces } from "./unread_places.ts";

const secret = "id-4711-x";
const schemas = {
  responses: responseRequest,
  chat: chatRequest,
  messages: messagesRequest,
  speech: speechRequest,
};

/** The request; undefined where the API refuses it, whatever the text. */
function requestOf(api: ModelApi, { build }: TextPlace): ModelRequest | undefined {
  try {
    return parseModelRequest(api, completeBody(api, build(secret)));
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
const placed = (api: keyof typeof schemas): readonly PlacedRequest[] =>
  placesIn(schemas[api]).flatMap((place) => {
    const request = requestOf(api, place);
    return request !== undefined && holds(request) ? [{ path: `${place.path}`, request }] : [];
  });

const all = (["responses", "chat", "messages", "speech"] as const).flatMap((api) =>
  placed(api).map((one) => ({ api, ...one }))
);
const isListed = (path: string) => unreadPlaces.some(([place]) => place.test(path));

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
  const unread: string[] = [];
  for (const { api, path, request } of all) {
    const read = await readWith("redact", request);
    if (holds(read)) unread.push(`${api} ${path}`);
  }
  assert.deepEqual(unread.filter((path) => !isListed(path.slice(path.indexOf(" ") + 1))), []);
  const unused = unreadPlaces.filter(([place]) =>
    !unread.some((path) => place.test(path.slice(path.indexOf(" ") + 1)))
  );
  assert.deepEqual(unused, []);
});

Deno.test("a text is masked and blocked in every place in which it is redacted", async () => {
  for (const { api, path, request } of all) {
    if (holds(await readWith("redact", request))) continue;
    assert.ok(!holds(await readWith("mask", request)), `${api} ${path}`);
    assert.equal(await readWith("block", request), "blocked", `${api} ${path}`);
  }
});
