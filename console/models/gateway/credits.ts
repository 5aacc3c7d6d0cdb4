/** The account's credits, their history, and a change of them. */

import { computed, signal } from "@preact/signals";
import { creditApi } from "../../../shared/management/credits.ts";
import { type ConsoleApi, operation } from "../../api.ts";
import { createResource, toError } from "../../resource.ts";
import { creditsText } from "../../text/gateway/settings.ts";
import { CursorPages } from "../cursor_pages.ts";
import { fieldProblem } from "../field_problem.ts";
import { parseUsd } from "../money_input.ts";

const getCredits = operation<"credits.get">("GET", "/credits");
const addCredits = operation<"credits.add">("POST", "/credits");
const listChanges = operation<"credits.history">("GET", "/credits/history");

const HISTORY = 25;

const fields = creditApi["credits.add"].body.shape;

/** USD, also below 0; undefined for what is no amount. */
export function parseChange(text: string): number | undefined {
  const trimmed = text.trim();
  const isNegative = /^[-−]/.test(trimmed);
  const usd = parseUsd(isNegative ? trimmed.slice(1) : trimmed);
  if (usd === null || usd === undefined) return undefined;
  return isNegative ? -usd : usd;
}

export class CreditsModel {
  readonly #api: Pick<ConsoleApi, "call">;
  readonly credits = createResource(async (abort) =>
    (await this.#api.call(getCredits, { signal: abort })).data
  );
  /** Newest first; a cursor is the number of changes before its page. */
  readonly history = new CursorPages({
    size: HISTORY,
    read: async (cursor, abort) => {
      const offset = Number(cursor ?? 0);
      const query = { offset, limit: HISTORY };
      return { offset, ...await this.#api.call(listChanges, { query, signal: abort }) };
    },
    nextCursor: ({ offset, data, total_count: total }) =>
      offset + data.length < total ? String(offset + data.length) : undefined,
  });
  readonly amount = signal("");
  readonly reason = signal("");
  readonly tried = signal(false);
  readonly busy = signal(false);
  readonly refusal = signal<Error | undefined>(undefined);
  /** Remark of the gateway on the last change. */
  readonly notice = signal<string | undefined>(undefined);
  /** The same until a change went through, so that a lost answer does not make two. */
  #idempotencyKey = crypto.randomUUID();

  constructor(api: Pick<ConsoleApi, "call">) {
    this.#api = api;
  }

  readonly #change = computed(() => parseChange(this.amount.value));
  readonly problems = computed(() => ({
    amount: this.#change.value === undefined
      ? creditsText.amountBad
      : fieldProblem(fields.amount_usd, this.#change.value),
    reason: fieldProblem(fields.reason, this.reason.value, { missing: creditsText.reasonMissing }),
  }));
  /** USD that are left once what is typed is added; undefined while that cannot be told. */
  readonly leftAfter = computed(() => {
    const [credits, change] = [this.credits.data.value, this.#change.value];
    if (credits === undefined || change === undefined) return undefined;
    return credits.total_credits + change - credits.total_usage;
  });

  async load(): Promise<void> {
    await Promise.all([this.credits.load(), this.history.restart()]);
  }

  stop(): void {
    this.credits.stop();
    this.history.stop();
  }

  /** Adds what is typed; false where something is missing or the gateway refuses. */
  async add(): Promise<boolean> {
    this.tried.value = true;
    const amount = this.#change.peek();
    const problems = this.problems.peek();
    if (amount === undefined || problems.amount !== undefined || problems.reason !== undefined) return false;
    this.busy.value = true;
    this.refusal.value = undefined;
    try {
      const body = { amount_usd: amount, reason: this.reason.peek().trim() };
      const answer = await this.#api.call(addCredits, { body, idempotencyKey: this.#idempotencyKey });
      this.#idempotencyKey = crypto.randomUUID();
      this.notice.value = answer.notice;
      this.amount.value = "";
      this.reason.value = "";
      this.tried.value = false;
      await this.load();
      return true;
    } catch (error) {
      this.refusal.value = toError(error);
      return false;
    } finally {
      this.busy.value = false;
    }
  }
}
