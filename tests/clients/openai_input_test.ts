import assert from "node:assert/strict";
import { PROVIDER_KEY } from "../support/gateway.ts";
import { asInput, forEach, mocked, type Rig, targets, withTarget } from "./targets.ts";

/** A red dot of 5 by 5 pixels. */
export const png = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4" +
  "//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==";

/** Anthropic's wire has the base64 apart from its type, and plain text as itself. */
const base64Of = (dataUrl: string) => dataUrl.slice(dataUrl.indexOf(",") + 1);
const textIn = (dataUrl: string) => atob(base64Of(dataUrl));

const seen = ({ openai, model }: Rig) =>
  openai.responses.create({
    model,
    input: [{
      role: "user",
      content: [
        { type: "input_text", text: "What is this?" },
        { type: "input_image", image_url: png, detail: "auto" },
      ],
    }],
  });

forEach(targets, "openai responses.create sends an image", async (rig) => {
  const { output_text, usage } = await seen(rig);
  assert.match(output_text, /^You said: What is this\?/);
  if (rig.target === "echo") assert.match(output_text, /5\s*[×x]\s*5/i);
  assert((usage?.input_tokens ?? 0) > 0);
  const sent = JSON.stringify(rig.mock?.requests.at(-1)?.body ?? png);
  assert(sent.includes(base64Of(png)), "the image reached the provider whole");
});

forEach(targets, "openai responses.create sends a file", async (rig) => {
  const { openai, model } = rig;
  const file_data = `data:text/plain;base64,${btoa("Hello, file")}`;
  const response = await openai.responses.create({
    model,
    input: [{
      role: "user",
      content: [{ type: "input_file", filename: "a.txt", file_data }, {
        type: "input_text",
        text: "Read it",
      }],
    }],
  });
  assert.match(response.output_text, /^You said: Read it/);
  const sent = JSON.stringify(rig.mock?.requests.at(-1)?.body ?? file_data);
  assert(sent.includes(base64Of(file_data)) || sent.includes(textIn(file_data)));
});

forEach(["echo", "responses"], "openai replays reasoning with its cipher", async (rig) => {
  const { openai, model } = rig;
  const question = { role: "user", content: "Think about it." } as const;
  const body = {
    model,
    store: false,
    include: ["reasoning.encrypted_content" as const],
    reasoning: { effort: "low" as const, summary: "auto" as const },
  };
  const first = await openai.responses.stream({ ...body, input: [question] }).finalResponse();
  const [thought] = first.output;
  assert(thought?.type === "reasoning");
  assert((thought.encrypted_content ?? "").length > 0);
  assert(thought.summary.length > 0);
  assert((first.usage?.output_tokens_details.reasoning_tokens ?? 0) > 0);
  const second = await openai.responses.create({
    ...body,
    input: [question, ...asInput(first.output), { role: "user", content: "And now?" }],
  });
  assert.match(second.output_text, /^You said: And now\?/);
  if (rig.mock === undefined) return;
  const sent = rig.mock.requests.at(-1)?.body.input;
  assert(Array.isArray(sent));
  const encrypted = sent.find((item) => item.type === "reasoning").encrypted_content;
  // The gateway puts its maker's name in front of it, and takes it away again.
  assert.equal(thought.encrypted_content?.replace(/^tg1\.responses\.[a-z0-9]+\./, ""), encrypted);
  assert.notEqual(thought.encrypted_content, encrypted);
});

forEach(targets, "openai gets no cipher that it did not ask for", async ({ openai, model }) => {
  const response = await openai.responses.create({
    model,
    input: "Think about it.",
    reasoning: { effort: "low" },
  });
  const thoughts = response.output.filter((item) => item.type === "reasoning");
  for (const thought of thoughts) assert.equal(thought.encrypted_content ?? null, null);
  assert((response.usage?.output_tokens_details.reasoning_tokens ?? 0) > 0);
});

forEach(targets, "openai gets no summary that it did not ask for", async ({ openai, model }) => {
  const response = await openai.responses.create({ model, input: "Think.", reasoning: { effort: "low" } });
  const thoughts = response.output.filter((item) => item.type === "reasoning");
  assert(thoughts.every(({ summary }) => summary.length === 0));
});

Deno.test("openai gets logprobs when it asks for them, on echo", () =>
  withTarget({ target: "echo" }, async ({ openai, model }) => {
    const body = {
      model,
      input: "Hello there",
      include: ["message.output_text.logprobs" as const],
      top_logprobs: 2,
    };
    const whole = await openai.responses.create(body);
    const streamed = await openai.responses.stream(body).finalResponse();
    for (const response of [whole, streamed]) {
      const part = response.output.flatMap((item) => item.type === "message" ? item.content : [])[0];
      assert(part?.type === "output_text");
      const logprobs = part.logprobs ?? [];
      assert.equal(logprobs.map(({ token }) => token).join(""), part.text);
      for (const { logprob, top_logprobs } of logprobs) {
        assert(logprob <= 0);
        assert(top_logprobs.length <= 2);
      }
    }
  }));

forEach(mocked, "openai sends what only the gateway reads, and the provider never sees it", async (rig) => {
  const { openai, model, mock } = rig;
  const extra = {
    models: ["mock/model"],
    plugins: [{ id: "web", enabled: false }],
    provider: { sort: "price" },
    session_id: "session-1",
    trace: { trace_id: "t" },
    route: "fallback",
    unheard_of: true,
  };
  await openai.responses.create({
    model,
    input: "Hi",
    user: "user-1",
    safety_identifier: "person-1",
    metadata: { team: "a" },
    ...extra,
  });
  const sent = JSON.stringify(mock?.requests.at(-1)?.body);
  for (const key of [...Object.keys(extra), "user-1", "person-1"]) {
    assert(!sent.includes(`"${key}"`), `${key} was sent on`);
  }
});

/** The mock answers 400 to keys that the provider does not publish; that it really does is tested here. */
forEach(mocked, "the mock provider refuses a key that the service does not have", async ({ mock }) => {
  const path = mock?.url.endsWith("/v1");
  assert(path);
  const bodies = {
    "/responses": { model: "mock-model", input: "Hi" },
    "/chat/completions": { model: "mock-model", messages: [{ role: "user", content: "Hi" }] },
    "/messages": { model: "mock-model", max_tokens: 9, messages: [{ role: "user", content: "Hi" }] },
  };
  const statuses: number[] = [];
  for (const [below, body] of Object.entries(bodies)) {
    for (const more of [{}, { session_id: "s" }, { plugins: [] }]) {
      const response = await fetch(mock?.url + below, {
        method: "POST",
        headers: { authorization: `Bearer ${PROVIDER_KEY}`, "x-api-key": PROVIDER_KEY },
        body: JSON.stringify({ ...body, ...more }),
      });
      statuses.push(response.status);
      await response.body?.cancel();
    }
  }
  assert.deepEqual(statuses.toSorted(), [200, 400, 400, ...Array(6).fill(404)]);
});
