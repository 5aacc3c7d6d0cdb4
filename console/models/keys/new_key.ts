/** The form for a new key. */

import { computed, signal } from "@preact/signals";
import { type ConsoleApi, operation, type OperationResult } from "../../api.ts";
import type { Clock } from "../../clock.ts";
import { createResource, toError } from "../../resource.ts";
import { keyPanelText, type ResetChoice } from "../../text/keys.ts";
import { keyNameProblem, limitProblem } from "../field_problem.ts";
import { choicesFor, readGuardrailChoices } from "../guardrails/guardrail_choices.ts";
import { parseUsd } from "../money_input.ts";
import { type RateLimitName, rateLimitNames } from "../../../shared/rate_limits.ts";
import { emptyLimits, limitsOf, parseCount } from "../rate_limits.ts";
import { type CacheDraft, parseSeconds, secondsProblem } from "./cache_seconds.ts";
import { type ExpiryDraft, expiryMoment, expiryOf, expiryProblem, noExpiry } from "./expiry.ts";

const createKey = operation<"keys.create">("POST", "/keys");
const setLimits = operation<"keys.rate_limits.set">("PUT", "/keys/:hash/rate-limits");
const assign = operation<"guardrails.assignments.keys.add">("POST", "/guardrails/:id/assignments/keys");

interface Draft extends ExpiryDraft, CacheDraft {
  readonly name: string;
  readonly workspaceId: string;
  readonly limit: string;
  readonly reset: ResetChoice;
  readonly byok: boolean;
  /** Empty: none of its own. */
  readonly guardrailId: string;
  readonly rates: { readonly [N in RateLimitName]: string };
}

/** The parts of a key that are set once it is there. */
type LaterPart = "guardrail" | "rateLimits";

/** A part that a new key was to have and has not, and why. */
interface MissingPart {
  readonly part: LaterPart;
  readonly error: Error;
}

interface NewKeyDeps {
  readonly api: Pick<ConsoleApi, "call">;
  readonly clock: Clock;
  readonly workspaceId: string;
}

export class NewKeyModel {
  readonly #deps: NewKeyDeps;
  /** The same for every try, so that a lost answer does not make two keys. */
  readonly #idempotencyKey = crypto.randomUUID();
  /** When the first try was: expiries count from it, because the same idempotency key wants the same body. */
  #firstTry: number | undefined;
  readonly draft = signal<Draft>({
    ...noExpiry,
    name: "",
    workspaceId: "",
    limit: "",
    reset: "monthly",
    byok: false,
    cache: false,
    cacheSeconds: "",
    guardrailId: "",
    rates: emptyLimits,
  });
  readonly guardrails = createResource((abort) => readGuardrailChoices(this.#deps.api, abort));
  /** Somebody has tried to send it: from then on it says what is missing. */
  readonly tried = signal(false);
  readonly refusal = signal<Error | undefined>(undefined);
  readonly made = signal<OperationResult<"keys.create"> | undefined>(undefined);
  readonly missing = signal<readonly MissingPart[]>([]);

  constructor(deps: NewKeyDeps) {
    this.#deps = deps;
    this.draft.value = { ...this.draft.value, workspaceId: deps.workspaceId };
  }

  readonly problems = computed(() => {
    const { name, limit } = this.draft.value;
    return {
      name: keyNameProblem(name, keyPanelText.nameMissing),
      limit: limitProblem(limit, keyPanelText.isBad),
      seconds: secondsProblem(this.draft.value),
      expiry: expiryProblem(this.draft.value, this.#deps.clock.now()),
      rates: rateLimitNames.some((name) => parseCount(this.draft.value.rates[name]) === undefined),
    };
  });
  /** The chosen day and time; undefined while one is missing. */
  readonly expiryMoment = computed(() => expiryMoment(this.draft.value));
  /** Guardrails that the chosen workspace may use. */
  readonly choices = computed(() =>
    choicesFor(this.guardrails.data.value ?? [], this.draft.value.workspaceId)
  );
  /** Undefined: none, or one that belongs to another workspace than is chosen now. */
  readonly guardrailId = computed(() =>
    this.choices.value.find(({ id }) => id === this.draft.value.guardrailId)?.id
  );

  type(changes: Partial<Draft>): void {
    this.draft.value = { ...this.draft.value, ...changes };
  }

  async create(): Promise<void> {
    this.tried.value = true;
    const { rates, ...problems } = this.problems.value;
    if (rates || Object.values(problems).some((problem) => problem !== undefined)) return;
    this.refusal.value = undefined;
    try {
      const idempotencyKey = this.#idempotencyKey;
      const made = await this.#deps.api.call(createKey, { body: this.#body(), idempotencyKey });
      await this.#give(made.data.hash, this.#wanted());
      this.made.value = made;
    } catch (error) {
      this.refusal.value = toError(error);
    }
  }

  /** Tries once more to give the key what it has not got. */
  async giveMissing(): Promise<void> {
    const hash = this.made.value?.data.hash;
    if (hash !== undefined) await this.#give(hash, this.missing.value.map(({ part }) => part));
  }

  #body() {
    const draft = this.draft.value;
    const limit = parseUsd(draft.limit) ?? null;
    const expiry = this.#expiry();
    return {
      name: draft.name.trim(),
      ...(draft.workspaceId === "" ? {} : { workspace_id: draft.workspaceId }),
      limit,
      limit_reset: limit === null || draft.reset === "none" ? null : draft.reset,
      include_byok_in_limit: draft.byok,
      ...(draft.cache
        ? { cache_enabled: true, cache_ttl_seconds: parseSeconds(draft.cacheSeconds) ?? null }
        : {}),
      expires_at: expiry === undefined ? null : new Date(expiry).toISOString(),
    };
  }

  /** When the key ends; undefined: never. */
  #expiry(): number | undefined {
    return expiryOf(this.draft.value, this.#firstTry ??= this.#deps.clock.now());
  }

  #wanted(): readonly LaterPart[] {
    const { rates } = this.draft.value;
    const limited = rateLimitNames.some((name) => rates[name].trim() !== "");
    return [
      ...(this.guardrailId.value === undefined ? [] : ["guardrail" as const]),
      ...(limited ? ["rateLimits" as const] : []),
    ];
  }

  async #give(hash: string, parts: readonly LaterPart[]): Promise<void> {
    const missing: MissingPart[] = [];
    for (const part of parts) {
      try {
        await this.#set[part](hash);
      } catch (error) {
        missing.push({ part, error: toError(error) });
      }
    }
    this.missing.value = missing;
  }

  readonly #set: { readonly [P in LaterPart]: (hash: string) => Promise<unknown> } = {
    guardrail: (hash) => {
      const id = this.guardrailId.value ?? "";
      return this.#deps.api.call(assign, { params: { id }, body: { key_hashes: [hash] } });
    },
    rateLimits: (hash) => {
      const body = limitsOf((name) => this.draft.value.rates[name]);
      return this.#deps.api.call(setLimits, { params: { hash }, body });
    },
  };
}
