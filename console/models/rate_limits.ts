/** Rate limits as they are typed: whole numbers, empty for none. */

import { computed } from "@preact/signals";
import {
  eachRateLimit,
  type RateLimitName,
  rateLimitNames,
  type RateLimits,
} from "../../shared/rate_limits.ts";
import { rateLimitsSchema } from "../../shared/workspaces.ts";
import { EditModel } from "./edit_model.ts";
import { fieldProblem } from "./field_problem.ts";

interface RateLimitsDeps {
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
export function limitsOf(text: (name: RateLimitName) => string): RateLimits {
  const count = (name: RateLimitName) => parseCount(text(name)) ?? null;
  return eachRateLimit(count);
}

type Draft = { readonly [N in RateLimitName]: string };

const limitText = (limit: number | null): string => limit === null ? "" : String(limit);

const draftOf = (limits: RateLimits): Draft => eachRateLimit((name) => limitText(limits[name]));

function changesOf(draft: Draft, limits: RateLimits | undefined): Partial<RateLimits> {
  const changed = rateLimitNames.flatMap((name) => {
    const count = parseCount(draft[name]);
    return count === undefined || count === limits?.[name] ? [] : [[name, count]];
  });
  return Object.fromEntries(changed);
}

export const emptyLimits: Draft = eachRateLimit(() => "");

export class RateLimitsModel extends EditModel<RateLimits, Draft, Partial<RateLimits>> {
  readonly #write: RateLimitsDeps["write"];

  constructor({ read, write }: RateLimitsDeps) {
    super({
      draftOf: (limits) => limits && draftOf(limits),
      changesOf,
      // Limits are written as a whole and have no version.
      read: async (signal) => ({ body: await read(signal), etag: undefined }),
    });
    this.#write = write;
  }

  text(name: RateLimitName): string {
    return (this.draft.value ?? emptyLimits)[name];
  }

  readonly canSave = computed(() =>
    this.isChanged.value && !this.saving.value &&
    rateLimitNames.every((name) => parseCount(this.text(name)) !== undefined)
  );

  save(): Promise<boolean> {
    return this.attempt(async () => {
      const sent = this.typed.value;
      const body = await this.#write(limitsOf((name) => this.text(name)));
      this.accept({ body, etag: undefined });
      this.forget(sent);
    });
  }
}
