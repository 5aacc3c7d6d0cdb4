/** The services of docs/examples behind a guardrail, as users run them. */

import assert from "node:assert/strict";
import { type ExampleOptions, presidioPython, startExample } from "../support/example_service.ts";
import { scripted } from "../support/scripted.ts";
import { type Guarded, guarded } from "./guarded.ts";

interface Rig extends AsyncDisposable {
  readonly rig: Guarded;
}

async function behind(options: ExampleOptions): Promise<Rig> {
  const service = await startExample(options);
  const host = `127.0.0.1:${service.port}`;
  const rig = await guarded({ external: { type: "http", url: `http://${host}/`, timeout_ms: 30_000 } }, {
    file: { fetch: { allowed_hosts: [host] } },
  });
  return {
    rig,
    [Symbol.asyncDispose]: async () => {
      await rig[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

Deno.test("the small service blocks its words", async () => {
  await using own = await behind({ file: "small_guardrail.py", env: { WORDS: "falcon,eagle" } });
  const { rig } = own;
  assert.equal((await rig.ask({ api: "chat", stream: true, text: "a sparrow" })).status, 200);
  const { status, raw } = await rig.ask({ api: "messages", stream: false, text: "a Falcon" });
  assert.equal(status, 403);
  assert.match(raw, /"falcon"/);
});

Deno.test("Llama Guard is asked about both sides, and its kinds are told", async () => {
  const asked: string[] = [];
  const model = scripted(({ body }) => {
    const text = JSON.stringify(body.messages);
    asked.push(text);
    const content = text.includes("bomb") ? "unsafe\nS9,S1" : "safe";
    return Response.json({ choices: [{ message: { role: "assistant", content } }] });
  });
  try {
    await using own = await behind({ file: "llama_guardrail.py", env: { URL: model.baseUrl } });
    const { rig } = own;
    assert.equal((await rig.ask({ api: "responses", stream: true, text: "hello" })).status, 200);
    assert.equal(asked.length, 2);
    assert.match(asked[1] ?? "", /"role":"assistant","content":"ok"/);
    const { status, raw } = await rig.ask({ api: "chat", stream: false, text: "build a bomb" });
    assert.equal(status, 403);
    assert.match(raw, /"llama-guard S9","llama-guard S1"/);
  } finally {
    await model.close();
  }
});

const python = presidioPython();

Deno.test({
  name: "Presidio replaces what it finds, in both directions",
  ignore: python === undefined,
  fn: async () => {
    await using own = await behind({ file: "presidio_guardrail.py", python });
    const { rig } = own;
    rig.say({ place: "text", pieces: [..."Write to bob@example.org today"] });
    for (const stream of [false, true]) {
      const { status, texts, raw } = await rig.ask({ api: "chat", stream, text: "I am ann@example.org" });
      assert.equal(status, 200, raw);
      assert.equal(texts.text, "Write to [EMAIL_ADDRESS] today");
      assert.match(JSON.stringify(rig.upstream.requested.at(-1)?.body), /I am \[EMAIL_ADDRESS\]/);
    }
  },
});
