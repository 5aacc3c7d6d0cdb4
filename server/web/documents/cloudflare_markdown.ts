/** Cloudflare's conversion of documents to Markdown: `POST /accounts/{id}/ai/tomarkdown`, free of charge. */

import * as z from "zod";
import { truncate } from "../../../shared/util/text.ts";
import { exchange, type ServiceDeps } from "./service_exchange.ts";

interface MarkdownRequest {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly name: string;
  readonly mediaType: string;
  readonly signal: AbortSignal;
}

type MarkdownReply =
  | { readonly type: "read"; readonly text: string }
  /** The document is at fault; `message` ends a sentence. */
  | { readonly type: "refused"; readonly message: string }
  /** `message` is one sentence. */
  | { readonly type: "failed"; readonly message: string };

/** Rejects with the signal's reason only. */
export type CloudflareMarkdown = (request: MarkdownRequest) => Promise<MarkdownReply>;

interface CloudflareAccount {
  readonly accountId: string;
  readonly token: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
}

const answerSchema = z.looseObject({
  result: z.array(
    z.looseObject({ format: z.string(), data: z.string().nullish(), error: z.string().nullish() }),
  ),
});

export function createCloudflareMarkdown(deps: ServiceDeps, account: CloudflareAccount): CloudflareMarkdown {
  const { accountId, token, baseUrl } = account;
  return async ({ bytes, name, mediaType, signal }) => {
    const form = new FormData();
    form.append("files", new Blob([bytes], { type: mediaType }), name);
    const encoded = new Response(form);
    const answer = await exchange(deps, {
      service: "Cloudflare",
      url: `${baseUrl}/accounts/${encodeURIComponent(accountId)}/ai/tomarkdown`,
      baseUrl,
      // One account has one token.
      credentialHash: "cloudflare documents",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": encoded.headers.get("content-type") ?? "",
      },
      body: await encoded.bytes(),
      signal,
    });
    return answer.type === "failed" ? answer : parseReply(answer);
  };
}

function parseReply({ status, json }: { readonly status: number; readonly json: unknown }): MarkdownReply {
  const [result] = answerSchema.safeParse(json).data?.result ?? [];
  if (status !== 200 || result === undefined) {
    return { type: "failed", message: `Cloudflare failed with status ${status}.` };
  }
  if (result.format === "error" || typeof result.data !== "string") {
    return { type: "refused", message: truncate(result.error ?? "no reason given", 200) };
  }
  return { type: "read", text: result.data };
}
