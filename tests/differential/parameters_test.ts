/** No parameter is lost without a word: each wire sends it, or names it among what was dropped. */

import assert from "node:assert/strict";
import type { RenderedRequest } from "../../server/protocols/wire.ts";
import { inference, members } from "../mocks/bedrock_rules.ts";
import { publishedKeys } from "../mocks/published.ts";
import { apis } from "../golden/apis.ts";
import { wires } from "../golden/wires.ts";
import { doneHere, type Fields, gatewaysOwn, type Sample, samples, shapes } from "./parameters.ts";
import { unused } from "./unused_keys.ts";

const models: Readonly<Record<string, readonly string[]>> = {
  responses: ["gpt-6-sol"],
  chat: ["acme-1"],
  messages: ["claude-opus-5-5", "claude-opus-4-5", "claude-3-5-haiku", "acme-1"],
  gemini: ["gemini-4-neon", "gemini-3.5-flash", "gemini-2.5-pro", "gemma-4-31b-it"],
  bedrock: [
    "anthropic.claude-opus-5",
    "anthropic.claude-opus-4-5",
    "amazon.nova-pro",
    "openai.gpt-oss",
    "acme",
  ],
};

const plain: Readonly<Record<Sample["api"], Fields>> = {
  chat: { model: "a/b", messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }] },
  responses: { model: "a/b", input: [{ role: "user", content: [{ type: "input_text", text: "Hi" }] }] },
  messages: {
    model: "a/b",
    messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
    max_tokens: 4_000,
  },
};

/** `betas` among the fields of a sample is what a header says. */
interface Rendering {
  readonly api: Sample["api"];
  readonly wire: string;
  readonly model: string;
}

function render(fields: Fields, { api, wire, model }: Rendering): RenderedRequest {
  const { betas, ...body } = fields;
  const parsed = apis[api].parse({ ...plain[api], ...body });
  const request = betas === undefined ? parsed : { ...parsed, betas: [String(betas)] };
  const rendered = wires[wire]?.renderRequest(request, {
    upstreamModel: model,
    passKeys: [],
    parameters: api === wire ? ["prediction", "web_search_options"] : [],
    omit: [],
    rename: {},
    developerRole: "developer",
    extraBody: {},
    ...(request.endUser.safetyIdentifier === undefined ? {} : { safetyIdentifier: "pseudonym" }),
  });
  assert(rendered);
  return rendered;
}

for (const wire of Object.keys(wires)) {
  Deno.test(`${wire} sends each parameter or names it as dropped`, () => {
    const lost = samples.flatMap((sample) =>
      models[wire]?.flatMap((model) => lossOf(sample, { wire, model })) ?? []
    );
    assert.deepEqual(lost, []);
  });
}

function lossOf(sample: Sample, { wire, model }: Omit<Rendering, "api">): readonly string[] {
  const before = render(sample.with ?? {}, { api: sample.api, wire, model });
  const after = (() => {
    try {
      return render({ ...sample.with, ...sample.fields }, { api: sample.api, wire, model });
    } catch {
      // What cannot be said is refused: another endpoint is asked, or the client is told.
      return undefined;
    }
  })();
  if (after === undefined || Object.hasOwn(doneHere, sample.name)) return [];
  const call = ({ path, body, headers }: RenderedRequest) => JSON.stringify([path, body, headers]);
  if (call(before) !== call(after) || after.dropped.length > before.dropped.length) return [];
  return [`${sample.name} of ${sample.api} to ${model}`];
}

Deno.test("each field of a client's request is compared, or is the gateway's own", () => {
  for (const [api, keys] of Object.entries(shapes)) {
    const compared = new Set(
      samples.filter((sample) => sample.api === api).map(({ name }) => name.split(".")[0]),
    );
    const missing = keys.filter((key) => !compared.has(key) && !Object.hasOwn(gatewaysOwn, key));
    assert.deepEqual(missing, [], api);
  }
});

const published: Readonly<Record<string, readonly string[]>> = {
  bedrock: [
    ...members.filter((key) => key !== "inferenceConfig"),
    ...inference.map((key) => `inferenceConfig.${key}`),
  ],
  chat: publishedKeys("chat"),
  gemini: publishedKeys("gemini"),
  messages: publishedKeys("messages"),
  responses: publishedKeys("responses"),
};

for (const wire of Object.keys(wires)) {
  Deno.test(`${wire} says every key that its provider publishes, or there is a reason`, () => {
    const received = new Set(samples.flatMap((sample) => receivedBy(sample, wire)));
    const reasons = unused[wire] ?? {};
    const known = published[wire] ?? [];
    assert.deepEqual(
      known.filter((key) => !received.has(key) && !Object.hasOwn(reasons, key)),
      [],
      "not said",
    );
    const needless = Object.keys(reasons).filter((key) => received.has(key) || !known.includes(key));
    assert.deepEqual(needless, [], "has a reason and needs none");
  });
}

function receivedBy(sample: Sample, wire: string): readonly string[] {
  return models[wire]?.flatMap((model) => {
    try {
      return pathsOf(render({ ...sample.with, ...sample.fields }, { api: sample.api, wire, model }).body);
    } catch {
      // What cannot be said to this model may be said to another.
      return [];
    }
  }) ?? [];
}

/** Every path to a key, so that objects are there as such and by their members. */
function pathsOf(value: unknown, path = ""): readonly string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return path === "" ? [] : [path];
  const inner = Object.entries(value).flatMap(([key, one]) =>
    pathsOf(one, path === "" ? key : `${path}.${key}`)
  );
  return path === "" ? inner : [path, ...inner];
}
