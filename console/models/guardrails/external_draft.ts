/** The external service of a guardrail as it is typed, and what it is in a body. */

import {
  type ExternalGuardrail,
  type GuardedSide,
  guardedSides,
} from "../../../shared/external_guardrail.ts";

export interface ExternalDraft {
  readonly url: string;
  /** Name of a variable; empty for none. */
  readonly header: string;
  /** Milliseconds. */
  readonly timeout: string;
  readonly fail: ExternalGuardrail["fail"];
  readonly on: readonly GuardedSide[];
}

/** With the values that the gateway takes by itself. */
export const newExternal: ExternalDraft = {
  url: "",
  header: "",
  timeout: "5000",
  fail: "closed",
  on: ["input", "output"],
};

export function externalDraftOf(stored: ExternalGuardrail | null): ExternalDraft | null {
  return stored && {
    url: stored.url,
    header: stored.header_env ?? "",
    timeout: String(stored.timeout_ms),
    fail: stored.fail,
    on: stored.on,
  };
}

/** Milliseconds as they are typed, also `5,000`. NaN for what is no whole number, which no schema takes. */
function parseTimeout(text: string): number {
  const plain = text.trim().replaceAll(",", "");
  return /^\d{1,9}$/.test(plain) ? Number(plain) : Number.NaN;
}

/** As an operation takes it. */
export function externalBody(draft: ExternalDraft | null): ExternalGuardrail | null {
  return draft && {
    type: "http",
    url: draft.url.trim(),
    header_env: draft.header.trim() || null,
    timeout_ms: parseTimeout(draft.timeout),
    fail: draft.fail,
    on: guardedSides.filter((side) => draft.on.includes(side)),
  };
}
