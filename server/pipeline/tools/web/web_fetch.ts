/** Reads a page or a document of the web (specification, Tools). */

import type { JsonObject } from "../../../protocols/canonical/item.ts";
import { truncateStart } from "../../../../shared/util/text.ts";
import { textOf, type ToolDefinition, type ToolInput, type ToolOutcome } from "../tool_definition.ts";
import { DEFAULT_TOKENS, loadPage, LONGEST_FACT } from "./load_page.ts";
import { failedWebCall, type WebFailure } from "./web_errors.ts";
import { domainIssue, positive, rulesIn } from "./web_search_settings.ts";

const parameters = {
  type: "object",
  properties: { url: { type: "string", description: "The https address of the page." } },
  required: ["url"],
  additionalProperties: false,
} as const;

export const webFetch: ToolDefinition = {
  kind: "web_fetch",
  describe: () => ({ description: "Reads a page or a document of the web as text.", parameters }),
  itemFields: ({ url }) => ({ url: textOf(url) ?? "" }),
  failedStatus: "incomplete",
  argumentsOf: ({ url }) => textOf(url) === undefined ? undefined : { url },
  outputOf: (item) => textOf(item.content) === undefined ? undefined : outputOf(item),
  checkSettings: ({ settings }) => domainIssue(settings),
  isAvailable: ({ settings: { engine } }) => engine !== "native",
  switchOn: 'Set its engine to "auto".',
  run,
};

async function run(input: ToolInput): Promise<ToolOutcome> {
  const { args, settings, memory } = input;
  const url = textOf(args.url);
  if (url === undefined) return failedWebCall({ reason: "url is missing.", code: "invalid_input" });
  const uses = positive(settings.max_uses) ?? Infinity;
  if (!memory.takeUse("web_fetch", uses)) {
    const reason = `web_fetch may be used ${uses} times, and was.`;
    return failedPage({ reason, code: "max_uses_exceeded" }, { url });
  }
  const loaded = await loadPage(input, {
    url,
    domains: {
      allowed: rulesIn([settings.allowed_domains]),
      excluded: rulesIn([settings.blocked_domains]),
    },
    mostTokens: positive(settings.max_content_tokens) ?? DEFAULT_TOKENS,
  });
  const { httpStatus } = loaded;
  if (loaded.type === "failed") return failedPage(loaded.failure, { url, httpStatus });
  const { page } = loaded;
  for (const address of [page.url, url]) memory.addSource({ url: address, title: page.title });
  const shown = { ...page, httpStatus };
  return { output: outputOf(shown), fields: shown };
}

interface FailedAddress {
  readonly url: string;
  readonly httpStatus?: number;
}

const failedPage = (failure: WebFailure, { url, ...more }: FailedAddress): ToolOutcome =>
  failedWebCall(failure, { url: truncateStart(url, LONGEST_FACT), ...more, error: failure.reason });

const outputOf = ({ url, title, published, left_out, content, truncated }: JsonObject): string =>
  JSON.stringify({ url, title, published, left_out, content, truncated });
