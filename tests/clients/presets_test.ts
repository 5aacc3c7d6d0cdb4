/** Presets by an unmodified client. */

import assert from "node:assert/strict";
import { OpenRouter } from "@openrouter/sdk";
import { startGateway } from "../support/gateway.ts";

Deno.test("@openrouter/sdk saves, lists, shows and uses presets", async () => {
  await using gateway = await startGateway({ env: { TOLLGATE_LOCAL: "on" } });
  const at = (apiKey: string) => new OpenRouter({ serverURL: `${gateway.url}/api/v1`, apiKey });
  const { presets } = at(gateway.managementKey);
  const slug = "support";
  const message = { role: "user", content: "Hello" } as const;
  const chatRequest = { model: "local/echo", temperature: 0.5, messages: [message] };
  const { data: first } = await presets.createPresetsChatCompletions({ slug, chatRequest });
  const { data: second } = await presets.createPresetsMessages({
    slug,
    messagesRequest: { model: "local/echo", maxTokens: 100, system: "Be brief.", messages: [message] },
  });
  const { data: third } = await presets.createPresetsResponses({
    slug,
    responsesRequest: { model: "local/echo", maxOutputTokens: 50, input: "Hello" },
  });
  const saved = [first, second, third].map(({ designatedVersion }) => designatedVersion);
  assert.deepEqual(saved.map((version) => [version?.version, version?.config, version?.systemPrompt]), [
    [1, { model: "local/echo", temperature: 0.5 }, null],
    [2, { model: "local/echo", max_tokens: 100 }, "Be brief."],
    // The library says the tier itself.
    [3, { model: "local/echo", max_tokens: 50, service_tier: "auto" }, null],
  ]);
  assert.deepEqual((await presets.get({ slug })).data, third);
  const { designatedVersion: _, ...listed } = third;
  const all = [];
  for await (const { result } of await presets.list({ limit: 1 })) all.push(...result.data);
  assert.deepEqual(all, [listed]);
  const versions = [];
  for await (const { result } of await presets.listVersions({ slug, limit: 2 })) {
    versions.push(...result.data);
  }
  assert.deepEqual(versions, saved);
  assert.deepEqual((await presets.getVersion({ slug, version: "2" })).data, saved[1]);
  const answer = await at(gateway.apiKey).chat.send({
    chatRequest: { model: "@preset/support", messages: [message] },
  });
  assert("choices" in answer);
  assert.equal(answer.model, "local/echo");
});
