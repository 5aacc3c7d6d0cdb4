/** Management keys: all of them, and what is changed of one before it is saved. */

import { computed } from "@preact/signals";
import type { ManagementKey } from "../../../shared/management/management_keys.ts";
import { type ConsoleApi, operation, type OperationBody } from "../../api.ts";
import type { Clock } from "../../clock.ts";
import type { Change } from "../../components/diff.tsx";
import { formatMoment } from "../../format.ts";
import type { Router } from "../../router.ts";
import { managementKeyPanelText, managementKeysText } from "../../text/access/management_keys.ts";
import { EditModel } from "../edit_model.ts";
import { keyNameProblem } from "../field_problem.ts";
import { type ExpiryDraft, expiryDraft, expiryOf, expiryProblem, noExpiry } from "../keys/expiry.ts";
import { ShortList } from "./short_list.ts";

const listKeys = operation<"management_keys.list">("GET", "/management-keys");
const updateKey = operation<"management_keys.update">("PATCH", "/management-keys/:hash");

type KeyChanges = OperationBody<"management_keys.update">;

interface ManagementKeysDeps {
  readonly api: Pick<ConsoleApi, "call">;
  readonly clock: Pick<Clock, "now">;
  readonly router: Pick<Router, "query" | "setQuery">;
}

const isExpired = ({ expires_at: at }: Pick<ManagementKey, "expires_at">, now: number) =>
  at !== null && now >= Date.parse(at);

export function managementKeyState(key: ManagementKey, now: number) {
  if (key.disabled) return { tone: "off", text: managementKeysText.disabled } as const;
  if (isExpired(key, now)) return { tone: "off", text: managementKeysText.expired } as const;
  return { tone: "good", text: managementKeysText.on } as const;
}

export class ManagementKeysModel extends ShortList<ManagementKey> {
  readonly #clock: ManagementKeysDeps["clock"];

  constructor({ api, clock, router }: ManagementKeysDeps) {
    super({
      router,
      read: (query, signal) => api.call(listKeys, { query, signal }),
      idOf: ({ hash }) => hash,
      textOf: ({ name, label, hash }) => `${name} ${label} ${hash}`,
    });
    this.#clock = clock;
  }

  /** Whether it is the only one that can do everything, which the gateway keeps. */
  isLast(hash: string): boolean {
    const now = this.#clock.now();
    const full = (this.list.data.value ?? []).filter((key) =>
      !key.disabled && !key.read_only && !isExpired(key, now)
    );
    return full.length === 1 && full[0]?.hash === hash;
  }
}

interface Draft extends ExpiryDraft {
  readonly name: string;
  readonly disabled: boolean;
  readonly readOnly: boolean;
}

const draftOf = (key: ManagementKey): Draft => ({
  ...expiryDraft(key.expires_at),
  name: key.name,
  disabled: key.disabled,
  readOnly: key.read_only,
});

const isSameExpiry = (one: ExpiryDraft, other: ExpiryDraft) =>
  one.expires === other.expires &&
  (one.expires !== "date" || (one.expiryDate === other.expiryDate && one.expiryTime === other.expiryTime));

interface ManagementKeyEditDeps {
  readonly api: Pick<ConsoleApi, "call">;
  readonly clock: Pick<Clock, "now">;
  readonly known: ManagementKey;
  readonly onChange: (key: ManagementKey) => void;
}

function changesOf(draft: Draft, key: ManagementKey | undefined, clock: Pick<Clock, "now">): KeyChanges {
  if (key === undefined) return {};
  const ends = expiryOf(draft, clock.now());
  return {
    ...(draft.name.trim() === key.name ? {} : { name: draft.name.trim() }),
    ...(draft.disabled === key.disabled ? {} : { disabled: draft.disabled }),
    ...(draft.readOnly === key.read_only ? {} : { read_only: draft.readOnly }),
    ...(isSameExpiry(draft, draftOf(key))
      ? {}
      : { expires_at: ends === undefined ? null : new Date(ends).toISOString() }),
  };
}

export class ManagementKeyEditModel extends EditModel<ManagementKey, Draft, KeyChanges> {
  readonly #deps: ManagementKeyEditDeps;

  constructor(deps: ManagementKeyEditDeps) {
    super({
      known: deps.known,
      draftOf: (key) => key && draftOf(key),
      changesOf: (draft, key) => changesOf(draft, key, deps.clock),
      // There is no operation that shows one: the list has all of it.
      read: () => Promise.resolve({ body: deps.known, etag: undefined }),
    });
    this.#deps = deps;
  }

  readonly problems = computed(() => {
    const draft = this.draft.value;
    const isTyped = draft !== undefined && !isSameExpiry(draft, this.before.value ?? noExpiry);
    return {
      name: draft && keyNameProblem(draft.name, managementKeyPanelText.nameMissing),
      expiry: isTyped ? expiryProblem(draft, this.#deps.clock.now()) : undefined,
    };
  });

  /** Before → after. */
  readonly changes = computed((): readonly Change[] => {
    const [key, body] = [this.saved.value, this.body.value];
    if (key === undefined) return [];
    const word = (on: boolean) => on ? managementKeyPanelText.yes : managementKeyPanelText.no;
    const moment = (at: string | null) => at === null ? managementKeyPanelText.never : formatMoment(at);
    const rows: readonly (Change | false)[] = [
      body.name !== undefined && { label: managementKeyPanelText.name, before: key.name, after: body.name },
      body.read_only !== undefined &&
      { label: managementKeyPanelText.readOnly, before: word(key.read_only), after: word(body.read_only) },
      body.disabled !== undefined &&
      { label: managementKeyPanelText.disabled, before: word(key.disabled), after: word(body.disabled) },
      body.expires_at !== undefined &&
      {
        label: managementKeyPanelText.expires,
        before: moment(key.expires_at),
        after: moment(body.expires_at),
      },
    ];
    return rows.filter((row) => row !== false);
  });
  readonly canSave = computed(() => {
    const { name, expiry } = this.problems.value;
    return this.isChanged.value && name === undefined && expiry === undefined && !this.saving.value;
  });

  async save(): Promise<boolean> {
    if (!this.canSave.value) return false;
    const [params, body, sent] = [{ hash: this.#deps.known.hash }, this.body.value, this.typed.value];
    return await this.attempt(async () => {
      const { data } = await this.#deps.api.call(updateKey, { params, body });
      this.forget(sent);
      this.accept({ body: data, etag: undefined });
      this.#deps.onChange(data);
    });
  }
}
