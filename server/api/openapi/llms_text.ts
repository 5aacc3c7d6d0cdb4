/** llms.txt: the API in short, as language models are told of a site (llmstxt.org). */

import { addressOf, type ApiOperation, apiOperations } from "./api_operations.ts";
import { families, familyOf } from "./families.ts";

const begin = `# Tollgate

> A gateway for language models: one key for the models of every provider, with limits, guardrails and receipts.

- Send a key as \`Authorization: Bearer <key>\`. API keys call models; management keys manage the gateway.
- Clients of OpenAI and OpenRouter work with \`/v1\` as their base address, clients of Anthropic with the origin.
- \`GET /v1/models\` lists the models. \`local/echo\` is built in and free.
- Every error is JSON with \`error.code\` (the status), \`error.message\` and \`error.metadata.error_type\`.

## Description

- [OpenAPI document](/openapi.json): every operation with schemas and examples
`;

const line = (operation: ApiOperation): string =>
  `- \`${operation.method} ${addressOf(operation)}\`: ${operation.summary}`;

export function llmsText(): string {
  const sections = families.map(([family, about]) => {
    const lines = apiOperations.filter(({ id }) => familyOf(id) === family).map(line);
    return `## ${family}\n\n${about}\n\n${lines.join("\n")}\n`;
  });
  return [begin, ...sections].join("\n");
}
