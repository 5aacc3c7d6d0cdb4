/** Tests that the reservation for a text is never less than its cost. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { toPriceList } from "../../shared/models.ts";
import { computeCharge } from "../../server/billing/pricing/charge.ts";
import { parseSpeechRequest } from "../../server/speech/parse_speech_request.ts";
import { speechDialect } from "../../server/speech/dialects/mod.ts";
import { splitText } from "../../server/speech/audio/split_text.ts";
import {
  billedCharacters,
  speechReservationRequest,
} from "../../server/billing/pricing/speech_reservation.ts";
import { computeSpeechUsage } from "../../server/billing/pricing/speech_usage.ts";
import { testEndpoint } from "../support/endpoint.ts";
import { assertProperty } from "../support/property.ts";
import { seed } from "../support/seed.ts";

const price = fc.nat(5_000).map((tenths) => (tenths / 1e7).toFixed(7));
const pricing = fc.record({
  prompt: price,
  completion: price,
  character: fc.option(price, { nil: undefined }),
  second: fc.option(price, { nil: undefined }),
  request: fc.option(price, { nil: undefined }),
  audio_output: fc.option(price, { nil: undefined }),
});

const text = fc.oneof(
  fc.string({ minLength: 1, maxLength: 400, unit: "grapheme" }),
  fc.lorem({ maxCount: 40, mode: "sentences" }),
).filter((received) => received.trim() !== "");

/** A legal way to speak it: nobody speaks slower than a second a character, at 32 tokens a second. */
const way = fc.record({
  slowness: fc.double({ min: 0, max: 1, noNaN: true }),
  tokensASecond: fc.double({ min: 0, max: 32, noNaN: true }),
  speed: fc.option(fc.double({ min: 0.25, max: 4, noNaN: true }), { nil: undefined }),
  instructions: fc.option(fc.string({ maxLength: 100 }), { nil: undefined }),
  maxChars: fc.integer({ min: 2, max: 500 }),
  metered: fc.boolean(),
});

Deno.test(`no way to speak a text costs more than is set aside for it [SEED=${seed}]`, () => {
  assertProperty(
    fc.property(text, pricing, way, (input, prices, how) => {
      const { slowness, tokensASecond, speed, instructions, maxChars, metered } = how;
      const list = toPriceList(prices);
      const endpoint = testEndpoint({ endpoint: { pricing: list } });
      const request = parseSpeechRequest({ model: "m", input, voice: "v", speed, instructions });
      const dialect = speechDialect("openai");
      const chunks = splitText(input, maxChars);
      const { costBound, defaultMaxTokens } = speechReservationRequest({
        request,
        endpoint,
        dialect,
        chunks,
        at: 0,
      });
      assert(costBound !== undefined);
      const characters = billedCharacters({ dialect, chunks });
      const seconds = (characters + 10 * chunks.length) / Math.min(1, speed ?? 1) * slowness;
      const outputTokens = seconds * tokensASecond;
      const bytes = new TextEncoder().encode(input + (instructions ?? "").repeat(chunks.length)).length;
      const usage = computeSpeechUsage({
        request,
        characters,
        seconds,
        bytes: 1,
        calls: chunks.length,
        metered: metered ? { inputTokens: bytes, outputTokens, outputAudioTokens: outputTokens } : undefined,
        estimated: !metered,
      });
      const { total } = computeCharge(usage, list, { at: 0 });
      assert(total <= costBound.total(defaultMaxTokens), `${total} > ${costBound.total(defaultMaxTokens)}`);
      assert.equal(costBound.maxTokensWithin(costBound.total(defaultMaxTokens)), defaultMaxTokens);
      assert(costBound.inputCost <= costBound.total(defaultMaxTokens));
    }),
    { numRuns: 1_000 },
  );
});
