/**
 * Changes that a request may undergo on its way to a provider of its own wire: a closed list, which
 * docs/clients.md prints. All else arrives as it was sent.
 */

import { type Json, objects } from "../../mocks/published.ts";

export type FaithfulWire = "messages" | "chat" | "responses";

export interface DocumentedChange {
  readonly wire: FaithfulWire;
  readonly what: string;
  readonly why: string;
  /** The request as it arrives, for the part that this change is about. */
  readonly apply: (body: Json) => Json;
}

export const without = (object: Json, ...keys: readonly string[]): Json =>
  Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));

/** The body with its list of messages (or items) changed. */
export const onList =
  (key: string, change: (list: readonly Json[]) => readonly unknown[]) => (body: Json): Json =>
    Array.isArray(body[key]) ? { ...body, [key]: change(objects(body[key])) } : body;
