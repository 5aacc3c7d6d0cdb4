import assert from "node:assert/strict";
import { usageSchema as bedrockUsage } from "../../server/protocols/bedrock/outbound/response_schema.ts";
import * as bedrock from "../../server/protocols/bedrock/outbound/parse_usage.ts";
import { chunkSchema as chatChunk } from "../../server/protocols/chat/outbound/response_schema.ts";
import * as chat from "../../server/protocols/chat/outbound/parse_usage.ts";
import * as gemini from "../../server/protocols/gemini/outbound/parse_usage.ts";
import * as messages from "../../server/protocols/messages/outbound/parse_usage.ts";
import { parseUsage } from "../../server/protocols/responses/outbound/parse_usage.ts";
import { computeCharge } from "../../server/billing/pricing/charge.ts";
import { priceListSchema } from "../../shared/models.ts";
import { formatUsd, parseUsd, toUsdNumber } from "../../shared/money.ts";
import { normalizeUsage, type Usage, withServiceTier } from "../../server/protocols/canonical/usage.ts";
import { anthropicRows } from "./anthropic.ts";
import { bedrockRows } from "./bedrock.ts";
import { googleRows } from "./google.ts";
import { hostsRows } from "./hosts.ts";
import { openaiRows } from "./openai.ts";
import { openaiChatRows } from "./openai_chat.ts";
import { type CostRow, pricingJson } from "./row.ts";
import { xaiPerplexityRows } from "./xai_perplexity.ts";

const rows = [
  ...openaiRows,
  ...openaiChatRows,
  ...anthropicRows,
  ...googleRows,
  ...bedrockRows,
  ...hostsRows,
  ...xaiPerplexityRows,
];

const readers: { readonly [W in CostRow["wire"]]: (reported: CostRow["reported"]) => Usage | undefined } = {
  responses: (reported) => parseUsage(reported.usage, reported),
  chat: (reported) =>
    withServiceTier(chat.usageOfChunk(chatChunk.parse(reported)), wordOf(reported.service_tier)),
  messages: (reported) =>
    messages.toUsage(messages.addCounts(undefined, { said: reported.usage, final: true })),
  gemini: (reported) =>
    gemini.parseUsage(reported.usageMetadata, typeof reported.searches === "number" ? reported.searches : 0),
  bedrock: (reported) => bedrock.parseUsage(bedrockUsage.parse(reported.usage), tierOf(reported.serviceTier)),
  counts: (reported) => normalizeUsage(reported),
};

const wordOf = (value: unknown) => typeof value === "string" ? value : undefined;
const tierOf = (tier: unknown) =>
  typeof tier === "object" && tier !== null && "type" in tier ? wordOf(tier.type) : undefined;

function usageOf({ wire, reported }: CostRow): Usage {
  const usage = readers[wire](reported);
  assert.ok(usage, "nothing was counted");
  return usage;
}

Deno.test("an answer costs what its provider's price page says", async (t) => {
  assert.ok(rows.length >= 60, `${rows.length} rows`);
  for (const row of rows) {
    await t.step(`${row.provider} ${row.model} (${row.date}): ${row.what}`, () => {
      const charge = computeCharge(usageOf(row), priceListSchema.parse(pricingJson(row.prices)), {
        at: Date.parse(row.at ?? `${row.date}T12:00:00Z`),
        serviceTier: row.requested,
      });
      assert.equal(formatUsd(charge.total), row.cost);
      assert.equal(charge.input + charge.output + charge.tools, charge.total);
    });
  }
});

Deno.test("a provider's own sum stands beside ours, and agrees with it as far as it is exact", () => {
  const reported = rows.flatMap((row) => {
    const { reportedCost } = usageOf(row);
    return reportedCost === undefined || row.provider === "openrouter" ? [] : [{ row, reportedCost }];
  });
  assert.ok(reported.length >= 5);
  for (const { row, reportedCost } of reported) {
    const off = Math.abs(reportedCost - parseUsd(row.cost));
    assert.ok(off <= 0.002 * reportedCost, `${row.model}: ${row.cost}, told ${toUsdNumber(reportedCost)}`);
  }
});

Deno.test("what a provider reports is charged where no price is known", () => {
  const usage = usageOf({ ...hostRow("openrouter"), prices: { prompt: "0", completion: "0" } });
  const charge = computeCharge(usage, null, { at: 0 });
  assert.deepEqual([charge.by, formatUsd(charge.total)], ["provider", "0.01824"]);
});

function hostRow(provider: string): CostRow {
  const row = hostsRows.find((one) => one.provider === provider);
  assert.ok(row);
  return row;
}
