/** Copy-ready set-ups of the clients that people use, as docs/agents.md and README have them. */

interface SetupPart {
  /** Where the text goes: a terminal, a file, a form. */
  readonly place: string;
  readonly code: string;
}

interface ClientSetup {
  readonly name: string;
  readonly parts: readonly SetupPart[];
}

export interface SetupOptions {
  /** The gateway's address, without a slash behind it. */
  readonly origin: string;
  /** A key to fill in; without one it stands in a variable. */
  readonly apiKey?: string;
  /** Named instead of the models that the documents name for each client. */
  readonly model?: string;
  /** Ids of the models that the key may call: the only ones that are named, where there are any. */
  readonly models?: readonly string[];
}

/** A model that answers without any provider's account. */
export const BUILT_IN_MODEL = "local/echo";

/** The model that a first request names: the built-in one where the key may call it, else the first. */
export function firstModel(models: readonly string[]): string | undefined {
  return models.includes(BUILT_IN_MODEL) ? BUILT_IN_MODEL : models[0];
}

/** A model's name in one spelling: without capitals, dots and a mark such as `[1m]`. */
const spelled = (name: string) => name.toLowerCase().replaceAll(".", "-").replace(/\[[^\]]*\]$/, "");

/** True where a name, with or without an author, means the model of an id. */
function means(name: string, id: string): boolean {
  const [wanted, whole] = [spelled(name), spelled(id)];
  return wanted === (wanted.includes("/") ? whole : whole.slice(whole.indexOf("/") + 1));
}

/** The documents' model where the key may call it, else one that it may call. */
function modelFor({ model, models }: SetupOptions, documented: string): string {
  if (model !== undefined || models === undefined) return model ?? documented;
  const meant = models.filter((id) => means(documented, id));
  // A name that several models share has to have its author.
  return (meant.length === 1 ? documented : meant[0]) ?? firstModel(models) ?? documented;
}

const TERMINAL = "Terminal";

/** The line that puts a filled-in key where the commands below look for it. */
const exported = ({ apiKey }: SetupOptions) => apiKey === undefined ? [] : [`export API_KEY=${apiKey}`];

const terminal = (options: SetupOptions, lines: readonly string[]): SetupPart => ({
  place: TERMINAL,
  code: [...exported(options), ...lines].join("\n"),
});

export function responsesCurl(options: SetupOptions): string {
  const { origin } = options;
  const model = modelFor(options, BUILT_IN_MODEL);
  return [
    ...exported(options),
    `curl -N ${origin}/v1/responses \\`,
    `  -H "Authorization: Bearer $API_KEY" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d '{"model": "${model}", "input": "Say hello.", "stream": true}'`,
  ].join("\n");
}

function claudeCode(options: SetupOptions): readonly SetupPart[] {
  const { origin } = options;
  const model = modelFor(options, "claude-opus-4-8[1m]");
  return [terminal(options, [
    `export ANTHROPIC_BASE_URL=${origin}`,
    "export ANTHROPIC_AUTH_TOKEN=$API_KEY",
    `claude --model "${model}"`,
  ])];
}

function codex(options: SetupOptions): readonly SetupPart[] {
  const { origin } = options;
  const model = modelFor(options, "gpt-5.5");
  const code = [
    `model = "${model}"`,
    'model_provider = "tollgate"',
    "",
    "[model_providers.tollgate]",
    'name = "Tollgate"',
    `base_url = "${origin}/v1"`,
    'env_key = "API_KEY"',
    'wire_api = "responses"',
  ].join("\n");
  return [{ place: "~/.codex/config.toml", code }, terminal(options, ["codex"])];
}

function openCode(options: SetupOptions): readonly SetupPart[] {
  const { origin } = options;
  const model = modelFor(options, "anthropic/claude-opus-4-8");
  const tollgate = {
    npm: "@ai-sdk/openai-compatible",
    name: "Tollgate",
    options: { baseURL: `${origin}/v1`, apiKey: "{env:API_KEY}" },
    models: { [model]: {} },
  };
  const file = {
    $schema: "https://opencode.ai/config.json",
    model: `tollgate/${model}`,
    provider: { tollgate },
  };
  return [
    { place: "opencode.json", code: JSON.stringify(file, null, 2) },
    terminal(options, ["opencode"]),
  ];
}

function cline(options: SetupOptions): readonly SetupPart[] {
  const { origin } = options;
  const model = modelFor(options, "claude-opus-4-8");
  return [terminal(options, [`cline auth -p openai -k $API_KEY -b ${origin}/v1 -m ${model}`])];
}

function cursor(options: SetupOptions): readonly SetupPart[] {
  const { origin, apiKey = "your key, tg-api-…" } = options;
  const model = modelFor(options, "gpt-5.5");
  const code = [
    `Override OpenAI base URL: ${origin}/v1`,
    `OpenAI API key: ${apiKey}`,
    `Model: ${model}`,
  ].join("\n");
  return [{ place: "Settings → Models → OpenAI API key; Cursor's servers must reach this address", code }];
}

function openAiClient(options: SetupOptions): readonly SetupPart[] {
  const { origin } = options;
  const model = modelFor(options, BUILT_IN_MODEL);
  const code = [
    'import OpenAI from "openai";',
    "",
    `const client = new OpenAI({ baseURL: "${origin}/v1", apiKey: process.env.API_KEY });`,
    `const response = await client.responses.create({ model: "${model}", input: "Say hello." });`,
    "console.log(response.output_text);",
  ].join("\n");
  const file = { place: "TypeScript", code };
  return options.apiKey === undefined ? [file] : [terminal(options, []), file];
}

export function clientSetups(options: SetupOptions): readonly ClientSetup[] {
  return [
    { name: "curl", parts: [{ place: TERMINAL, code: responsesCurl(options) }] },
    { name: "Claude Code", parts: claudeCode(options) },
    { name: "Codex", parts: codex(options) },
    { name: "OpenCode", parts: openCode(options) },
    { name: "Cline", parts: cline(options) },
    { name: "Cursor", parts: cursor(options) },
    { name: "OpenAI", parts: openAiClient(options) },
  ];
}
