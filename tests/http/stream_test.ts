import assert from "node:assert/strict";
import { ask, askInside } from "../support/call.ts";
import { checkStream, parseStream, readStream, resultText, streamedText } from "../support/event_stream.ts";
import { providerAt, startGateway } from "../support/gateway.ts";
import { says, scripted, wires } from "../support/scripted.ts";

const order = [
  "response.created",
  "response.in_progress",
  "response.output_item.added",
  "response.content_part.added",
  "response.output_text.delta",
  "response.output_text.delta",
  "response.output_text.delta",
  "response.output_text.done",
  "response.content_part.done",
  "response.output_item.done",
  "response.completed",
];

for (const wire of wires) {
  Deno.test(`POST /responses streams text from the ${wire} wire in the order that clients need`, async () => {
    await using upstream = scripted(says(wire, "Good morning, Köln 👋"));
    await using gateway = await startGateway({ providers: [providerAt(upstream.baseUrl, { wire })] });
    const stream = await readStream(await ask(gateway, { model: "mock/model", input: "Hi", stream: true }));
    const types = stream.events.map(({ type }) => type);
    assert.deepEqual(types.filter((type, at) => type !== types[at - 1]), [...new Set(order)]);
    const result = checkStream(stream);
    assert.equal(result.status, "completed");
    assert.equal(streamedText(stream), "Good morning, Köln 👋");
    assert.equal(resultText(result), "Good morning, Köln 👋");
    assert.equal(stream.comments, 0);
  });

  Deno.test(`POST /responses writes whole frames only, from the ${wire} wire`, async () => {
    await using upstream = scripted(says(wire, "one two three four five six"));
    await using gateway = await startGateway({ providers: [providerAt(upstream.baseUrl, { wire })] });
    const response = await askInside(gateway, { model: "mock/model", input: "Hi", stream: true });
    let text = "";
    assert(response.body);
    for await (const chunk of response.body) {
      const frames = new TextDecoder("utf-8", { fatal: true }).decode(chunk);
      assert(frames.endsWith("\n\n"), "a write ends where a frame ends");
      text += frames;
    }
    checkStream(parseStream(text));
  });

  Deno.test(`POST /responses answers the same streamed and whole, from the ${wire} wire`, async () => {
    await using upstream = scripted(says(wire, "All the same"));
    await using gateway = await startGateway({ providers: [providerAt(upstream.baseUrl, { wire })] });
    const body = { model: "mock/model", input: "Hi", metadata: { a: "b" }, temperature: 0.5 };
    const streamed = checkStream(await readStream(await ask(gateway, { ...body, stream: true })));
    const whole = await (await ask(gateway, body)).json();
    const { id: _a, created_at: _b, completed_at: _c, output: received, ...rest } = streamed;
    const { id: _d, created_at: _e, completed_at: _f, output, ...wholeRest } = whole;
    assert.deepEqual(rest, wholeRest);
    assert.deepEqual(withoutIds(received), withoutIds(output));
  });
}

const withoutIds = (output: unknown) =>
  JSON.parse(JSON.stringify(output, (key, value) => key === "id" ? undefined : value));
