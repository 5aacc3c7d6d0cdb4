/** The unmodified client manages keys and parses every reply. */

import assert from "node:assert/strict";
import { OpenRouter } from "@openrouter/sdk";
import {
  BadRequestResponseError,
  ForbiddenResponseError,
  NotFoundResponseError,
  UnauthorizedResponseError,
} from "@openrouter/sdk/models/errors";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { managed } from "../support/manage.ts";

function clientOf({ url, managementKey }: Gateway, apiKey = managementKey): OpenRouter {
  return new OpenRouter({ serverURL: `${url}/api/v1`, apiKey, retryConfig: { strategy: "none" } });
}

Deno.test("@openrouter/sdk apiKeys.* makes, lists, shows, changes and deletes a key", async () => {
  await using gateway = await startGateway();
  const { apiKeys } = clientOf(gateway);
  const expiresAt = new Date("2099-12-31T23:59:59.500Z");
  const made = await apiKeys.create({
    requestBody: { name: "Ada", limit: 12.5, limitReset: "weekly", expiresAt, creatorUserId: "user_1" },
  });
  assert.match(made.key, /^tg-api-/);
  const { hash } = made.data;
  assert.deepEqual(
    [made.data.limit, made.data.limitRemaining, made.data.limitReset, made.data.creatorUserId],
    [12.5, 12.5, "weekly", "user_1"],
  );
  assert.equal(made.data.expiresAt?.getTime(), expiresAt.getTime());
  assert.deepEqual((await apiKeys.get({ hash })).data, made.data);
  assert.deepEqual((await apiKeys.list()).data.map((key) => key.name), ["Ada", "First API key"]);
  const none = await apiKeys.update({ hash, requestBody: {} });
  assert.deepEqual(none.data, { ...made.data, updatedAt: made.data.createdAt });
  const { data } = await apiKeys.update({
    hash,
    requestBody: { name: "Bob", disabled: true, limit: null, limitReset: null, includeByokInLimit: true },
  });
  assert.deepEqual([data.name, data.disabled, data.limit, data.limitRemaining], ["Bob", true, null, null]);
  assert.equal(typeof data.updatedAt, "string");
  assert.equal((await apiKeys.list({ includeDisabled: false })).data.length, 1);
  assert.equal((await apiKeys.list({ includeDisabled: true, offset: 1 })).data.length, 1);
  assert.deepEqual(await apiKeys.delete({ hash }), { deleted: true });
  await assert.rejects(apiKeys.get({ hash }), NotFoundResponseError);
});

Deno.test("@openrouter/sdk apiKeys.* knows the class of every refusal", async () => {
  await using gateway = await startGateway();
  const { apiKeys } = clientOf(gateway);
  await assert.rejects(apiKeys.create({ requestBody: { name: "x", limit: -1 } }), BadRequestResponseError);
  await assert.rejects(apiKeys.update({ hash: "no/such key", requestBody: {} }), NotFoundResponseError);
  const ordinary = clientOf(gateway, gateway.apiKey).apiKeys;
  await assert.rejects(ordinary.update({ hash: "x", requestBody: {} }), UnauthorizedResponseError);
  await assert.rejects(ordinary.create({ requestBody: { name: "x" } }), ForbiddenResponseError);
  await assert.rejects(clientOf(gateway, "nobody").apiKeys.list(), UnauthorizedResponseError);
});

Deno.test("@openrouter/sdk apiKeys.create makes a user's key with a client secret", async () => {
  await using gateway = await startGateway();
  const { body } = await managed(gateway, { call: "POST /connect/clients", body: { name: "App" } });
  const { apiKeys } = clientOf(gateway, String(body.secret));
  const own = "0123456789-0123456789-0123456789-own";
  const { key, data } = await apiKeys.create({
    requestBody: { name: "Ada's", external: { user: "ada", apiKey: own } },
  });
  assert.deepEqual([key, data.externalUser], [own, "ada"]);
  assert.equal((await apiKeys.update({ hash: data.hash, requestBody: { limit: 1 } })).data.limit, 1);
  const mine = await clientOf(gateway, own).apiKeys.getCurrentKeyMetadata();
  assert.equal(mine.data.limit, 1);
});
