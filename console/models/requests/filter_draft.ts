/** Filters as they are typed in the dialog, until they are set together. */

import { computed, signal } from "@preact/signals";
import { type ConsoleApi, operation } from "../../api.ts";
import { filtersText } from "../../text/requests.ts";
import { parseUsd } from "../money_input.ts";
import type { FilterName } from "./request_filters.ts";

const listKeys = operation<"keys.list">("GET", "/keys");

/** Filters of the dialog; search and state stand beside it. */
export type DraftName =
  | Exclude<FilterName, "q" | "status" | "guardrail" | "done" | "min_ms">
  /** Days and times of day, UTC. */
  | "from_day"
  | "from_time"
  | "until_day"
  | "until_time"
  | "seconds";

type Draft = { readonly [N in DraftName]: string };
type FilterChanges = Readonly<Record<string, string | undefined>>;

const dayOf = (at: string | undefined) => (at ?? "").slice(0, 10);
const timeOf = (at: string | undefined) => (at ?? "").slice(11, 16);

/** `keyName`: that of the key that is filtered by. */
function draftOf(query: ReadonlyMap<string, string>, keyName: string | undefined): Draft {
  const of = (name: string) => query.get(name) ?? "";
  const [since, until, ms] = [query.get("since"), query.get("until"), query.get("min_ms")];
  return {
    model: of("model"),
    asked: of("asked"),
    provider: of("provider"),
    key: keyName ?? of("key"),
    user: of("user"),
    session: of("session"),
    preset: of("preset"),
    tag: of("tag"),
    min_cost: of("min_cost"),
    seconds: ms === undefined ? "" : String(Number(ms) / 1_000),
    error: of("error"),
    fell_back: of("fell_back"),
    id: of("id"),
    from_day: dayOf(since),
    from_time: timeOf(since),
    until_day: dayOf(until),
    until_time: timeOf(until),
  };
}

/** The moment of a day and a time of day; undefined for none, null for half of one. */
function momentOf(day: string, time: string): string | undefined | null {
  if (day === "" && time === "") return undefined;
  const at = Date.parse(`${day}T${time || "00:00"}Z`);
  return Number.isFinite(at) ? new Date(at).toISOString() : null;
}

const textOrNone = (text: string) => text.trim() === "" ? undefined : text.trim();

export class FilterDraft {
  readonly #api: Pick<ConsoleApi, "call">;
  readonly #named: { readonly hash: string | undefined; readonly name: string | undefined };
  readonly values = signal<Draft>(draftOf(new Map(), undefined));
  /** Problem with the key, once it was looked for. */
  readonly keyProblem = signal<string | undefined>(undefined);

  constructor({ api, query, keyName }: {
    readonly api: Pick<ConsoleApi, "call">;
    readonly query: ReadonlyMap<string, string>;
    readonly keyName: string | undefined;
  }) {
    this.#api = api;
    this.#named = { hash: query.get("key"), name: keyName };
    this.values.value = draftOf(query, keyName);
  }

  type(name: DraftName, text: string): void {
    this.values.value = { ...this.values.value, [name]: text };
    if (name === "key") this.keyProblem.value = undefined;
  }

  readonly #span = computed(() => {
    const { from_day, from_time, until_day, until_time } = this.values.value;
    return { since: momentOf(from_day, from_time), until: momentOf(until_day, until_time) };
  });

  readonly costProblem = computed(() => {
    const { min_cost } = this.values.value;
    return min_cost.trim() === "" || typeof parseUsd(min_cost) === "number"
      ? undefined
      : filtersText.moneyBad;
  });

  readonly secondsProblem = computed(() => {
    const seconds = Number(this.values.value.seconds);
    return Number.isFinite(seconds) && seconds >= 0 ? undefined : filtersText.secondsBad;
  });

  readonly spanProblem = computed(() => {
    const { since, until } = this.#span.value;
    const isHalf = since === null || until === null;
    return isHalf || (since !== undefined && until !== undefined && since >= until)
      ? filtersText.momentBad
      : undefined;
  });

  readonly isSound = computed(() =>
    [this.costProblem, this.secondsProblem, this.spanProblem, this.keyProblem]
      .every((problem) => problem.value === undefined)
  );

  /** Undefined where no key, or more than one, is called so; the field says which. */
  async changes(): Promise<FilterChanges | undefined> {
    const { values: { value: draft } } = this;
    const key = await this.#keyHash(draft.key.trim());
    if (this.keyProblem.value !== undefined) return undefined;
    const { since, until } = this.#span.value;
    const cost = parseUsd(draft.min_cost);
    const ms = draft.seconds.trim() === "" ? undefined : String(Math.round(1_000 * Number(draft.seconds)));
    const texts = ([
      "model",
      "asked",
      "provider",
      "user",
      "session",
      "preset",
      "tag",
      "error",
      "fell_back",
      "id",
    ] as const)
      .map((name) => [name, textOrNone(draft[name])] as const);
    return {
      ...Object.fromEntries(texts),
      key,
      since: since ?? undefined,
      until: until ?? undefined,
      min_cost: typeof cost === "number" ? String(cost) : undefined,
      min_ms: ms,
    };
  }

  async #keyHash(text: string): Promise<string | undefined> {
    const { hash, name } = this.#named;
    if (text === "") return undefined;
    if (text === name || text === hash) return hash;
    const query = { q: text, workspace_id: "all", include_disabled: true, limit: 100 };
    const { data } = await this.#api.call(listKeys, { query });
    const exact = data.filter((key) => key.name === text);
    const found = exact.length > 0 ? exact : data;
    if (found.length === 1) return found[0]?.hash;
    this.keyProblem.value = found.length === 0
      ? filtersText.keyUnknown(text)
      : filtersText.keyMany(found.length);
    return undefined;
  }
}
