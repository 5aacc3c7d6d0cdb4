/** Makes searches. Addresses and keys of engines are the operator's: they are trusted, and no caller can name others. */

import { writeJson } from "../../../shared/util/json.ts";
import type { Clock, Logger } from "../../runtime.ts";
import type { AbortSignalLike } from "../../providers/upstream/call_abort.ts";
import type { Transport, UpstreamResponse } from "../../providers/upstream/transport.ts";
import type { ConfiguredEngine } from "./configured_engines.ts";
import type { SearchInput } from "./engine.ts";
import { fitSearch } from "./fit_search.ts";
import { parseSearchResponse, type ResultLimits, type SearchResult } from "./parse_search_response.ts";

interface SearchOptions {
  readonly engine: ConfiguredEngine;
  readonly input: SearchInput;
  readonly limits: ResultLimits;
  readonly signal: AbortSignalLike;
}

export interface SearchReply {
  readonly result: SearchResult;
  /** The engine charges for it, or may do so. */
  readonly isCharged: boolean;
  /** A sentence for each thing that the engine was not asked, because it does not take it. */
  readonly cuts: readonly string[];
}

/** Rejects with the signal's reason only: whatever else goes wrong is a result. */
export type SearchClient = (options: SearchOptions) => Promise<SearchReply>;

interface SearchClientDeps {
  readonly transport: Transport;
  readonly clock: Pick<Clock, "after">;
  readonly log: Pick<Logger, "warn">;
  /** Absent: none besides those of the public Internet. */
  readonly allowedHosts?: readonly string[];
}

const TIMEOUT_MS = 20_000;
const ANSWER_BYTES = 4 * 1024 * 1024;

export function createSearchClient(
  { transport, clock, log, allowedHosts }: SearchClientDeps,
): SearchClient {
  return async ({ engine, input, limits, signal }) => {
    signal.throwIfAborted();
    const fitted = fitSearch(engine.engine, input);
    const { cuts } = fitted;
    const abort = new AbortController();
    const late = new Error("The search takes too long");
    const cancel = clock.after(TIMEOUT_MS, () => abort.abort(late));
    const leave = () => abort.abort(signal.reason);
    signal.addEventListener("abort", leave);
    let head: UpstreamResponse | undefined;
    try {
      head = await send(transport, { engine, input: fitted.input, signal: abort.signal });
      const answer = { status: head.status, text: await head.text(ANSWER_BYTES) };
      const result = parseSearchResponse(engine.engine, { answer, limits: { ...limits, allowedHosts } });
      if (result.type === "failed") log.warn("Search failed", { engine: engine.id, status: answer.status });
      return { result, isCharged: answer.status === 200, cuts };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      log.warn("Search failed", { engine: engine.id, error: String(error) });
      const isLate = abort.signal.aborted;
      const why = isLate
        ? `It did not answer within ${TIMEOUT_MS / 1_000} s`
        : head === undefined
        ? "It cannot be reached"
        : "Its answer broke off";
      return {
        result: { type: "failed", message: `The search with ${engine.engine.name} failed: ${why}.` },
        // It has made the search, whatever became of the answer.
        isCharged: isLate || head?.status === 200,
        cuts,
      };
    } finally {
      cancel();
      signal.removeEventListener("abort", leave);
    }
  };
}

interface Exchange extends Pick<SearchOptions, "engine" | "input"> {
  readonly signal: AbortSignal;
}

function send(
  transport: Transport,
  { engine: { id, engine, target }, input, signal }: Exchange,
): Promise<UpstreamResponse> {
  const { method, url, headers, body } = engine.renderRequest(input, target);
  return transport({
    url,
    baseUrl: target.baseUrl,
    // One engine has one key.
    credentialHash: `search engine ${id}`,
    method,
    headers,
    body: body === undefined ? "" : writeJson(body),
    signal,
  });
}
