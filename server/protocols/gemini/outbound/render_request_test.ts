import assert from "node:assert/strict";
import type { ModelRequest, ReasoningOptions } from "../../canonical/request.ts";
import type { EndpointTraits } from "../../wire.ts";
import { endpointTraits, modelRequest } from "../../../../tests/support/requests.ts";
import { renderRequest } from "./render_request.ts";

interface Input {
  readonly model?: string;
  readonly traits?: Partial<EndpointTraits>;
}

function render(fields: Partial<ModelRequest>, { model = "gemini-3.8-flash", traits = {} }: Input = {}) {
  return renderRequest(modelRequest(fields), endpointTraits({ upstreamModel: model, ...traits }));
}

const config = (fields: Partial<ModelRequest>, model?: string) =>
  render(fields, { model }).body.generationConfig;

Deno.test("renderRequest puts the model into the path", () => {
  assert.equal(render({}).path, "/models/gemini-3.8-flash:generateContent");
  assert.equal(
    render({ stream: true }, { model: "a b" }).path,
    "/models/a%20b:streamGenerateContent?alt=sse",
  );
  assert.equal(render({}, { model: "tunedModels/mine" }).path, "/tunedModels/mine:generateContent");
  assert.deepEqual(render({}).body, { contents: [{ role: "user", parts: [{ text: "Hi" }] }] });
});

Deno.test("renderRequest thinks as each generation does", () => {
  type Case = readonly [
    model: string,
    reasoning: ReasoningOptions,
    config: unknown,
    dropped?: readonly string[],
  ];
  const cases: readonly Case[] = [
    ["gemini-3.8-flash", { effort: "low" }, { thinkingLevel: "LOW" }],
    ["gemini-3.8-flash", { effort: "minimal", summary: "auto" }, {
      includeThoughts: true,
      thinkingLevel: "MINIMAL",
    }],
    ["gemini-3.8-flash", { effort: "none", summary: "auto" }, { thinkingLevel: "MINIMAL" }, [
      "reasoning.effort none",
    ]],
    ["gemini-3.8-flash", { effort: "max" }, { thinkingLevel: "HIGH" }],
    ["gemini-3.8-flash", { enabled: true }, { includeThoughts: true }],
    ["gemini-3.8-flash", { enabled: false }, { thinkingLevel: "MINIMAL" }, ["reasoning.effort none"]],
    ["gemini-3.8-flash", { maxTokens: 5_000 }, { includeThoughts: true, thinkingLevel: "MEDIUM" }, [
      "reasoning.max_tokens",
    ]],
    ["gemini-3-pro-preview", { effort: "medium" }, { thinkingLevel: "HIGH" }],
    ["gemini-3.1-pro-preview", { effort: "minimal" }, { thinkingLevel: "LOW" }],
    ["gemini-4-argon", { effort: "xhigh" }, { thinkingLevel: "HIGH" }],
    ["gemini-4-neon", { effort: "xhigh" }, { thinkingLevel: "XHIGH" }],
    ["gemini-5-iron", { effort: "minimal" }, { thinkingLevel: "LOW" }],
    ["gemini-2.5-flash", { effort: "none", summary: "auto" }, { thinkingBudget: 0 }],
    ["gemini-2.5-flash", { effort: "high" }, { thinkingBudget: 24_576 }],
    ["gemini-2.5-flash", { summary: "auto" }, { includeThoughts: true }],
    ["gemini-2.5-pro", { effort: "none" }, { thinkingBudget: 128 }],
    ["gemini-2.5-pro", { effort: "max" }, { thinkingBudget: 32_768 }],
    ["gemini-2.5-pro", { maxTokens: 5 }, { includeThoughts: true, thinkingBudget: 128 }],
    ["gemini-2.5-flash-lite", { maxTokens: 5 }, { includeThoughts: true, thinkingBudget: 512 }],
    ["gemini-2.0-flash", { effort: "low", maxTokens: 3 }, undefined, [
      "reasoning.effort",
      "reasoning.max_tokens",
    ]],
    ["gemini-2.0-flash", { effort: "none" }, undefined],
    ["gemini-3.8-flash", {}, undefined],
  ];
  for (const [model, reasoning, expected, dropped = []] of cases) {
    const { body, dropped: left } = render({ reasoning }, { model });
    const wanted = expected === undefined ? undefined : { thinkingConfig: expected };
    assert.deepEqual(
      [body.generationConfig, left],
      [wanted, dropped],
      `${model} ${JSON.stringify(reasoning)}`,
    );
  }
});

Deno.test("renderRequest names tools, choices and what it leaves out", () => {
  const tools = [
    { type: "function", name: "get", parameters: { properties: { a: { const: 1 } } }, description: "Gets" },
    { type: "function", name: "none", parameters: null, strict: true },
  ] as const;
  const { body, dropped } = render({ tools, toolChoice: { type: "required" } });
  assert.deepEqual(body.tools, [{
    functionDeclarations: [
      {
        name: "get",
        description: "Gets",
        parametersJsonSchema: { type: "object", properties: { a: { enum: [1] } } },
      },
      { name: "none" },
    ],
  }]);
  assert.deepEqual(body.toolConfig, { functionCallingConfig: { mode: "ANY" } });
  assert.deepEqual(dropped, ["tools.strict"]);
  const chosen = (toolChoice: ModelRequest["toolChoice"]) => render({ tools, toolChoice }).body.toolConfig;
  assert.equal(chosen(undefined), undefined);
  assert.deepEqual(chosen({ type: "none" }), { functionCallingConfig: { mode: "NONE" } });
  assert.deepEqual(chosen({ type: "named", tool: { kind: "function", name: "get" } }), {
    functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["get"] },
  });
  assert.throws(() => render({ toolChoice: { type: "required" } }), /Cannot force a tool call/);
});

Deno.test("renderRequest spells sampling, format, images and tiers", () => {
  const sampling = {
    temperature: 0,
    topP: 0.5,
    topK: 3,
    presencePenalty: 1,
    frequencyPenalty: -1,
    topLogprobs: 2,
  };
  const all = { temperature: 0, topP: 0.5, topK: 3, responseLogprobs: true, logprobs: 2 };
  assert.deepEqual(config({ sampling }), { ...all, presencePenalty: 1, frequencyPenalty: -1 });
  assert.deepEqual(config({ sampling }, "gemini-4-neon"), all);
  assert.deepEqual(render({ sampling }, { model: "gemini-4-neon" }).dropped, [
    "frequency_penalty",
    "presence_penalty",
  ]);
  assert.deepEqual(config({ format: { type: "json_object" } }), { responseMimeType: "application/json" });
  assert.deepEqual(config({ modalities: ["image"], imageConfig: { size: "2K", n: 2 } }), {
    responseModalities: ["IMAGE"],
    imageConfig: { imageSize: "2K" },
  });
  assert.equal(config({ modalities: ["text"], imageConfig: { size: "2K" } }), undefined);
  const tier = (serviceTier: string) => render({ serviceTier }).body.serviceTier;
  assert.deepEqual(["auto", "default", "flex", "fast", "priority", "scale"].map(tier), [
    undefined,
    "standard",
    "flex",
    "priority",
    "priority",
    undefined,
  ]);
});

Deno.test("renderRequest asks older models for JSON beside tools in words", () => {
  const tools = [{ type: "function", name: "get", parameters: null }] as const;
  const { body, dropped } = render({ tools, format: { type: "json_object" } }, { model: "gemini-2.5-pro" });
  assert.deepEqual(body.systemInstruction, { parts: [{ text: "Give the final answer as JSON alone" }] });
  assert.deepEqual([body.generationConfig, dropped], [undefined, ["text.format"]]);
  assert.notEqual(config({ tools, format: { type: "json_object" } }, "gemini-3-flash-preview"), undefined);
});
