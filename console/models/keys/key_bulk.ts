/** One change for several keys: what it would do to each, and what came of it. */

import { computed, signal } from "@preact/signals";
import type { KeyRecord } from "../../../shared/keys.ts";
import { type ConsoleApi, operation, type OperationBody } from "../../api.ts";
import type { Clock } from "../../clock.ts";
import { formatLimit, formatMoment } from "../../format.ts";
import { readAll } from "../../read_all.ts";
import { createResource, toError } from "../../resource.ts";
import { type BulkKind, bulkText } from "../../text/key_bulk.ts";
import { keyPanelText, keysText, type ResetChoice, resetNames } from "../../text/keys.ts";
import { limitProblem } from "../field_problem.ts";
import { readGuardrailChoices } from "../guardrails/guardrail_choices.ts";
import { parseUsd } from "../money_input.ts";
import { type CacheDraft, parseSeconds, secondsProblem, secondsText } from "./cache_seconds.ts";
import { type ExpiryDraft, expiryOf, expiryProblem, noExpiry } from "./expiry.ts";
import { resetOf } from "./key_edit.ts";

const updateMany = operation<"keys.update_many">("PATCH", "/keys");
const deleteKey = operation<"keys.delete">("DELETE", "/keys/:hash");
const listAssignments = operation<"guardrails.assignments.keys.all">("GET", "/guardrails/assignments/keys");

type BulkChanges = OperationBody<"keys.update_many">["changes"];

interface Draft extends ExpiryDraft, CacheDraft {
  readonly limit: string;
  readonly reset: ResetChoice;
  /** Empty: none. */
  readonly guardrailId: string;
}

interface KeyBulkDeps {
  readonly api: Pick<ConsoleApi, "call">;
  readonly clock: Pick<Clock, "now">;
  readonly keys: readonly KeyRecord[];
  readonly kind: BulkKind;
  /** A key has changed, or is gone where there is no record. */
  readonly onChange: (hash: string, key: KeyRecord | undefined) => void;
}

interface PreviewRow {
  readonly key: KeyRecord;
  readonly before: string;
  readonly after: string;
}

/** Problems of what was typed, by the change that it is for. */
type Problems = { readonly [K in BulkKind]?: string };

/** A key that was not changed, and why. */
interface FailedKey {
  readonly key: KeyRecord;
  readonly message: string;
}

function limitText({ limit, reset }: { readonly limit: number | null; readonly reset: ResetChoice }): string {
  if (limit === null) return keysText.noLimit;
  return reset === "none" ? formatLimit(limit) : `${formatLimit(limit)}, ${resetNames[reset].toLowerCase()}`;
}

const momentText = (at: string | number | null | undefined) =>
  at === null || at === undefined ? bulkText.never : formatMoment(at);

function cacheText({ cache, cacheSeconds }: CacheDraft): string {
  if (!cache) return bulkText.notCached;
  return bulkText.cached(secondsText(parseSeconds(cacheSeconds) ?? null));
}

export class KeyBulkModel {
  readonly #deps: KeyBulkDeps;
  /** When the dialog opened: spans of an expiry count from it. */
  readonly #now: number;
  /** As they are now; those that were deleted are gone. */
  readonly keys = signal<readonly KeyRecord[]>([]);
  readonly kind = signal<BulkKind>("limit");
  readonly draft = signal<Draft>({
    ...noExpiry,
    limit: "",
    reset: "monthly",
    guardrailId: "",
    cache: true,
    cacheSeconds: "",
  });
  readonly busy = signal(false);
  /** Number of keys that were sent. */
  readonly sent = signal(0);
  readonly failed = signal<readonly FailedKey[]>([]);
  readonly refusal = signal<Error | undefined>(undefined);
  /** Guardrails, and the one that each key has of its own. */
  readonly guardrails = createResource(async (abort) => {
    const { api } = this.#deps;
    const [choices, assigned] = await Promise.all([
      readGuardrailChoices(api, abort),
      readAll((query) => api.call(listAssignments, { query, signal: abort })),
    ]);
    const own = new Map(assigned.map(({ key_hash: hash, guardrail_id: id }) => [hash, id]));
    return { choices, own };
  });

  constructor(deps: KeyBulkDeps) {
    this.#deps = deps;
    this.#now = deps.clock.now();
    this.kind.value = deps.kind;
    this.keys.value = deps.keys;
  }

  /** Guardrails that every one of the keys may have. */
  readonly choices = computed(() =>
    (this.guardrails.data.value?.choices ?? []).filter(({ workspaceId }) =>
      workspaceId === null || this.keys.value.every(({ workspace_id: own }) => own === workspaceId)
    )
  );
  readonly problems = computed((): Problems => ({
    limit: limitProblem(this.draft.value.limit, keyPanelText.isBad),
    expiry: expiryProblem(this.draft.value, this.#now),
    cache: secondsProblem(this.draft.value),
  }));

  /** The change as the operation takes it; undefined for a deletion. */
  readonly changes = computed((): BulkChanges | undefined => {
    const draft = this.draft.value;
    switch (this.kind.value) {
      case "limit": {
        const limit = parseUsd(draft.limit) ?? null;
        return { limit, limit_reset: limit === null || draft.reset === "none" ? null : draft.reset };
      }
      case "expiry": {
        const at = expiryOf(draft, this.#now);
        return { expires_at: at === undefined ? null : new Date(at).toISOString() };
      }
      case "guardrail":
        return { guardrail_id: draft.guardrailId === "" ? null : draft.guardrailId };
      case "cache":
        return draft.cache
          ? { cache_enabled: true, cache_ttl_seconds: parseSeconds(draft.cacheSeconds) ?? null }
          : { cache_enabled: false };
      case "enable":
        return { disabled: false };
      case "disable":
        return { disabled: true };
      case "delete":
        return undefined;
    }
  });

  /** Each key as it is, and as it would be. */
  readonly preview = computed((): readonly PreviewRow[] =>
    this.keys.value.map((key) => ({ key, before: this.#before(key), after: this.#after() }))
  );
  /** Keys that would change. */
  readonly changing = computed(() => this.preview.value.filter(({ before, after }) => before !== after));
  readonly canSend = computed(() => {
    const kind = this.kind.value;
    const problem = this.problems.value[kind];
    const isReady = kind !== "guardrail" || this.guardrails.data.value !== undefined;
    return problem === undefined && isReady && !this.busy.value && this.changing.value.length > 0;
  });

  type(changes: Partial<Draft>): void {
    this.draft.value = { ...this.draft.value, ...changes };
  }

  choose(kind: BulkKind): void {
    this.kind.value = kind;
    this.failed.value = [];
    this.refusal.value = undefined;
  }

  /** Sends the change; resolves with the number of keys that took it. */
  async send(): Promise<number> {
    const keys = this.changing.peek().map(({ key }) => key);
    const changes = this.changes.peek();
    this.busy.value = true;
    this.sent.value = 0;
    this.refusal.value = undefined;
    try {
      const failed = changes === undefined ? await this.#delete(keys) : await this.#update(keys, changes);
      this.failed.value = failed;
      return keys.length - failed.length;
    } catch (error) {
      this.refusal.value = toError(error);
      return 0;
    } finally {
      this.busy.value = false;
    }
  }

  async #update(keys: readonly KeyRecord[], changes: BulkChanges): Promise<readonly FailedKey[]> {
    const body = { hashes: keys.map(({ hash }) => hash), changes };
    const { data } = await this.#deps.api.call(updateMany, { body });
    for (const { hash, key } of data) if (key !== null) this.#take(hash, key);
    if (changes.guardrail_id !== undefined) await this.guardrails.load();
    return data.flatMap(({ hash, error }) => {
      const key = keys.find((one) => one.hash === hash);
      return error === null || key === undefined ? [] : [{ key, message: error.message }];
    });
  }

  async #delete(keys: readonly KeyRecord[]): Promise<readonly FailedKey[]> {
    const failed: FailedKey[] = [];
    for (const [at, key] of keys.entries()) {
      this.sent.value = at;
      try {
        await this.#deps.api.call(deleteKey, { params: { hash: key.hash } });
        this.#take(key.hash, undefined);
      } catch (error) {
        failed.push({ key, message: toError(error).message });
      }
    }
    return failed;
  }

  #take(hash: string, key: KeyRecord | undefined): void {
    this.keys.value = this.keys.peek().flatMap((one) => one.hash === hash ? key ?? [] : one);
    this.#deps.onChange(hash, key);
  }

  #before(key: KeyRecord): string {
    switch (this.kind.value) {
      case "limit":
        return limitText({ limit: key.limit, reset: key.limit === null ? "none" : resetOf(key) });
      case "expiry":
        return momentText(key.expires_at);
      case "guardrail":
        return this.#guardrailName(this.guardrails.data.value?.own.get(key.hash));
      case "cache":
        return cacheText({ cache: key.cache_enabled, cacheSeconds: secondsText(key.cache_ttl_seconds) });
      default:
        return key.disabled ? bulkText.off : bulkText.on;
    }
  }

  #after(): string {
    const draft = this.draft.value;
    switch (this.kind.value) {
      case "limit":
        return limitText({ limit: parseUsd(draft.limit) ?? null, reset: draft.reset });
      case "expiry":
        return momentText(expiryOf(draft, this.#now));
      case "guardrail":
        return this.#guardrailName(draft.guardrailId === "" ? undefined : draft.guardrailId);
      case "cache":
        return cacheText(draft);
      case "enable":
        return bulkText.on;
      case "disable":
        return bulkText.off;
      case "delete":
        return bulkText.gone;
    }
  }

  #guardrailName(id: string | undefined): string {
    if (id === undefined) return bulkText.noGuardrail;
    return this.guardrails.data.value?.choices.find((one) => one.id === id)?.name ?? id;
  }
}
