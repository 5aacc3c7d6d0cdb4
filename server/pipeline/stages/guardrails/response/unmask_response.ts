/**
 * Puts a client's own texts back where its provider has said their placeholders: the last thing that happens to a
 * response, so that tools of the gateway and nested calls of models see the placeholders alone.
 */

import { ApiError } from "../../../../../shared/errors.ts";
import type { MaskMap } from "../../../guardrails/mask_map.ts";
import { runNow } from "../../../../../shared/util/run_work.ts";
import { OUTPUT_WINDOW } from "../../../guardrails/scanners/scan_windows.ts";
import type { ModelResponse } from "../../../request_context.ts";
import type { OutputEvent } from "../../../../protocols/canonical/event.ts";
import { mapPulled, prepend, type PullResult } from "../../../../protocols/stream/source.ts";
import { GuardedSource } from "./guarded_source.ts";
import { ResponseScanner } from "./response_scanner.ts";

interface UnmaskOptions {
  readonly masks: MaskMap;
  /** Messages are JSON, as the client has asked for. */
  readonly isJson: boolean;
}

/** Nothing is read before something is masked, which a guardrail may begin to do between two calls. */
export function unmaskResponse({ endpoint, source }: ModelResponse, options: UnmaskOptions): ModelResponse {
  const { masks } = options;
  let reader: GuardedSource | undefined;
  const pull = (): PullResult<OutputEvent> => {
    if (reader !== undefined) return reader.pullScanned();
    return mapPulled(source.pull(), (batch) => {
      if (batch === undefined || masks.isEmpty) return batch;
      reader = unmaskedSource(prepend([batch], source), options);
      return reader.pullScanned();
    });
  };
  return { endpoint, source: { pull, cancel: (reason) => source.cancel(reason) } };
}

function unmaskedSource(source: ModelResponse["source"], { masks, isJson }: UnmaskOptions): GuardedSource {
  const scanner = new ResponseScanner({
    view: masks.view,
    hasJsonTexts: isJson,
    window: OUTPUT_WINDOW,
    identifiers: masks,
    report: () => {},
    read: () => undefined,
    remember: () => {},
    skip: () => {},
  });
  return new GuardedSource({ source, read: (batch) => runNow(scanner.scan(batch)) });
}

/** An error of the provider's may say a placeholder. */
export function unmaskError(error: unknown, masks: MaskMap): unknown {
  if (!(error instanceof ApiError) || masks.isEmpty) return error;
  const { kind, message, details } = error;
  return new ApiError(kind, masks.unmask(message), details);
}
