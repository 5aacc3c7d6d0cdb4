/** Sessions: requests that name the same session, counted from the receipts that were looked through. */

import { computed } from "@preact/signals";
import type { ReceiptRecord } from "../../../shared/management/receipts.ts";
import { type ConsoleApi, operation } from "../../api.ts";
import { createResource } from "../../resource.ts";
import type { KeyNames } from "../keys/key_names.ts";
import type { RequestsModel } from "./requests.ts";

const listReceipts = operation<"receipts.list">("GET", "/receipts");

/** Receipts of a call, and calls until the user is asked whether to go on. */
const A_CALL = 100;
const MOST_CALLS = 10;

export interface SessionRow {
  readonly id: string;
  readonly keyHash: string;
  /** Models that answered, the latest first. */
  readonly models: readonly string[];
  /** Number of requests. */
  readonly turns: number;
  /** Number of requests that failed or were refused. */
  readonly bad: number;
  /** USD. */
  readonly cost: number;
  /** Time of all requests together, ms. */
  readonly ms: number;
  /** When the first of them began, and the last one. */
  readonly begunAt: string;
  readonly lastAt: string;
}

interface SessionList {
  readonly sessions: readonly SessionRow[];
  readonly next: string | undefined;
  /** Nothing that ended before it was looked at; null at the end. */
  readonly scannedUntil: string | null;
}

const isBad = ({ status }: ReceiptRecord): boolean =>
  status === "failed" || status === "refused" || status === "interrupted";

function withReceipt(session: SessionRow | undefined, receipt: ReceiptRecord): SessionRow {
  const { session_id: id = "", model, cost, total_ms, created_at: at, key_hash, stands_for: turns = 1 } =
    receipt;
  const own: SessionRow = {
    id: id ?? "",
    keyHash: key_hash,
    models: model === null ? [] : [model],
    turns,
    bad: isBad(receipt) ? turns : 0,
    cost,
    ms: total_ms,
    begunAt: at,
    lastAt: at,
  };
  if (session === undefined) return own;
  return {
    ...session,
    models: [...new Set([...session.models, ...own.models])],
    turns: session.turns + own.turns,
    bad: session.bad + own.bad,
    cost: session.cost + cost,
    ms: session.ms + total_ms,
    begunAt: at < session.begunAt ? at : session.begunAt,
    lastAt: at > session.lastAt ? at : session.lastAt,
  };
}

/** Adds receipts, of which the newest come first. */
function addToSessions(
  sessions: readonly SessionRow[],
  receipts: readonly ReceiptRecord[],
): readonly SessionRow[] {
  const byId = new Map(sessions.map((session) => [session.id, session]));
  for (const receipt of receipts) {
    const { session_id: id } = receipt;
    if (id !== null) byId.set(id, withReceipt(byId.get(id), receipt));
  }
  return [...byId.values()];
}

interface SessionsDeps {
  readonly api: Pick<ConsoleApi, "call">;
  readonly list: Pick<RequestsModel, "receiptQuery">;
  readonly keyNames: KeyNames;
}

export class SessionsModel {
  readonly #deps: SessionsDeps;
  /** The list that is gone on with; undefined where it begins anew. */
  #before: SessionList | undefined;
  readonly list = createResource((abort) => this.#read(abort));
  readonly sessions = computed(() => this.list.data.value?.sessions);

  constructor(deps: SessionsDeps) {
    this.#deps = deps;
  }

  /** Begins anew, with the filters of now. */
  async show(): Promise<void> {
    this.#before = undefined;
    await this.list.load();
  }

  /** Looks further back. */
  async goOn(): Promise<void> {
    this.#before = this.list.data.peek();
    await this.list.load();
  }

  async #read(abort: AbortSignal): Promise<SessionList> {
    const { api, list, keyNames } = this.#deps;
    const query = list.receiptQuery;
    let { sessions, next, scannedUntil }: SessionList = this.#before ??
      { sessions: [], next: undefined, scannedUntil: null };
    for (let calls = 0; calls < MOST_CALLS; calls++) {
      const page = await api.call(listReceipts, {
        query: { ...query, before: next, limit: A_CALL },
        signal: abort,
      });
      sessions = addToSessions(sessions, page.data);
      const names = new Map(Object.entries(page.key_names));
      keyNames.add(page.data.map(({ key_hash }) => key_hash), names);
      next = page.next ?? undefined;
      scannedUntil = page.scanned_until;
      if (next === undefined) break;
    }
    return { sessions, next, scannedUntil };
  }
}
