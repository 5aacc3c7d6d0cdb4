import assert from "node:assert/strict";
import { startGateway } from "../support/gateway.ts";
import { receiptOf } from "../money/rig.ts";
import { bytesOf, sound, speak, speaker, speakerAt, tone } from "./rig.ts";

Deno.test("POST /audio/speech passes a provider's raw samples on as they are", async () => {
  const samples = tone(0.5);
  await using upstream = speaker(() => sound(samples));
  await using gateway = await startGateway({ providers: [speakerAt(upstream.baseUrl)] });
  const response = await speak(gateway);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "audio/pcm");
  assert.equal(response.headers.get("x-audio-sample-rate"), "24000");
  assert.equal(response.headers.get("x-audio-channels"), "1");
  assert.match(response.headers.get("x-generation-id") ?? "", /^gen-/);
  assert.deepEqual(await bytesOf(response), samples);
  const [asked] = upstream.asked;
  assert.equal(asked?.path, "/v1/audio/speech");
  assert.deepEqual(asked?.body, {
    model: "upstream-voice",
    input: "Good morning",
    voice: "alloy",
    response_format: "pcm",
  });
  const receipt = await receiptOf(gateway, response);
  assert.equal(receipt.status, "completed");
  assert.equal(receipt.api, "speech");
  assert.equal(receipt.cost, 120_000);
  assert.equal(receipt.estimated, false);
  assert.deepEqual(receipt.lines.filter(({ unit_price }) => unit_price !== "0"), [
    { rate: "character", quantity: 12, unit_price: "0.00001" },
  ]);
  assert.equal(receipt.usage.audio_bytes, samples.length);
  assert.equal(receipt.usage.seconds, 1);
});
