/** Models as Anthropic's client lists them, and as others do. */

import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";
import { asList, asObject } from "../support/event_stream.ts";
import { startGateway } from "../support/gateway.ts";

const CREATED = 1_700_000_000;
const NAMES = Array.from({ length: 45 }, (_, at) => `acme/model-${at + 10}`);
const providers = [{
  id: "acme",
  wire: "chat",
  base_url: "http://127.0.0.1:9",
  models: NAMES.map((id) => ({ id, created: CREATED, context_length: 9_000, max_output_tokens: 500 })),
}];

interface Listing {
  readonly url: string;
  readonly apiKey: string;
  readonly client: Anthropic;
}

async function withModels(test: (listing: Listing) => Promise<void>): Promise<void> {
  await using gateway = await startGateway({ providers });
  const { url, apiKey } = gateway;
  await test({ url, apiKey, client: new Anthropic({ baseURL: url, apiKey, maxRetries: 0 }) });
}

Deno.test("models.list of Anthropic's client goes through all pages", () =>
  withModels(async ({ client }) => {
    for (const limit of [undefined, 7, 1_000]) {
      const found: string[] = [];
      for await (const { id } of client.models.list({ limit })) found.push(id);
      assert.deepEqual(found, NAMES, `${limit}`);
    }
    const page = await client.models.list();
    assert.deepEqual([page.data.length, page.has_more, page.last_id], [20, true, NAMES[19]]);
    const before = await client.models.list({ before_id: NAMES[5], limit: 3 });
    assert.deepEqual(before.data.map(({ id }) => id), NAMES.slice(2, 5));
    assert.equal(before.has_more, true);
    const reverse: string[] = [];
    for await (const { id } of client.models.list({ before_id: NAMES[5], limit: 2 })) reverse.push(id);
    assert.deepEqual(reverse.toSorted(), NAMES.slice(0, 5));
  }));

Deno.test("models.retrieve of Anthropic's client has the fields of its type", () =>
  withModels(async ({ client }) => {
    const model = await client.models.retrieve("acme/model-11");
    assert.partialDeepStrictEqual(model, {
      type: "model",
      id: "acme/model-11",
      display_name: "acme/model-11",
      created_at: "2023-11-14T22:13:20.000Z",
      max_input_tokens: 9_000,
      max_tokens: 500,
      lifecycle: "active",
    });
    const refused = await client.models.list({ after_id: "acme/none" }).catch((error: unknown) => error);
    assert(refused instanceof Anthropic.BadRequestError);
    assert.match(refused.message, /after_id/);
  }));

Deno.test("GET /v1/models keeps its own form for clients that are not Anthropic's", () =>
  withModels(async ({ url, apiKey }) => {
    const headers = { authorization: `Bearer ${apiKey}` };
    const own = asObject(await (await fetch(`${url}/v1/models`, { headers })).json());
    assert.equal(own.object, "list");
    assert.equal(asList(own.data).length, NAMES.length);
    assert.equal(asObject(asList(own.data)[0]).display_name, undefined);
    const version = { ...headers, "anthropic-version": "2023-06-01" };
    const theirs = asObject(await (await fetch(`${url}/v1/models?limit=1`, { headers: version })).json());
    assert.equal(asObject(asList(theirs.data)[0]).type, "model");
  }));
