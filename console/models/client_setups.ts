/** Copy-ready set-ups of the clients that people use. The key stands in a variable, never in the text. */

export interface ClientSetup {
  readonly name: string;
  readonly code: string;
}

/** A model that answers without any provider's account. */
const MODEL = "local/echo";

export function responsesCurl(origin: string): string {
  return [
    `curl -N ${origin}/v1/responses \\`,
    `  -H "Authorization: Bearer $API_KEY" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d '{"model": "${MODEL}", "input": "Say hello.", "stream": true}'`,
  ].join("\n");
}

const codexConfig = (origin: string) =>
  [
    "# ~/.codex/config.toml; export API_KEY=tg-api-… first",
    'model_provider = "tollgate"',
    `model = "${MODEL}"`,
    "",
    "[model_providers.tollgate]",
    'name = "Tollgate"',
    `base_url = "${origin}/v1"`,
    'env_key = "API_KEY"',
    'wire_api = "responses"',
  ].join("\n");

const claudeCode = (origin: string) =>
  [
    `export ANTHROPIC_BASE_URL=${origin}`,
    "export ANTHROPIC_AUTH_TOKEN=$API_KEY",
    `export ANTHROPIC_MODEL=${MODEL}`,
    "claude",
  ].join("\n");

const cursor = (origin: string) =>
  [
    "# Settings → Models → OpenAI API key",
    `Override OpenAI base URL: ${origin}/v1`,
    "OpenAI API key: your key, tg-api-…",
    `Model: ${MODEL}`,
  ].join("\n");

function openCode(origin: string): string {
  const options = { baseURL: `${origin}/v1`, apiKey: "{env:API_KEY}" };
  const tollgate = { npm: "@ai-sdk/openai-compatible", name: "Tollgate", options, models: { [MODEL]: {} } };
  return JSON.stringify({ provider: { tollgate } }, null, 2);
}

const openAiClient = (origin: string) =>
  [
    'import OpenAI from "openai";',
    "",
    "const client = new OpenAI({",
    "  apiKey: process.env.API_KEY,",
    `  baseURL: "${origin}/v1",`,
    "});",
    `const response = await client.responses.create({ model: "${MODEL}", input: "Say hello." });`,
    "console.log(response.output_text);",
  ].join("\n");

export function clientSetups(origin: string): readonly ClientSetup[] {
  return [
    { name: "curl", code: responsesCurl(origin) },
    { name: "Codex", code: codexConfig(origin) },
    { name: "Claude Code", code: claudeCode(origin) },
    { name: "Cursor", code: cursor(origin) },
    { name: "OpenCode", code: openCode(origin) },
    { name: "openai", code: openAiClient(origin) },
  ];
}
