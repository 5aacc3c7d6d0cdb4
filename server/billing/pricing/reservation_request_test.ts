import assert from "node:assert/strict";
import { testEndpoint } from "../../../tests/support/endpoint.ts";
import { modelRequest } from "../../../tests/support/requests.ts";
import { toNanoUsd } from "../../../shared/money.ts";
import { MAX_TOKENS } from "../../protocols/canonical/usage.ts";
import type { ModelRequest } from "../../protocols/canonical/request.ts";
import type { ProviderRequest } from "../../pipeline/request_context.ts";
import type { Endpoint, Model } from "../../providers/endpoint.ts";
import { buildReservationRequest } from "./reservation_request.ts";

const pricing = { prompt: "0.000001", completion: "0.000002" } as const;
const limits = { defaultOutputTokens: 8_192 };

const bodyOf = ({ text = "", body = {} }: Preference): ProviderRequest => ({
  path: "/",
  body,
  text,
  dropped: [],
});

interface Preference {
  readonly request?: Partial<ModelRequest>;
  readonly endpoint?: Partial<Endpoint>;
  readonly omit?: readonly string[];
  readonly model?: Partial<Model>;
  readonly text?: string;
  readonly body?: ProviderRequest["body"];
}

function order(preference: Preference) {
  const { request = {}, endpoint = {}, omit = [], model = {} } = preference;
  const served = testEndpoint({
    provider: { quirks: { omit } },
    model: { contextLength: 100_000, ...model },
    endpoint: { pricing, maxOutputTokens: 20_000, ...endpoint },
  });
  const ordered = {
    request: modelRequest(request),
    endpoint: served,
    providerRequest: bodyOf(preference),
    at: 0,
  };
  return buildReservationRequest(ordered, limits);
}

Deno.test("buildReservationRequest reserves the caller's cap, else the usual one, and never more than the model puts out", () => {
  assert.deepEqual([order({}).requestedMaxTokens, order({}).defaultMaxTokens], [undefined, 8_192]);
  assert.equal(order({ request: { maxOutputTokens: 700 } }).requestedMaxTokens, 700);
  assert.equal(order({ request: { maxOutputTokens: 700_000 } }).requestedMaxTokens, 20_000);
  assert.equal(order({ endpoint: { maxOutputTokens: 500 } }).defaultMaxTokens, 500);
  assert.equal(order({ endpoint: { maxOutputTokens: null } }).defaultMaxTokens, 8_192);
  assert.equal(
    order({ request: { maxOutputTokens: 700_000 }, endpoint: { maxOutputTokens: null } }).requestedMaxTokens,
    100_000,
  );
});

Deno.test("buildReservationRequest reserves all that a model puts out where its provider takes no cap", () => {
  const { requestedMaxTokens, defaultMaxTokens } = order({
    request: { maxOutputTokens: 10 },
    omit: ["max_output_tokens"],
  });
  assert.deepEqual([requestedMaxTokens, defaultMaxTokens], [undefined, 20_000]);
});

Deno.test("buildReservationRequest reserves as much as can be counted where nobody knows how much a model puts out", () => {
  const unknown = (omit: readonly string[], request: Partial<ModelRequest> = {}) => {
    const { requestedMaxTokens, defaultMaxTokens } = order({
      request,
      omit,
      model: { contextLength: null },
      endpoint: { maxOutputTokens: null },
    });
    return [requestedMaxTokens, defaultMaxTokens];
  };
  const uncapped = ["max_output_tokens"];
  assert.deepEqual(unknown(uncapped), [undefined, MAX_TOKENS]);
  assert.deepEqual(unknown(uncapped, { maxOutputTokens: 10 }), [undefined, MAX_TOKENS]);
  assert.deepEqual(unknown([]), [undefined, 8_192], "a cap is sent, and heeded");
  assert.deepEqual(unknown([], { maxOutputTokens: 700_000 }), [700_000, 8_192]);
});

Deno.test("buildReservationRequest bounds the input by the body's bytes and estimates it by its scripts", () => {
  const { costBound } = order({ text: "ä".repeat(4_000) });
  assert(costBound !== undefined);
  assert.equal(costBound.inputCost, 1_800_000);
  assert.equal(order({ text: "a".repeat(4_000) }).costBound?.inputCost, 1_000_000);
  assert.equal(order({ text: "汉".repeat(4_000) }).costBound?.inputCost, 3_400_000);
  const bytes = 8_000 * 1_000;
  assert(costBound.total(0) >= bytes && costBound.total(0) < bytes + 1_000_000);
  assert.equal(costBound.total(500), costBound.total(0) + 500 * 2_000);
  assert.equal(costBound.maxTokensWithin(costBound.total(321)), 321);
  assert.equal(costBound.maxTokensWithin(toNanoUsd(5)), -1);
});

Deno.test("buildReservationRequest never estimates more input than the model reads", () => {
  assert.equal(order({ text: "x".repeat(4_000_000) }).costBound?.inputCost, 100_000 * 1_000);
});

Deno.test("buildReservationRequest estimates an image by its likely tokens, not by its text in the body", () => {
  const image = "A".repeat(200_000);
  const url = `data:image/png;base64,${image}`;
  const request = { input: [{ type: "message", role: "user", parts: [{ type: "image", url }] }] } as const;
  const { costBound } = order({
    request,
    text: `"${url}"`,
    endpoint: { upstreamModel: "gpt-4o" },
  });
  assert(
    costBound !== undefined && costBound.inputCost > 765_000 && costBound.inputCost < 800_000,
    `${costBound?.inputCost}`,
  );
});

Deno.test("buildReservationRequest reserves the pictures of the provider's image tool by the piece, too", () => {
  const tools = [{
    type: "hosted" as const,
    wire: "responses" as const,
    kind: "image_generation",
    value: { type: "image_generation" },
  }];
  const withPrice = (outputImage?: string) =>
    order({ request: { tools }, endpoint: { pricing: { ...pricing, imageOutput: "0", outputImage } } })
      .costBound?.total(0) ?? 0;
  assert.equal(withPrice("0.04") - withPrice(), 4 * 40_000_000);
});

Deno.test("buildReservationRequest has no worst case without a price, and says whose key it is", () => {
  assert.equal(order({ endpoint: { pricing: null } }).costBound, undefined);
  assert.equal(order({}).byok, false);
  assert.equal(order({ endpoint: { byok: true } }).byok, true);
});

const search = { type: "hosted", wire: "responses", kind: "web_search", value: {} } as const;
const draw = { type: "hosted", wire: "responses", kind: "image_generation", value: {} } as const;
const ofClient = { type: "hosted", wire: "responses", kind: "local_shell", value: {} } as const;

Deno.test("buildReservationRequest names the tools that the provider runs itself", () => {
  const cases: readonly (readonly [ModelRequest["tools"], readonly string[]])[] = [
    [[], []],
    [[ofClient], []],
    [[{ ...search, wire: "messages" }], []],
    [[search], ["web_search"]],
    [[search, ofClient, draw], ["web_search", "image_generation"]],
  ];
  for (const [tools, named] of cases) {
    assert.deepEqual(order({ request: { tools } }).costBound?.providerTools, named);
  }
  const asked = order({ body: { web_search_options: {} } }).costBound?.providerTools;
  assert.deepEqual(asked, ["web searches"]);
});
