/** Has texts judged by the services of a caller's guardrails, and says what came of it. */

import { ApiError } from "../../../../shared/errors.ts";
import type { ExternalReply, ExternalText, GuardedSide } from "../../../../shared/external_guardrail.ts";
import type { ContentFilter, ContentFilters } from "../../guardrails/content_filters.ts";
import type { AskExternal } from "../../ask_external.ts";
import type { Caller } from "../../request_context.ts";
import type { CancelSignal } from "../../../one_shot_signal.ts";
import { type RunDeps, runWork, type Work } from "../../../../shared/util/run_work.ts";
import type { Logger } from "../../../runtime.ts";
import type { FilterFindings } from "./filter_findings.ts";
import type { GuardedTexts } from "./guard_errors.ts";

type Service = ContentFilters["external"][number];

interface ExternalJudgeOptions {
  readonly services: readonly Service[];
  readonly ask: AskExternal;
  readonly caller: Caller;
  readonly signal: CancelSignal;
  readonly findings: FilterFindings;
  readonly deps: RunDeps & { readonly log: Pick<Logger, "error"> };
}

export interface Judging {
  readonly texts: GuardedTexts;
  readonly model: string | undefined;
}

/** Characters of the texts of one call; a longer text goes alone. */
export const CHARS_AT_ONCE = 256 * 1024;
export const TEXTS_AT_ONCE = 1_000;
/** Between two log lines that a service cannot be asked. */
const LOG_MS = 60_000;
const logged = new Map<string, number>();
const MOST_LOGGED = 1_000;

export class ExternalJudge {
  readonly #options: ExternalJudgeOptions;
  /** Texts that may go on: they need not be judged again when they are sent once more. */
  readonly #passed = new Set<string>();

  constructor(options: ExternalJudgeOptions) {
    this.#options = options;
  }

  asks(side: GuardedSide): boolean {
    return this.#options.services.some(({ service }) => service.on.includes(side));
  }

  /** Reading and writing of what is judged, with pauses. */
  run<T>(work: Work<T>): T | Promise<T> {
    return runWork(work, this.#options.deps);
  }

  remember(text: string): void {
    this.#passed.add(text);
  }

  /** The texts that are replaced, by their places in the list. Rejects with an ApiError where a service blocks. */
  async judge(all: readonly ExternalText[], judging: Judging): Promise<ReadonlyMap<number, string>> {
    const current = all.map(({ text }) => text);
    for (const service of this.#options.services) {
      if (!service.service.on.includes(judging.texts.side)) continue;
      for (const batch of batchesOf(current, (text) => this.#passed.has(text))) {
        const paths = uniquePaths(batch.map((at) => all[at]?.path ?? ""));
        const texts = batch.map((at, place) => ({ path: paths[place] ?? "", text: current[at] ?? "" }));
        const replaced = await this.#ask(service, { texts, judging });
        for (const [place, at] of batch.entries()) {
          const text = replaced.get(paths[place] ?? "");
          if (text !== undefined) current[at] = text;
        }
      }
    }
    for (const text of current) this.#passed.add(text);
    return new Map(current.flatMap((text, at) => text === all[at]?.text ? [] : [[at, text] as const]));
  }

  async #ask(service: Service, call: ServiceCall): Promise<ReadonlyMap<string, string>> {
    const { caller, signal, ask } = this.#options;
    const { texts: guarded, model = null } = call.judging;
    let reply: ExternalReply;
    try {
      reply = await ask({
        guardrail: service.service,
        signal,
        request: {
          version: 1,
          guardrail_id: service.id,
          side: guarded.side,
          model,
          key_hash: caller.keyHash,
          workspace_id: caller.workspaceId,
          texts: call.texts,
        },
      });
    } catch (error) {
      return this.#failed(service, { error, guarded });
    }
    return this.#apply(service, { reply, call });
  }

  #apply(
    service: Service,
    { reply, call: { judging: { texts: { side, name } }, texts } }: {
      readonly reply: ExternalReply;
      readonly call: ServiceCall;
    },
  ): ReadonlyMap<string, string> {
    if (reply.action === "allow") return new Map();
    const known = new Map(texts.map(({ path, text }) => [path, text]));
    const action = reply.action === "block" ? "block" : "redact";
    const labels = reply.patterns.length === 0 ? [EXTERNAL] : reply.patterns;
    if (reply.action === "block") {
      this.#note(service, { labels, action, side });
      throw new ApiError(
        "blocked",
        `A guardrail blocked the ${name}: its service does not allow it.`,
        {
          metadata: { patterns: labels, guardrail_id: service.id },
        },
      );
    }
    const changes = reply.texts.filter(({ path, text }) => known.has(path) && known.get(path) !== text);
    if (changes.length > 0) this.#note(service, { labels, action, side });
    return new Map(changes.map(({ path, text }) => [path, text]));
  }

  #note({ id, scope }: Service, { labels, action, side }: Noted): void {
    const { findings } = this.#options;
    for (const label of new Set(labels)) {
      findings.addOwn(
        { ...member, guardrailId: id, guardrailScope: scope, label, action },
        side,
      );
    }
    findings.writeStages();
  }

  #failed(service: Service, { error, guarded: { name } }: FailedCall): ReadonlyMap<string, string> {
    const { deps: { clock, log }, findings, signal } = this.#options;
    const { id, service: { fail } } = service;
    if (!signal.fired && clock.monotonic() - (logged.get(id) ?? -Infinity) >= LOG_MS) {
      if (logged.size >= MOST_LOGGED) logged.clear();
      logged.set(id, clock.monotonic());
      const reason = error instanceof Error ? `${error.name}: ${error.message}` : "unknown";
      log.error("The service of a guardrail cannot be asked", {
        guardrail: id,
        fail,
        error: reason.slice(0, 300),
      });
    }
    findings.unasked(service, fail);
    if (fail === "open") return new Map();
    throw new ApiError("blocked", `A guardrail blocked the ${name}: it could not be judged.`, {
      metadata: { patterns: [], guardrail_id: id },
    });
  }
}

const EXTERNAL = "external";

const member: Pick<ContentFilter, "placeholder" | "engine"> = { placeholder: "", engine: "http" };

interface ServiceCall {
  readonly texts: readonly ExternalText[];
  readonly judging: Judging;
}

interface Noted {
  readonly labels: readonly string[];
  readonly action: "block" | "redact";
  readonly side: GuardedSide;
}

interface FailedCall {
  readonly error: unknown;
  readonly guarded: GuardedTexts;
}

/** Places of the texts that have to be judged, in calls of a bounded size. */
function batchesOf(texts: readonly string[], isPassed: (text: string) => boolean): readonly number[][] {
  const batches: number[][] = [];
  let chars = Infinity;
  for (const [at, text] of texts.entries()) {
    if (text.trim() === "" || isPassed(text)) continue;
    const last = batches.at(-1);
    if (last === undefined || last.length >= TEXTS_AT_ONCE || chars + text.length > CHARS_AT_ONCE) {
      batches.push([at]);
      chars = text.length;
    } else {
      last.push(at);
      chars += text.length;
    }
  }
  return batches;
}

/** A second text in the same place has a number. */
function uniquePaths(paths: readonly string[]): readonly string[] {
  const seen = new Map<string, number>();
  return paths.map((path) => {
    const count = (seen.get(path) ?? 0) + 1;
    seen.set(path, count);
    return count === 1 ? path : `${path}#${count}`;
  });
}
