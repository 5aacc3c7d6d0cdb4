/** The panel of one key: its record, and what is changed of it before it is saved. */

import { computed } from "@preact/signals";
import type { KeyRecord } from "../../../shared/keys.ts";
import { type ConsoleApi, operation, type OperationBody } from "../../api.ts";
import type { Change } from "../../components/diff.tsx";
import { formatLimit } from "../../format.ts";
import { keyPanelText, keysText, type ResetChoice, resetNames } from "../../text/keys.ts";
import { EditModel } from "../edit_model.ts";
import { keyNameProblem, limitProblem } from "../field_problem.ts";
import { parseUsd, usdText } from "../money_input.ts";
import { type CacheDraft, parseSeconds, secondsProblem, secondsText } from "./cache_seconds.ts";

const getKey = operation<"keys.get">("GET", "/keys/:hash");
const updateKey = operation<"keys.update">("PATCH", "/keys/:hash");

type KeyChanges = OperationBody<"keys.update">;

interface KeyEditDeps {
  readonly api: Pick<ConsoleApi, "call" | "callWithTag">;
  /** The key as it is in the list, which shows while the newest is being read. */
  readonly known: KeyRecord | undefined;
  /** The key has changed. */
  readonly onChange: (key: KeyRecord) => void;
}

export const resetOf = ({ limit_reset }: Pick<KeyRecord, "limit_reset">): ResetChoice =>
  limit_reset ?? "none";

/** Spend of a key that counts towards its limit, in the limit's period. */
export function spentOf(key: KeyRecord): number {
  const period = { none: "", daily: "_daily", weekly: "_weekly", monthly: "_monthly" } as const;
  const reset = period[resetOf(key)];
  return key[`usage${reset}`] + (key.include_byok_in_limit ? key[`byok_usage${reset}`] : 0);
}

interface Draft extends CacheDraft {
  readonly limit: string;
  readonly reset: ResetChoice;
  readonly byok: boolean;
  readonly name: string;
  readonly disabled: boolean;
}

const draftOf = (key: KeyRecord): Draft => ({
  limit: usdText(key.limit),
  reset: resetOf(key),
  byok: key.include_byok_in_limit,
  cache: key.cache_enabled,
  cacheSeconds: secondsText(key.cache_ttl_seconds),
  name: key.name,
  disabled: key.disabled,
});

/** Body that a save would send. */
function changesOf(draft: Draft, key: KeyRecord | undefined): KeyChanges {
  if (key === undefined) return {};
  const limit = parseUsd(draft.limit);
  const seconds = draft.cache ? parseSeconds(draft.cacheSeconds) : undefined;
  return {
    ...(limit !== undefined && limit !== key.limit ? { limit } : {}),
    ...(draft.reset === resetOf(key) ? {} : { limit_reset: draft.reset === "none" ? null : draft.reset }),
    ...(draft.byok === key.include_byok_in_limit ? {} : { include_byok_in_limit: draft.byok }),
    ...(draft.cache === key.cache_enabled ? {} : { cache_enabled: draft.cache }),
    ...(seconds === undefined || seconds === key.cache_ttl_seconds ? {} : { cache_ttl_seconds: seconds }),
    ...(draft.name === key.name ? {} : { name: draft.name }),
    ...(draft.disabled === key.disabled ? {} : { disabled: draft.disabled }),
  };
}

export class KeyEditModel extends EditModel<KeyRecord, Draft, KeyChanges> {
  readonly hash: string;
  readonly #deps: KeyEditDeps;

  constructor(hash: string, deps: KeyEditDeps) {
    super({
      known: deps.known,
      draftOf: (key) => key && draftOf(key),
      changesOf,
      read: async (signal) => {
        const { body, etag } = await deps.api.callWithTag(getKey, { params: { hash }, signal });
        deps.onChange(body.data);
        return { body: body.data, etag };
      },
    });
    this.hash = hash;
    this.#deps = deps;
  }

  readonly limitProblem = computed(() => limitProblem(this.draft.value?.limit ?? "", keyPanelText.isBad));
  readonly nameProblem = computed(() => {
    const draft = this.draft.value;
    return draft && keyNameProblem(draft.name, keyPanelText.nameMissing);
  });

  readonly secondsProblem = computed(() => this.draft.value && secondsProblem(this.draft.value));

  /** Before → after, for the line beside the button. */
  readonly changes = computed((): readonly Change[] => {
    const [key, draft, body] = [this.saved.value, this.draft.value, this.body.value];
    if (key === undefined || draft === undefined) return [];
    const money = (usd: number | null) => usd === null ? keysText.noLimit : formatLimit(usd);
    const word = (on: boolean) => on ? keyPanelText.yes : keyPanelText.no;
    const rows: readonly (Change | false)[] = [
      body.limit !== undefined &&
      { label: keyPanelText.limit, before: money(key.limit), after: money(body.limit) },
      body.limit_reset !== undefined &&
      { label: keyPanelText.resets, before: resetNames[resetOf(key)], after: resetNames[draft.reset] },
      body.include_byok_in_limit !== undefined &&
      { label: keyPanelText.byok, before: word(key.include_byok_in_limit), after: word(draft.byok) },
      body.cache_enabled !== undefined &&
      { label: keyPanelText.cache, before: word(key.cache_enabled), after: word(draft.cache) },
      body.cache_ttl_seconds !== undefined && {
        label: keyPanelText.cacheSeconds,
        before: secondsText(key.cache_ttl_seconds) || keyPanelText.usual,
        after: secondsText(body.cache_ttl_seconds) || keyPanelText.usual,
      },
      body.name !== undefined && { label: keyPanelText.name, before: key.name, after: draft.name },
      body.disabled !== undefined &&
      { label: keyPanelText.disabled, before: word(key.disabled), after: word(draft.disabled) },
    ];
    return rows.filter((row) => row !== false);
  });
  readonly canSave = computed(() =>
    this.changes.value.length > 0 && this.limitProblem.value === undefined &&
    this.nameProblem.value === undefined && this.secondsProblem.value === undefined &&
    !this.saving.value
  );

  /** Shows the change at once, and takes it back where the gateway refuses it. */
  async save(): Promise<boolean> {
    const known = this.saved.value;
    if (known === undefined || !this.canSave.value) return false;
    const [typed, body] = [this.typed.value, this.body.value];
    return await this.attempt(async (ifMatch) => {
      const before = this.saved.value ?? known;
      this.#show({ ...before, ...body });
      this.typed.value = {};
      try {
        const params = { hash: this.hash };
        const saved = await this.#deps.api.callWithTag(updateKey, { params, body, ifMatch });
        this.accept({ body: saved.body.data, etag: saved.etag });
        this.#deps.onChange(saved.body.data);
      } catch (error) {
        this.#show(before);
        this.typed.value = { ...typed, ...this.typed.value };
        throw error;
      }
    });
  }

  #show(key: KeyRecord): void {
    this.record.set(key);
    this.#deps.onChange(key);
  }
}
