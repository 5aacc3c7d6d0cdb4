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

export function clientSetups(origin: string): readonly ClientSetup[] {
  return [
    { name: "curl", code: responsesCurl(origin) },
    {
      name: "Codex",
      code: [
        "# ~/.codex/config.toml; export API_KEY=tg-api-… first",
        'model_provider = "tollgate"',
        `model = "${MODEL}"`,
        "",
        "[model_providers.tollgate]",
        'name = "Tollgate"',
        `base_url = "${origin}/v1"`,
        'env_key = "API_KEY"',
        'wire_api = "responses"',
      ].join("\n"),
    },
    {
      name: "Claude Code",
      code: [
        `export ANTHROPIC_BASE_URL=${origin}`,
        "export ANTHROPIC_AUTH_TOKEN=$API_KEY",
        `export ANTHROPIC_MODEL=${MODEL}`,
        "claude",
      ].join("\n"),
    },
    {
      name: "Cursor",
      code: [
        "# Settings → Models → OpenAI API key",
        `Override OpenAI base URL: ${origin}/v1`,
        "OpenAI API key: your key, tg-api-…",
        `Model: ${MODEL}`,
      ].join("\n"),
    },
    {
      name: "OpenCode",
      code: JSON.stringify(
        {
          provider: {
            tollgate: {
              npm: "@ai-sdk/openai-compatible",
              name: "Tollgate",
              options: { baseURL: `${origin}/v1`, apiKey: "{env:API_KEY}" },
              models: { [MODEL]: {} },
            },
          },
        },
        null,
        2,
      ),
    },
    {
      name: "openai",
      code: [
        'import OpenAI from "openai";',
        "",
        "const client = new OpenAI({",
        "  apiKey: process.env.API_KEY,",
        `  baseURL: "${origin}/v1",`,
        "});",
        `const response = await client.responses.create({ model: "${MODEL}", input: "Say hello." });`,
        "console.log(response.output_text);",
      ].join("\n"),
    },
  ];
}
