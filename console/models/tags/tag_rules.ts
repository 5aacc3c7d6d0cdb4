/** The page of tag rules: all of them, narrowed by workspace. */

import type { ReadonlySignal } from "@preact/signals";
import type { TagRuleRecord } from "../../../shared/observability/tag_rules.ts";
import { type ConsoleApi, operation } from "../../api.ts";
import type { Router } from "../../router.ts";
import { ShortList } from "../access/short_list.ts";

const listRules = operation<"classifiers.list">("GET", "/observability/classifiers");

interface TagRulesDeps {
  readonly api: Pick<ConsoleApi, "call">;
  readonly router: Pick<Router, "query" | "setQuery">;
  /** The workspace that the switcher chose; undefined for all. */
  readonly workspaceId: ReadonlySignal<string | undefined>;
}

export class TagRulesModel extends ShortList<TagRuleRecord> {
  readonly #router: TagRulesDeps["router"];

  constructor({ api, router, workspaceId }: TagRulesDeps) {
    super({
      router,
      read: (query, signal) => api.call(listRules, { query, signal }),
      idOf: ({ id }) => id,
      textOf: ({ name, tag }) => `${name} ${tag}`,
      isShown: ({ workspace_id }) => workspaceId.value === undefined || workspace_id === workspaceId.value,
    });
    this.#router = router;
  }

  showAll(): void {
    this.#router.setQuery({ q: undefined, workspace: undefined });
  }
}
