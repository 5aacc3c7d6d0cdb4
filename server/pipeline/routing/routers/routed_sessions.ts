/** The models by which conversations were answered, so that later turns stay with them while they may. */

import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import type { Item } from "../../../protocols/canonical/item.ts";
import { shortHash } from "../selection/hash.ts";

/** Milliseconds after the last success for which a conversation is remembered. */
export const KEPT_MS = 600_000;
const MOST_SESSIONS = 20_000;

interface Answered {
  readonly model: string;
  /** Monotonic ms. */
  readonly until: number;
}

/** In memory and of this instance: another one chooses by itself, and mostly comes to the same model. */
export class RoutedSessions {
  readonly #clock: { monotonic(): number };
  /** The one that was answered last stands last. */
  readonly #answered = new Map<string, Answered>();

  constructor(clock: { monotonic(): number }) {
    this.#clock = clock;
  }

  modelOf(session: string): string | undefined {
    const known = this.#answered.get(session);
    return known === undefined || known.until <= this.#clock.monotonic() ? undefined : known.model;
  }

  remember(session: string, model: string): void {
    this.#answered.delete(session);
    this.#answered.set(session, { model, until: this.#clock.monotonic() + KEPT_MS });
    if (this.#answered.size <= MOST_SESSIONS) return;
    const [oldest] = this.#answered.keys();
    if (oldest !== undefined) this.#answered.delete(oldest);
  }
}

/** Characters that are read of the system's and of the first other message each. */
const START_CHARS = 2_048;

interface Routed {
  /** Workspace of the caller: nobody meets the conversations of another one. */
  readonly workspaceId: string;
  /** Slug of the router. */
  readonly slug: string;
  readonly request: ModelRequest;
}

/** Key of the conversation that a request belongs to: by its session's id, else by how it begins. */
export function sessionKey({ workspaceId, slug, request }: Routed): string {
  const { sessionId } = request;
  const conversation = sessionId === undefined || sessionId === ""
    ? `start\0${beginningOf(request)}`
    : `session\0${sessionId}`;
  return `${workspaceId}\0${slug}\0${shortHash(conversation)}`;
}

function beginningOf({ instructions, input }: ModelRequest): string {
  const system = instructions ?? textOf(input.find(isSystem));
  return `${system.slice(0, START_CHARS)}\0${textOf(input.find((item) => !isSystem(item)))}`;
}

const isSystem = (item: Item): boolean =>
  item.type === "message" && (item.role === "system" || item.role === "developer");

function textOf(item: Item | undefined): string {
  if (item?.type !== "message") return item?.type ?? "";
  return item.parts.map((part) => "text" in part ? part.text.slice(0, START_CHARS) : part.type).join("\0")
    .slice(0, START_CHARS);
}
