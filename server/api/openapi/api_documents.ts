/** GET /openapi.json and GET /llms.txt: open, the same for everyone, made when they are first asked for. */

import { hash } from "node:crypto";
import { Memo } from "../../../shared/util/memo.ts";
import { type RunDeps, runWork } from "../../../shared/util/run_work.ts";
import { namesTag } from "../download_reply.ts";
import type { HttpExchange } from "../http_exchange.ts";
import { describeApi } from "./api_document.ts";
import { llmsText } from "./llms_text.ts";

interface ApiDocumentsDeps extends Pick<RunDeps, "clock" | "pause"> {
  /** The product's. */
  readonly version: string;
}

interface TaggedText {
  readonly text: string;
  readonly etag: string;
}

const tagged = (text: string): TaggedText => ({
  text,
  etag: `"${hash("sha256", text, "base64url").slice(0, 22)}"`,
});

export class ApiDocuments {
  readonly #openApi: Memo<TaggedText>;
  readonly #llms = new Memo(() => Promise.resolve(tagged(llmsText())));

  constructor({ version, ...deps }: ApiDocumentsDeps) {
    this.#openApi = new Memo(async () => tagged(JSON.stringify(await runWork(describeApi(version), deps))));
  }

  async openApi(exchange: HttpExchange): Promise<Response> {
    return textReply(exchange, { ...await this.#openApi.get(), type: "application/json" });
  }

  async llms(exchange: HttpExchange): Promise<Response> {
    return textReply(exchange, { ...await this.#llms.get(), type: "text/plain; charset=utf-8" });
  }
}

interface TypedText extends TaggedText {
  readonly type: string;
}

function textReply({ request }: HttpExchange, { text, etag, type }: TypedText): Response {
  const headers = { etag, "cache-control": "public, no-cache", "x-content-type-options": "nosniff" };
  if (namesTag(request.headers.get("if-none-match"), etag)) {
    return new Response(null, { status: 304, headers });
  }
  return new Response(text, { headers: { ...headers, "content-type": type } });
}
