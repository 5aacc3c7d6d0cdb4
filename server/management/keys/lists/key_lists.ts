/** Lists of API keys: by offset as the specification has them; searched, sorted and paged by cursor for people. */

import { ApiError } from "../../../../shared/errors.ts";
import type { KeyListQuery, KeyListResult } from "../../../../shared/management/keys.ts";
import type { ManagementDeps } from "../../core/management_deps.ts";
import { defaultWorkspaceId, noDefaultWorkspace } from "../../workspaces/default_workspace.ts";
import { workspaceCollection } from "../../workspaces/workspace_rows.ts";
import { readAllRecords } from "../../core/pages.ts";
import { decodeKeyCursor, encodeKeyCursor, type KeyCursor } from "./key_cursor.ts";
import { areKeyWordsComplete } from "./key_index_fill.ts";
import { KeyPages } from "./key_pages.ts";
import { readKeyRecords } from "../key_record.ts";
import { type FoundHashes, listByCreation, listByName, searchKeys, sortFound } from "./key_search.ts";
import { parseKeySearch } from "./key_words.ts";
import { TopSpenders } from "./top_spenders.ts";

const PAGE = 100;

/** Parts of a list request, once its parameters were read. */
interface ListRequest {
  readonly workspaces: readonly string[];
  readonly disabled: boolean;
  readonly limit: number;
  readonly cursor: KeyCursor | undefined;
}

/** Throws an ApiError (400) for an offset into a list that has none. */
function isByOffset({ q, sort, cursor, limit, workspace_id, offset = 0 }: KeyListQuery): boolean {
  const isPlain = [q, sort, cursor].every((one) => one === undefined) && workspace_id !== "all";
  if (isPlain) return limit === undefined || offset > 0;
  if (offset === 0) return false;
  throw new ApiError(
    "invalid_request",
    "Cannot list keys: offset goes with neither q, sort, cursor nor workspace_id=all; page by cursor and next",
    { metadata: { path: "offset" } },
  );
}

export class KeyLists {
  readonly #deps: ManagementDeps;
  readonly #pages: KeyPages;
  readonly #spenders: TopSpenders;
  #wordsComplete = false;

  constructor(deps: ManagementDeps) {
    this.#deps = deps;
    this.#pages = new KeyPages(deps);
    this.#spenders = new TopSpenders(deps);
  }

  async read(query: KeyListQuery): Promise<KeyListResult> {
    const { q, sort, cursor, limit, workspace_id, include_disabled: disabled = false } = query;
    if (isByOffset(query)) return { data: await this.#byOffset(query) };
    const request: ListRequest = {
      workspaces: await this.#workspacesOf(workspace_id),
      disabled,
      limit: limit ?? PAGE,
      cursor: cursor === undefined ? undefined : decodeKeyCursor(cursor, sort ?? "created"),
    };
    if (q !== undefined) return await this.#search(request, query);
    if (sort === "usage_monthly") return await this.#bySpend(request);
    const list = sort === "name" ? listByName : listByCreation;
    const { hashes, next } = await list(this.#deps.store, request);
    return { data: await readKeyRecords(this.#deps, hashes), next: next && encodeKeyCursor(next) };
  }

  async #byOffset(
    { workspace_id, offset = 0, limit = PAGE, include_disabled: disabled = false }: KeyListQuery,
  ) {
    const [of = ""] = await this.#workspacesOf(workspace_id);
    return await readKeyRecords(
      this.#deps,
      await this.#pages.hashesOf({ of, disabled, offset, limit }),
    );
  }

  async #workspacesOf(wanted: string | undefined): Promise<readonly string[]> {
    const { store } = this.#deps;
    if (wanted === "all") return (await readAllRecords(workspaceCollection(store))).map(({ id }) => id);
    const of = wanted ?? await defaultWorkspaceId(store);
    if (of === undefined) throw noDefaultWorkspace("list keys");
    return [of];
  }

  async #search(request: ListRequest, { q = "", sort = "created" }: KeyListQuery): Promise<KeyListResult> {
    const { store } = this.#deps;
    const { found, complete } = await searchKeys(store, { ...request, search: parseKeySearch(q) });
    const spent = sort === "usage_monthly" ? (await this.#spenders.read()).spent : new Map<string, number>();
    const page = this.#pageOf(sortFound(found, { sort, spent }), request);
    this.#wordsComplete ||= await areKeyWordsComplete(store);
    return {
      ...await this.#serialize(page, sort),
      ...(complete && this.#wordsComplete ? {} : { complete: false }),
    };
  }

  async #bySpend(request: ListRequest): Promise<KeyListResult> {
    const { top, asOf } = await this.#spenders.read();
    const wanted = new Set(request.workspaces);
    const own = top.filter(({ workspaceId }) => wanted.has(workspaceId)).map(({ hash }) => hash);
    const page = await this.#serialize(this.#pageOf(own, request), "usage_monthly");
    const data = page.data.filter((key) => request.disabled || !key.disabled);
    return { ...page, data, as_of: asOf };
  }

  /** A page of a list that is in memory, whose cursor is a place in it. */
  #pageOf(
    hashes: readonly string[],
    { cursor, limit }: ListRequest,
  ): FoundHashes & { readonly end: number | null } {
    const from = cursor?.offset ?? 0;
    const end = from + limit < hashes.length ? from + limit : null;
    return { hashes: hashes.slice(from, from + limit), end };
  }

  async #serialize(page: FoundHashes & { readonly end: number | null }, sort: KeyCursor["sort"]) {
    const next = page.end === null ? null : encodeKeyCursor({ sort, offset: page.end });
    return { data: await readKeyRecords(this.#deps, page.hashes), next };
  }
}
