/** Each kind of row and setting of a LiteLLM file: what is written for it, and in which group it is told. */

import assert from "node:assert/strict";
import { parseConfigFile } from "../../server/config/config_file.ts";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { imported } from "./rig.ts";

const BASE = "https://house.example/v1";

interface RowSpec {
  readonly params?: Json;
  readonly info?: Json;
}

const row = (name: string, model: string, { params, info }: RowSpec = {}): Json => ({
  model_name: name,
  litellm_params: { model, ...params },
  ...(info === undefined ? {} : { model_info: info }),
});

const own = (name: string, more: Json = {}) =>
  row(name, `openai/up-${name}`, { params: { api_base: BASE, ...more } });

interface Case {
  readonly file: Json;
  readonly aliases?: Json;
  /** Fields of the first provider. */
  readonly provider?: Json;
  readonly models?: unknown;
  readonly limits?: Json;
  readonly done?: readonly RegExp[];
  readonly changed?: readonly RegExp[];
  readonly impossible?: readonly RegExp[];
}

const abc = ["a", "b", "c"].map((name) => own(name));
const [A, B, C] = ["litellm/a", "litellm/b", "litellm/c"];

/** By what they are about. */
const fallbacks: Readonly<Record<string, Case>> = {
  "fallbacks of either section, router's first": {
    file: {
      model_list: abc,
      litellm_settings: { fallbacks: [{ a: ["c"] }] },
      router_settings: { fallbacks: [{ a: ["b"] }] },
    },
    aliases: { a: [A, B, C], b: B, c: C },
    done: [/router_settings\.fallbacks: a, then b/, /litellm_settings\.fallbacks: a, then c/],
  },
  "fallbacks of fallbacks, and circles": {
    file: { model_list: abc, litellm_settings: { fallbacks: [{ a: ["b"] }, { b: ["c"] }, { c: ["a"] }] } },
    aliases: { a: [A, B, C], b: [B, C, A], c: [C, A, B] },
  },
  "a fallback with parameters, and one text": {
    file: {
      model_list: abc,
      router_settings: { fallbacks: [{ a: [{ model: "b", temperature: 0 }] }, { b: "c" }] },
    },
    aliases: { a: [A, B, C], b: [B, C], c: C },
  },
  "fallbacks of other failures": {
    file: {
      model_list: abc,
      litellm_settings: {
        content_policy_fallbacks: [{ a: ["b"] }],
        context_window_fallbacks: [{ a: ["c"] }],
      },
    },
    aliases: { a: [A, C, B], b: B, c: C },
    changed: [
      /a, then b: tried after other failures too, not only where the contents/,
      /only where the prompt is/,
    ],
  },
  "fallbacks of every model that has none, by either name": {
    file: {
      model_list: abc,
      router_settings: { fallbacks: [{ a: ["b"] }, { "*": ["c"] }], default_fallbacks: ["a"] },
    },
    aliases: { a: [A, B], b: [B, C, A], c: [C, A, B] },
    done: [/default_fallbacks: a behind each name without fallbacks/],
  },
  "fallbacks that are not here": {
    file: { model_list: abc, litellm_settings: { fallbacks: [{ a: ["nothing", "b"] }, { c: ["nothing"] }] } },
    aliases: { a: [A, B], b: B, c: C },
    impossible: [/fallbacks of a: no model here is nothing/, /fallbacks of c: no model here is nothing/],
  },
  "fallbacks of a model whose row could not be taken, and to one that no row names": {
    file: {
      model_list: [row("gone", "nobody/x")],
      litellm_settings: { fallbacks: [{ gone: ["openai/gpt-4o"] }, { "gpt-4o": ["gpt-5"] }] },
    },
    aliases: { gone: "openai/gpt-4o", "gpt-4o": ["openai/gpt-4o", "openai/gpt-5"] },
    changed: [/gone: none of its own models is here/],
  },
  "more models than an alias takes": {
    file: {
      model_list: Array.from({ length: 20 }, (_, at) => own(`m${at}`)),
      litellm_settings: { fallbacks: [{ m0: Array.from({ length: 19 }, (_, at) => `m${at + 1}`) }] },
    },
    limits: { attempts: 16 },
    changed: [/m0: the first 16 of its 20 models are tried/],
  },
};

const rows: Readonly<Record<string, Case>> = {
  "several models of one name": {
    file: {
      model_list: [row("smart", "openai/gpt-5"), row("smart", "anthropic/claude-opus-4-5"), own("smart")],
    },
    aliases: { smart: ["openai/gpt-5", "anthropic/claude-opus-4-5", "litellm/smart"] },
    changed: [/smart: .* are tried in this order, not by chance or weight/],
  },
  "the order of rows of one name": {
    file: {
      model_list: [own("x", { order: 3 }), own("x"), row("x", "openai/gpt-5", { params: { order: 1 } })],
    },
    aliases: { x: ["openai/gpt-5", "litellm/x", "litellm/x.2"] },
  },
  "several models of one name at one server, and the same one twice": {
    file: {
      model_list: [
        own("x"),
        own("x"),
        row("x", "openai/other", { params: { api_base: BASE } }),
        row("x", "openai/third", { params: { api_base: "https://second.example/v1" } }),
      ],
    },
    aliases: { x: ["litellm/x", "litellm/x.2"] },
    provider: {
      models: [{ id: "litellm/x", upstream_id: "up-x" }, { id: "litellm/x.2", upstream_id: "other" }],
    },
  },
  "several keys of a built-in service": {
    file: {
      model_list: ["A", "B", "C", "B"].map((name) =>
        row("shared", "openai/gpt-5", { params: { api_key: `os.environ/KEY_${name}` } })
      ),
    },
    aliases: { shared: "openai/gpt-5" },
    changed: [/^model_list\[0\] \(shared\): its key is read from OPENAI_API_KEY instead of KEY_A$/m],
    impossible: [
      /^model_list\[1\] \(shared\) and 1 more: OpenAI has another key in KEY_B: a built-in provider has one/m,
      /^model_list\[2\] \(shared\): OpenAI has another key in KEY_C: /m,
    ],
  },
  "servers of other kinds, and settings of their requests": {
    file: { model_list: [row("z", "huggingface/org/z", { params: { api_base: BASE, temperature: 0.2 } })] },
    changed: [/\(z\): huggingface: called as an OpenAI-compatible server/],
    impossible: [/\(z\): temperature: a preset keeps such settings/],
  },
  "names that are spelled alike": {
    file: { model_list: [own("My Model"), own("my-model")] },
    aliases: { "My Model": "litellm/my-model", "my-model": "litellm/my-model.2" },
  },
  "another name, plain and with settings": {
    file: {
      model_list: abc,
      router_settings: { model_group_alias: { x: "a", y: { model: "b", hidden: true }, z: "nothing" } },
    },
    aliases: { a: A, b: B, c: C, x: A, y: B },
    impossible: [/model_group_alias\.z: no model here is nothing/],
  },
  "time-outs, and what deployments limit": {
    file: {
      model_list: [
        own("a", { stream_timeout: 20, rpm: 1, tpm: 2, weight: 3, timeout: 4, tags: ["x"], max_budget: 5 }),
      ],
      router_settings: {
        timeout: 30,
        stream_timeout: 10,
        num_retries: 20,
        cooldown_time: 7,
        allowed_fails: 1,
      },
    },
    provider: { first_byte_seconds: 20 },
    limits: { attempts: 16, answer_seconds: 30, first_byte_seconds: 10 },
    changed: [/stream_timeout: first_byte_seconds of openai-house-example is 20/],
    impossible: [
      /: rpm: a provider's rate/,
      /: tpm: a provider's rate/,
      /: weight: endpoints of a model are drawn/,
      /: timeout: limits\.answer_seconds/,
      /: tags: /,
      /: max_budget: a provider has no budget/,
      /router_settings\.cooldown_time: an endpoint rests/,
    ],
  },
  "prices of built-in models, where they differ": {
    file: {
      model_list: [
        row("x", "openai/gpt-4o", { params: { input_cost_per_token: 9e-6, output_cost_per_token: 1e-5 } }),
        row("y", "openai/gpt-5", { info: { input_cost_per_token: 1e-6 } }),
      ],
    },
    models: [{
      id: "openai/gpt-4o",
      provider: "openai",
      pricing: { prompt: "0.000009", completion: "0.00001" },
    }],
    done: [/its prices are those of openai\/gpt-4o at openai/],
  },
  "embeddings, and models that no route calls": {
    file: {
      model_list: [
        row("e", "openai/embed", {
          params: { api_base: BASE },
          info: { mode: "embedding", input_cost_per_token: 1e-7 },
        }),
        row("d", "openai/dall-e-3", { info: { mode: "image_generation" } }),
      ],
    },
    provider: {
      models: [{
        id: "litellm/e",
        upstream_id: "embed",
        output_modalities: ["embeddings"],
        pricing: { prompt: "0.0000001", completion: "0" },
      }],
    },
    impossible: [/\(d\): no route here calls models of image_generation/],
  },
  "clouds and servers that variables switch on": {
    file: {
      model_list: [
        row("a", "azure/dep", { params: { api_base: "os.environ/AZURE_BASE", api_version: "2024-06-01" } }),
        row("b", "azure/dep", { params: { api_base: "https://other.example" } }),
        row("c", "bedrock/converse/us-east-1/anthropic.claude-v2"),
        row("d", "vertex_ai/claude-sonnet-4-5@20250929"),
        row("e", "ollama/llama3"),
        row("f", "azure/"),
        row("g", "sagemaker/x"),
        row("h", "azure/embed", { info: { mode: "embedding" } }),
        row("i", "dall-e-3"),
      ],
    },
    aliases: {
      a: "azure-chat/dep",
      c: "bedrock/anthropic.claude-v2",
      d: "google-vertex-anthropic/claude-sonnet-4-5@20250929",
      e: "ollama/llama3",
    },
    changed: [
      /\(a\): azure-chat\/dep, switched on by AZURE_OPENAI_ENDPOINT/,
      /\(e\): ollama\/llama3, switched on by OLLAMA_BASE_URL/,
    ],
    impossible: [
      /\(b\): its address is another one/,
      /\(f\): azure names no model/,
      /\(g\): the provider sagemaker/,
      /\(h\): a model that makes vectors/,
      /\(i\): no route here calls models of image_generation/,
    ],
  },
  "a service that is named apart, and a model without one": {
    file: {
      model_list: [
        row("x", "gpt-5", { params: { custom_llm_provider: "openai" } }),
        row("y", "claude-opus-4-5"),
      ],
    },
    aliases: { x: "openai/gpt-5", y: "anthropic/claude-opus-4-5" },
  },
};

const patterns: Readonly<Record<string, Case>> = {
  "patterns of services": {
    file: {
      model_list: [
        row("groq/*", "groq/*", { params: { api_key: "os.environ/GROQ_API_KEY" } }),
        row("gemini/*", "gemini/*"),
        row("openai/gpt-*", "openai/gpt-*"),
        row("*", "openai/*", { params: { api_key: "os.environ/MY_KEY" } }),
        row("anything", "*"),
        row("nobody/*", "nobody/*"),
        row("one/*", "openai/gpt-5"),
      ],
    },
    done: [/with GROQ_API_KEY every groq\/<model> is sent on as <model>/],
    changed: [
      /\(gemini\/\*\): with GEMINI_API_KEY named google\/<model>/,
      /\(openai\/gpt-\*\): .*named openai\/<model>, not only gpt-\*/,
      /\(\*\): its key is read from OPENAI_API_KEY instead of MY_KEY/,
      /\(\*\): .*named openai\/<model>, and a known model by its bare name/,
      /\(anything\): every model of a provider that is on/,
    ],
    impossible: [
      /\(nobody\/\*\): the provider nobody is not built in/,
      /\(one\/\*\): one model for every name/,
    ],
  },
  "a pattern of a server": {
    file: {
      model_list: [row("house/*", "openai/*", { params: { api_base: BASE, api_key: "os.environ/KEY" } })],
    },
    provider: { id: "house", open: true, api_key_env: "KEY", models: [] },
    done: [/house\/<model> is sent on as <model>/],
  },
  "a pattern of a server by a name of a service": {
    file: { model_list: [row("openai/*", "openai/*", { params: { api_base: BASE } })] },
    provider: { id: "openai.2", open: true },
    changed: [/named openai\.2\/<model>, sent on as <model>/],
  },
};

const includes = (lines: readonly string[], wanted: readonly RegExp[] = []) => {
  for (const words of wanted) assert.match(lines.join("\n"), words);
};

for (const [name, { file, provider, ...wanted }] of Object.entries({ ...fallbacks, ...rows, ...patterns })) {
  Deno.test(`the import of a LiteLLM file takes ${name}`, async () => {
    const { file: written, report, done, changed, impossible } = await imported(file);
    for (
      const [part, value] of Object.entries({
        ...wanted,
        done: undefined,
        changed: undefined,
        impossible: undefined,
      })
    ) {
      if (value !== undefined) assert.deepEqual(new Map(Object.entries(written)).get(part), value, report);
    }
    const [first] = asList(written.providers ?? []).map(asObject);
    for (const [field, value] of Object.entries(provider ?? {})) {
      assert.deepEqual(new Map(Object.entries(first ?? {})).get(field), value, field);
    }
    parseConfigFile("out.jsonc", JSON.stringify(written));
    includes(done, wanted.done);
    includes(changed, wanted.changed);
    includes(impossible, wanted.impossible);
  });
}

Deno.test("settings that are not taken say what is nearest to them, each once", async () => {
  const { impossible, changed } = await imported({
    router_settings: { routing_strategy: "latency-based-routing", redis_host: "h" },
    litellm_settings: { cache: true, success_callback: ["s3"], max_budget: 5, unheard_of: 1 },
    general_settings: { alerting: ["slack"] },
    include: ["more.yaml"],
    unheard_of: {},
  });
  assert.deepEqual(new Set(impossible.map((line) => line.split(":")[0])).size, impossible.length);
  includes(impossible, [
    /redis_host: gateways share PostgreSQL/,
    /litellm_settings\.cache: a request, or its preset, asks for the response cache/,
    /success_callback: set up a destination/,
    /litellm_settings\.max_budget: the gateway as a whole has no budget/,
    /litellm_settings\.unheard_of: it has no counterpart/,
    /alerting: write alerts\.webhook/,
    /include: files that are named there were not read/,
    /unheard_of: it has no counterpart in the file/,
  ]);
  includes(changed, [/routing_strategy latency-based-routing: set default_provider_sort/]);
});
