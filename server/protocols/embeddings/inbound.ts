/** POST /embeddings: OpenAI's API of vectors. */

import { type EmbeddingsRequest, embeddingsRequest } from "../../../shared/embeddings/request.ts";
import { validate } from "../../../shared/validation/validate.ts";
import { EMBEDDINGS } from "../canonical/embeddings.ts";
import type { ModelEvent } from "../canonical/event.ts";
import type { Item, JsonObject } from "../canonical/item.ts";
import type { ModelRequest } from "../canonical/request.ts";
import { parseSessionId } from "../common/inbound/parse_session_id.ts";
import { promptCompletionCostNames, renderCost } from "../common/inbound/render_cost.ts";
import { renderErrorEnvelope } from "../common/inbound/render_error.ts";
import { invalidRequestError } from "../common/inbound/request_errors.ts";
import type { Inbound, InboundContext, ParseOptions } from "../wire.ts";

interface Echo {
  readonly isBase64: boolean;
}

export const embeddingsInbound: Inbound<Echo, null, never> = {
  wire: "embeddings",
  idPrefix: "embd_",
  parseRequest,
  // Vectors come whole: no request asks for a stream.
  renderEvents: () => ({ initial: null, step: () => [null, []] }),
  renderResponse,
  renderCost: (billed) => renderCost(billed, promptCompletionCostNames),
  renderError: renderErrorEnvelope,
  frame: () => "",
  isLastEvent: () => true,
  terminator: "",
};

/** Throws an ApiError (400) that names the place. */
function parseRequest(body: unknown, { sessionId }: ParseOptions) {
  const checked = validate(embeddingsRequest, body);
  if (!checked.ok) throw invalidRequestError(checked.faults);
  const { value } = checked;
  return { request: requestOf(value, sessionId), echo: { isBase64: value.encoding_format === "base64" } };
}

function requestOf(body: EmbeddingsRequest, sessionId: string | undefined): ModelRequest {
  return {
    model: body.model,
    models: body.models ?? [],
    input: [body.input].flat().map(toItem),
    tools: [],
    sampling: {},
    format: { type: "text" },
    embeddings: { dimensions: body.dimensions ?? undefined, inputType: body.input_type ?? undefined },
    stream: false,
    include: [],
    endUser: { user: body.user || undefined },
    sessionId: parseSessionId(body.session_id, sessionId),
    plugins: [],
    provider: body.provider ?? undefined,
    trace: body.trace ?? undefined,
    echoUpstreamBody: false,
    dropped: [],
  };
}

type Entry = Exclude<EmbeddingsRequest["input"], string>[number];

function toItem(entry: Entry): Item {
  const texts = typeof entry === "string" ? [entry] : entry.content.map(({ text }) => text);
  return { type: "message", role: "user", parts: texts.map((text) => ({ type: "text", text })) };
}

function renderResponse(context: InboundContext<Echo>, events: readonly ModelEvent[]): JsonObject {
  const finish = events.find((event) => event.type === "finish");
  const tokens = finish?.usage?.inputTokens ?? 0;
  const { extra, usage } = context.completionInfo();
  const encode = context.echo.isBase64 ? toBase64 : (vector: readonly number[]) => vector;
  return {
    object: "list",
    id: context.responseId,
    model: context.model(),
    data: vectorsIn(events).map((vector, index) => ({
      object: "embedding",
      index,
      embedding: encode(vector),
    })),
    usage: { prompt_tokens: tokens, total_tokens: tokens, ...usage },
    ...extra,
  };
}

function vectorsIn(events: readonly ModelEvent[]): readonly (readonly number[])[] {
  const item = events.flatMap((event) => event.type === "item_done" && event.item ? [event.item] : [])
    .find((one) => one.type === "foreign" && one.kind === EMBEDDINGS);
  return item?.type === "foreign" && Array.isArray(item.value.vectors) ? item.value.vectors : [];
}

function toBase64(vector: readonly number[]): string {
  const view = new DataView(new ArrayBuffer(vector.length * 4));
  vector.forEach((value, at) => view.setFloat32(at * 4, value, true));
  return new Uint8Array(view.buffer).toBase64();
}
