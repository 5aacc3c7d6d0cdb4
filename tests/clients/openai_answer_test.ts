import assert from "node:assert/strict";
import { zodTextFormat } from "openai/helpers/zod";
import type { ResponseStreamEvent } from "openai/resources/responses/responses";
import * as z from "zod";
import { asInput, forEach, targets } from "./targets.ts";

const greeting = "Say good morning to Köln 👋";

forEach(targets, "openai responses.create answers with text", async ({ openai, model }) => {
  const response = await openai.responses.create({ model, input: greeting, instructions: "Be brief." });
  assert.equal(response.output_text, `You said: ${greeting}`);
  assert.equal(response.status, "completed");
  assert.equal(response.instructions, "Be brief.");
  assert.equal(response.error, null);
  const { usage } = response;
  assert(usage !== undefined);
  assert(usage.input_tokens > 0 && usage.output_tokens > 0);
  assert.equal(usage.total_tokens, usage.input_tokens + usage.output_tokens);
  assert.match(response._request_id ?? "", /^req_[0-9a-f]{32}$/);
});

forEach(targets, "openai responses.create streams text", async ({ openai, model }) => {
  const stream = await openai.responses.create({ model, input: greeting, stream: true });
  const events: ResponseStreamEvent[] = [];
  for await (const event of stream) events.push(event);
  assert.deepEqual(events.map(({ sequence_number }) => sequence_number), events.map((_, at) => at));
  const deltas = events.flatMap((event) => event.type === "response.output_text.delta" ? [event.delta] : []);
  assert(deltas.length > 1, "text comes in pieces");
  assert.equal(deltas.join(""), `You said: ${greeting}`);
  const last = events.at(-1);
  assert(last?.type === "response.completed");
  assert.equal(last.response.usage?.output_tokens_details.reasoning_tokens, 0);
});

forEach(targets, "openai responses.stream collects the final response", async ({ openai, model }) => {
  const stream = openai.responses.stream({ model, input: greeting });
  const snapshots: string[] = [];
  stream.on("response.output_text.delta", ({ snapshot }) => snapshots.push(snapshot));
  const response = await stream.finalResponse();
  assert.equal(response.output_text, `You said: ${greeting}`);
  assert.equal(snapshots.at(-1), response.output_text);
  const whole = await openai.responses.create({ model, input: greeting });
  assert.deepEqual(
    response.output.map(({ type }) => type),
    whole.output.map(({ type }) => type),
  );
  assert.equal(response.output_text, whole.output_text);
  assert.equal(response.usage?.output_tokens, whole.usage?.output_tokens);
});

const event = z.object({
  name: z.string(),
  guests: z.array(z.string()),
  count: z.int(),
  price: z.number(),
  open: z.boolean(),
  kind: z.enum(["party", "talk"]),
  place: z.object({ city: z.string() }),
});

forEach(targets, "openai responses.parse reads a zod format", async ({ openai, model }) => {
  const response = await openai.responses.parse({
    model,
    input: "Anna and Ben go to a talk on Friday.",
    text: { format: zodTextFormat(event, "event") },
  });
  const parsed = response.output_parsed;
  assert(parsed !== null);
  assert.deepEqual(event.parse(parsed), parsed);
  assert.equal(response.text?.format?.type, "json_schema");
});

forEach(targets, "openai responses.stream reads a zod format", async ({ openai, model }) => {
  const text = { format: zodTextFormat(event, "event") };
  const response = await openai.responses.stream({ model, input: "A party in Rome", text }).finalResponse();
  assert(response.output_parsed !== null);
  assert.deepEqual(event.parse(response.output_parsed), response.output_parsed);
});

forEach(targets, "openai responses.create ends at max_output_tokens", async ({ openai, model }) => {
  const body = { model, input: "one two three four five six seven eight nine ten", max_output_tokens: 4 };
  const whole = await openai.responses.create(body);
  const streamed = await openai.responses.stream(body).finalResponse();
  for (const response of [whole, streamed]) {
    assert.equal(response.status, "incomplete");
    assert.deepEqual(response.incomplete_details, { reason: "max_output_tokens" });
    assert((response.usage?.output_tokens ?? Infinity) <= 4);
    assert.equal(response.max_output_tokens, 4);
    const [item] = response.output;
    assert(item?.type === "message");
    assert.equal(item.status, "incomplete");
  }
  assert.equal(streamed.output_text, whole.output_text);
});

forEach(targets, "openai sees a refusal as a refusal", async ({ openai, model }) => {
  const body = { model, input: "Please refuse this." };
  const whole = await openai.responses.create(body);
  const streamed = await openai.responses.stream(body).finalResponse();
  for (const response of [whole, streamed]) {
    const part = response.output.flatMap((item) => item.type === "message" ? item.content : [])[0];
    assert(part?.type === "refusal");
    assert(part.refusal.length > 10);
  }
});

forEach(targets, "openai responses.create holds a conversation by replaying output", async (rig) => {
  const { openai, model } = rig;
  const first = await openai.responses.create({ model, input: "My name is Ada." });
  const second = await openai.responses.create({
    model,
    input: [{ role: "user", content: "My name is Ada." }, ...asInput(first.output), {
      role: "user",
      content: "Bye",
    }],
  });
  assert.match(second.output_text, /^You said: Bye/);
});

forEach(targets, "openai models.list shows the models", async ({ openai, model }) => {
  const ids: string[] = [];
  for await (const one of openai.models.list()) ids.push(one.id);
  assert(ids.includes(model));
  assert(!ids.includes("local/priced"), "hidden models are not listed");
});
