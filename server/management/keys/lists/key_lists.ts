/** Lists of API keys: by offset as the specification has them; searched, sorted and paged by cursor for people. */

import { ApiError } from "../../../../shared/errors.ts";
import type { KeySort } from "../../../../shared/management/lists/key_sorts.ts";
import type { KeyListQuery, KeyListResult, ListedKey } from "../../../../shared/management/keys.ts";
import type { ManagementDeps } from "../../core/management_deps.ts";
import { defaultWorkspaceId, noDefaultWorkspace } from "../../workspaces/default_workspace.ts";
import { workspaceCollection } from "../../workspaces/workspace_rows.ts";
import { readAllRecords } from "../../core/pages.ts";
import { readKeyRecords } from "../key_record.ts";
import { decodeKeyCursor, encodeKeyCursor, type KeyCursor } from "./key_cursor.ts";
import { areKeyWordsComplete } from "./key_index_fill.ts";
import { KeyPages } from "./key_pages.ts";
import { searchKeys, sortFound } from "./key_search.ts";
import { createKeyTest, type KeyTest } from "./key_states.ts";
import { KeySurveys } from "./key_survey.ts";
import { takePage, walkByCreation, walkByName, walkRanked } from "./key_walks.ts";
import { parseKeySearch } from "./key_words.ts";
import { LastUse } from "./last_use.ts";
import { TopSpenders } from "./top_spenders.ts";

const PAGE = 100;

/** Parts of a list request, once its parameters were read. */
interface ListRequest {
  readonly workspaces: readonly string[];
  readonly test: KeyTest;
  readonly sort: KeySort;
  readonly limit: number;
  readonly cursor: KeyCursor | undefined;
}

/** Throws an ApiError (400) for an offset into a list that has none. */
function isByOffset({ q, sort, state, cursor, limit, workspace_id, offset = 0 }: KeyListQuery): boolean {
  const isPlain = [q, sort, state, cursor].every((one) => one === undefined) && workspace_id !== "all";
  if (isPlain) return limit === undefined || offset > 0;
  if (offset === 0) return false;
  throw new ApiError(
    "invalid_request",
    "Cannot list keys: offset goes with neither q, sort, state, cursor nor workspace_id=all; " +
      "page by cursor and next",
    { metadata: { path: "offset" } },
  );
}

type KeyListDeps = Pick<ManagementDeps, "store" | "runtime" | "cacheVersions" | "ledger">;

export class KeyLists {
  readonly #deps: KeyListDeps;
  readonly #pages: KeyPages;
  readonly #spenders: TopSpenders;
  readonly #lastUse: LastUse;
  readonly #surveys: KeySurveys;
  #wordsComplete = false;

  constructor(deps: KeyListDeps) {
    this.#deps = deps;
    this.#pages = new KeyPages(deps);
    this.#spenders = new TopSpenders(deps);
    this.#lastUse = new LastUse(deps);
    this.#surveys = new KeySurveys(deps);
  }

  async read(query: KeyListQuery): Promise<KeyListResult> {
    if (isByOffset(query)) return { data: await this.#byOffset(query) };
    const { q, sort = "created", state, cursor, limit, workspace_id, include_disabled = false } = query;
    const request: ListRequest = {
      workspaces: await this.#workspacesOf(workspace_id),
      test: await createKeyTest({ ...this.#deps, lastUse: this.#lastUse }, {
        state,
        disabled: include_disabled,
      }),
      sort,
      limit: limit ?? PAGE,
      cursor: cursor === undefined ? undefined : decodeKeyCursor(cursor, sort),
    };
    return q === undefined ? await this.#list(request) : await this.#search(request, q);
  }

  /** All pages, for an export. */
  async *pages(
    query: Omit<KeyListQuery, "offset" | "limit" | "cursor">,
  ): AsyncGenerator<readonly ListedKey[]> {
    let cursor: string | undefined;
    do {
      const { data, next } = await this.read({ ...query, limit: PAGE, cursor });
      yield data;
      cursor = next ?? undefined;
    } while (cursor !== undefined);
  }

  async #byOffset(
    { workspace_id, offset = 0, limit = PAGE, include_disabled: disabled = false }: KeyListQuery,
  ): Promise<ListedKey[]> {
    const [of = ""] = await this.#workspacesOf(workspace_id);
    return await readKeyRecords(this.#deps, await this.#pages.hashesOf({ of, disabled, offset, limit }));
  }

  async #workspacesOf(wanted: string | undefined): Promise<readonly string[]> {
    const { store } = this.#deps;
    if (wanted === "all") return (await readAllRecords(workspaceCollection(store))).map(({ id }) => id);
    const of = wanted ?? await defaultWorkspaceId(store);
    if (of === undefined) throw noDefaultWorkspace("list keys");
    return [of];
  }

  async #list(request: ListRequest): Promise<KeyListResult> {
    const { workspaces, test, sort, limit } = request;
    const { walk, asOf } = await this.#walkOf(request);
    const { hashes, next } = await takePage(walk, { test, limit });
    return {
      data: await this.#serialize(hashes),
      next: next && encodeKeyCursor(next),
      total: test.byRecord === undefined ? await this.#surveys.count(workspaces, test) : null,
      ...(sort === "usage_monthly" ? { as_of: asOf } : {}),
    };
  }

  async #walkOf(request: ListRequest) {
    const { store } = this.#deps;
    const { sort, workspaces, test: { madeUntil } } = request;
    switch (sort) {
      case "created":
        return { walk: walkByCreation(store, { ...request, madeUntil }) };
      case "name":
        return { walk: walkByName(store, request) };
      case "usage_monthly": {
        const { top, asOf } = await this.#spenders.read();
        return {
          walk: walkRanked(store, { ...request, madeUntil, ranked: hashesWithin(top, workspaces) }),
          asOf,
        };
      }
      case "last_used": {
        const ranked = hashesWithin(await this.#lastUse.ranked(), workspaces);
        return { walk: walkRanked(store, { ...request, madeUntil, ranked }) };
      }
      case "expires":
        return {
          walk: walkRanked(store, { ...request, madeUntil, ranked: await this.#surveys.byEnd(workspaces) }),
        };
      default:
        return sort satisfies never;
    }
  }

  async #search({ limit, cursor, ...request }: ListRequest, q: string): Promise<KeyListResult> {
    const { store } = this.#deps;
    const { sort } = request;
    const { found, complete } = await searchKeys(store, { ...request, search: parseKeySearch(q) });
    const spent = sort === "usage_monthly" ? (await this.#spenders.read()).spent : new Map<string, number>();
    const uses = sort === "last_used" ? await this.#lastUse.read() : new Map();
    const hashes = sortFound(found, { sort, spent, uses });
    const from = cursor?.offset ?? 0;
    const end = from + limit;
    this.#wordsComplete ||= await areKeyWordsComplete(store);
    const isComplete = complete && this.#wordsComplete;
    return {
      data: await this.#serialize(hashes.slice(from, end)),
      next: end < hashes.length ? encodeKeyCursor({ sort, offset: end }) : null,
      total: isComplete ? hashes.length : null,
      ...(isComplete ? {} : { complete: false }),
    };
  }

  async #serialize(hashes: readonly string[]): Promise<ListedKey[]> {
    const [records, uses] = await Promise.all([
      readKeyRecords(this.#deps, hashes),
      this.#lastUse.readSoon(),
    ]);
    if (uses === undefined) return records;
    return records.map((record) => {
      const use = uses.get(record.hash);
      return { ...record, last_used_at: use === undefined ? null : new Date(use.at).toISOString() };
    });
  }
}

interface RankedKey {
  readonly hash: string;
  readonly workspaceId: string;
}

function hashesWithin(keys: readonly RankedKey[], workspaces: readonly string[]): readonly string[] {
  const wanted = new Set(workspaces);
  return keys.filter(({ workspaceId }) => wanted.has(workspaceId)).map(({ hash }) => hash);
}
