/** The form for a new key. */

import { computed, signal } from "@preact/signals";
import { type ConsoleApi, operation, type OperationResult } from "../api.ts";
import type { Clock } from "../clock.ts";
import { toError } from "../resource.ts";
import { keyPanelText, type ResetChoice } from "../text/keys.ts";
import { keyNameProblem, limitProblem } from "./field_problem.ts";
import { parseUsd } from "./money_input.ts";

const createKey = operation<"keys.create">("POST", "/keys");

export type ExpiryChoice = "never" | "7" | "30" | "90" | "365";

interface Draft {
  readonly name: string;
  readonly workspaceId: string;
  readonly limit: string;
  readonly reset: ResetChoice;
  readonly expires: ExpiryChoice;
  readonly byok: boolean;
}

export interface NewKeyDeps {
  readonly api: Pick<ConsoleApi, "call">;
  readonly clock: Clock;
  readonly workspaceId: string;
}

const DAY_MS = 86_400_000;

export class NewKeyModel {
  readonly #deps: NewKeyDeps;
  /** The same for every try, so that a lost answer does not make two keys. */
  readonly #idempotencyKey = crypto.randomUUID();
  readonly draft = signal<Draft>({
    name: "",
    workspaceId: "",
    limit: "",
    reset: "monthly",
    expires: "never",
    byok: false,
  });
  /** Somebody has tried to send it: from then on it says what is missing. */
  readonly tried = signal(false);
  readonly refusal = signal<Error | undefined>(undefined);
  readonly made = signal<OperationResult<"keys.create"> | undefined>(undefined);

  constructor(deps: NewKeyDeps) {
    this.#deps = deps;
    this.draft.value = { ...this.draft.value, workspaceId: deps.workspaceId };
  }

  readonly problems = computed(() => {
    const { name, limit } = this.draft.value;
    return {
      name: keyNameProblem(name, keyPanelText.nameMissing),
      limit: limitProblem(limit, keyPanelText.isBad),
    };
  });

  type(changes: Partial<Draft>): void {
    this.draft.value = { ...this.draft.value, ...changes };
  }

  async create(): Promise<void> {
    this.tried.value = true;
    const { name, limit: problem } = this.problems.value;
    if (name !== undefined || problem !== undefined) return;
    const draft = this.draft.value;
    const limit = parseUsd(draft.limit) ?? null;
    const days = draft.expires === "never" ? undefined : Number(draft.expires);
    const expires_at = days === undefined
      ? null
      : new Date(this.#deps.clock.now() + days * DAY_MS).toISOString();
    this.refusal.value = undefined;
    try {
      this.made.value = await this.#deps.api.call(createKey, {
        body: {
          name: draft.name.trim(),
          ...(draft.workspaceId === "" ? {} : { workspace_id: draft.workspaceId }),
          limit,
          limit_reset: limit === null || draft.reset === "none" ? null : draft.reset,
          include_byok_in_limit: draft.byok,
          expires_at,
        },
        idempotencyKey: this.#idempotencyKey,
      });
    } catch (error) {
      this.refusal.value = toError(error);
    }
  }
}
