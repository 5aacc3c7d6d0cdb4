/** POST /embeddings: OpenAI's API of vectors. */

import {
  type EmbeddingsRequest,
  embeddingsRequest,
  type TokenList,
} from "../../../shared/embeddings/request.ts";
import { isRecord } from "../../../shared/util/json.ts";
import { validate, type ValidationIssue } from "../../../shared/validation/validate.ts";
import { EMBEDDINGS } from "../canonical/embeddings.ts";
import type { ModelEvent } from "../canonical/event.ts";
import type { Item, JsonObject } from "../canonical/item.ts";
import type { ModelRequest } from "../canonical/request.ts";
import { parseSessionId } from "../common/inbound/parse_session_id.ts";
import { promptCompletionCostNames, renderCost } from "../common/inbound/render_cost.ts";
import { renderErrorEnvelope } from "../common/inbound/render_error.ts";
import { invalidRequestError } from "../common/inbound/request_errors.ts";
import { inputFault } from "./input_fault.ts";
import type { Inbound, InboundContext, ParseOptions } from "../wire.ts";

interface Echo {
  readonly isBase64: boolean;
}

export const embeddingsInbound: Inbound<Echo, null, never> = {
  wire: "embeddings",
  idPrefix: "embd_",
  holdsTokens: (body) => isRecord(body) && Array.isArray(body.input) && body.input.some(isTokens),
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
function parseRequest(body: unknown, { sessionId, decodeTokens = refuseTokens }: ParseOptions) {
  const checked = validate(embeddingsRequest, body);
  if (!checked.ok) throw invalidRequestError(checked.faults.map((fault) => explained(fault, body)));
  const { value } = checked;
  const input = textsOf(value.input, decodeTokens).map(toItem);
  return {
    request: requestOf(value, { input, sessionId }),
    echo: { isBase64: value.encoding_format === "base64" },
  };
}

/** Schemas say little of a value that may have several forms. */
function explained(fault: ValidationIssue, body: unknown): ValidationIssue {
  const isOfInput = /^input(?:[[.]|$)/.test(fault.path);
  return isOfInput && isRecord(body) ? inputFault(body.input) ?? fault : fault;
}

/** An entry of a list of tokens, or of texts a list of their tokens. */
const isTokens = (entry: unknown): boolean => typeof entry === "number" || Array.isArray(entry);

function refuseTokens(): never {
  const message = "input holds tokens; only texts can be read here";
  throw invalidRequestError([{ path: "input", message }]);
}

type Text = Exclude<Exclude<EmbeddingsRequest["input"], string | TokenList>[number], TokenList>;

interface ParsedParts extends Pick<ParseOptions, "sessionId"> {
  readonly input: readonly Item[];
}

function requestOf(body: EmbeddingsRequest, { input, sessionId }: ParsedParts): ModelRequest {
  return {
    model: body.model ?? undefined,
    models: body.models ?? [],
    input,
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

/** All texts, those that came as tokens decoded. */
function textsOf(
  input: EmbeddingsRequest["input"],
  decode: (tokens: readonly number[]) => string,
): readonly Text[] {
  if (typeof input === "string") return [input];
  if (isTokenList(input)) return [decode(input)];
  return input.map((entry) => Array.isArray(entry) ? decode(entry) : entry);
}

const isTokenList = (input: readonly unknown[]): input is TokenList => typeof input[0] === "number";

function toItem(entry: Text): Item {
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
