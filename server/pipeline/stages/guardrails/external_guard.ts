/** Lets services judge what a request's content filters let through, in both directions. */

import { isConversation } from "../../../protocols/canonical/request.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import { type RequestPiece, requestPieces, withPieces } from "../../guardrails/text_slots/request_shapes.ts";
import {
  type ToolOutput,
  toolOutputShape,
  type ToolSource,
} from "../../guardrails/text_slots/tool_output_shape.ts";
import type { ModelResponse, RequestContext } from "../../request_context.ts";
import type { RequestGuard } from "../../request_context.ts";
import type { ExternalJudge } from "./external_judge.ts";
import { guardedResponse } from "./response/guarded_source.ts";
import { type GuardedTexts, REQUEST, resultOf } from "./guard_errors.ts";
import { type JudgedValue, judgeValues } from "./judge_values.ts";
import { OutputWindows } from "./response/output_windows.ts";

interface ExternalGuardOptions {
  /** The content filters, which come first. */
  readonly inner: RequestGuard;
  readonly judge: ExternalJudge;
  readonly model: string | undefined;
}

export class ExternalGuard implements RequestGuard {
  readonly #options: ExternalGuardOptions;

  constructor(options: ExternalGuardOptions) {
    this.#options = options;
  }

  async readRequest(request: ModelRequest): Promise<ModelRequest> {
    return await this.#judgeRequest(await this.#options.inner.readRequest(request));
  }

  async readCall(request: ModelRequest): Promise<ModelRequest> {
    return await this.#judgeRequest(await this.#options.inner.readCall(request));
  }

  async #judgeRequest(request: ModelRequest): Promise<ModelRequest> {
    const { judge } = this.#options;
    if (!judge.asks("input")) return request;
    const pieces = [...requestPieces(request)];
    const values = pieces.map(({ value, shape, field, position }) => ({
      name: position === undefined ? field : `${field}.${position}`,
      value,
      shape,
    }));
    const judged = await this.#judged(values, REQUEST);
    const changed = new Map<RequestPiece, unknown>();
    for (const [at, piece] of pieces.entries()) {
      if (judged[at] !== piece.value) changed.set(piece, judged[at]);
    }
    return withPieces(request, changed);
  }

  async readResponse(response: ModelResponse, context: RequestContext): Promise<ModelResponse> {
    const { inner, judge, model } = this.#options;
    const read = await inner.readResponse(response, context);
    if (!isConversation(context.request) || !judge.asks("output")) return read;
    const hasJsonTexts = context.request.format.type !== "text";
    const windows = new OutputWindows(judge, { model, hasJsonTexts });
    return await guardedResponse(read, { context, read: (batch) => windows.read(batch), isEnforced: true });
  }

  readErrorText(text: string): string {
    return this.#options.inner.readErrorText(text);
  }

  async readToolOutput<T extends ToolOutput>(output: T, from: ToolSource): Promise<T> {
    const { inner, judge } = this.#options;
    const read = await inner.readToolOutput(output, from);
    if (!judge.asks("tools")) return read;
    const [judged] = await this.#judged(
      [{ name: "tool", value: read, shape: toolOutputShape(from.kind) }],
      resultOf(from.bringer),
    );
    return toSameKind<T>(judged);
  }

  #judged(values: readonly JudgedValue[], texts: GuardedTexts): Promise<readonly unknown[]> {
    const { judge, model } = this.#options;
    return judgeValues(values, { judge, judging: { texts, model } });
  }
}

/** Texts take the place of texts, so a value keeps its form. */
const toSameKind = <T>(judged: unknown): T => judged as T;
