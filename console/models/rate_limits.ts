/** Rate limits as they are typed: whole numbers, empty for none. */

import { computed, signal } from "@preact/signals";
import type { RateLimits } from "../../shared/rate_limits.ts";
import { rateLimitsSchema } from "../../shared/workspaces.ts";
import { createResource, toError } from "../resource.ts";
import { fieldProblem } from "./field_problem.ts";

export type LimitName = keyof RateLimits;

export interface RateLimitsDeps {
  readonly read: (signal: AbortSignal) => Promise<RateLimits>;
  readonly write: (limits: RateLimits) => Promise<RateLimits>;
}

/** Null for an empty field, undefined for what is no such number. */
export function parseCount(text: string): number | null | undefined {
  const plain = text.trim().replaceAll(",", "");
  if (plain === "") return null;
  const count = /^\d{1,15}$/.test(plain) ? Number(plain) : Number.NaN;
  return fieldProblem(rateLimitsSchema.shape.requests_per_minute, count) === undefined ? count : undefined;
}

/** Reads the limits of three fields; one that holds no number counts as empty. */
export function limitsOf(text: (name: LimitName) => string): RateLimits {
  const count = (name: LimitName) => parseCount(text(name)) ?? null;
  return {
    requests_per_minute: count("requests_per_minute"),
    tokens_per_minute: count("tokens_per_minute"),
    concurrent_streams: count("concurrent_streams"),
  };
}

export class RateLimitsModel {
  readonly #deps: RateLimitsDeps;
  readonly limits = createResource<RateLimits>((abort) => this.#deps.read(abort));
  readonly #typed = signal<Partial<Record<LimitName, string>>>({});
  readonly saving = signal(false);
  readonly refusal = signal<Error | undefined>(undefined);

  constructor(deps: RateLimitsDeps) {
    this.#deps = deps;
  }

  text(name: LimitName): string {
    const { requests_per_minute, tokens_per_minute, concurrent_streams } = this.#typed.value;
    const typed = { requests_per_minute, tokens_per_minute, concurrent_streams };
    return typed[name] ?? String(this.limits.data.value?.[name] ?? "");
  }

  isBad(name: LimitName): boolean {
    return parseCount(this.text(name)) === undefined;
  }

  type(name: LimitName, text: string): void {
    this.#typed.value = { ...this.#typed.value, [name]: text };
  }

  readonly changed = computed(() => {
    const limits = this.limits.data.value;
    return limits !== undefined &&
      limitNames.some((name) => !this.isBad(name) && parseCount(this.text(name)) !== limits[name]);
  });
  readonly canSave = computed(() =>
    this.changed.value && !this.saving.value && limitNames.every((name) => !this.isBad(name))
  );

  async save(): Promise<boolean> {
    this.saving.value = true;
    this.refusal.value = undefined;
    try {
      this.limits.set(await this.#deps.write(limitsOf((name) => this.text(name))));
      this.#typed.value = {};
      return true;
    } catch (error) {
      this.refusal.value = toError(error);
      return false;
    } finally {
      this.saving.value = false;
    }
  }
}

export const limitNames = ["requests_per_minute", "tokens_per_minute", "concurrent_streams"] as const;
