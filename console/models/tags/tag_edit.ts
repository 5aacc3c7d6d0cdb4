/** The panel of one tag rule, and what is changed of it before it is saved. */

import { computed } from "@preact/signals";
import type { TagRuleRecord } from "../../../shared/observability/tag_rules.ts";
import { type ConsoleApi, operation, type OperationBody } from "../../api.ts";
import type { Change } from "../../components/diff.tsx";
import { tagRuleFieldsText, tagsText } from "../../text/gateway/tags.ts";
import { EditModel } from "../edit_model.ts";
import { conditionsText, type TagDraft, tagDraftOf, tagFieldsOf, tagProblems } from "./tag_draft.ts";

const getRule = operation<"classifiers.get">("GET", "/observability/classifiers/:id");
const updateRule = operation<"classifiers.update">("PATCH", "/observability/classifiers/:id");

type TagChanges = OperationBody<"classifiers.update">;

function changesOf(draft: TagDraft, record: TagRuleRecord | undefined): TagChanges {
  if (record === undefined) return {};
  const before = new Map<string, unknown>(Object.entries(tagFieldsOf(tagDraftOf(record))));
  return Object.fromEntries(
    Object.entries(tagFieldsOf(draft)).filter(([name, value]) =>
      JSON.stringify(value) !== JSON.stringify(before.get(name))
    ),
  );
}

const draftNames = ["name", "tag", "enabled", "conditions"] as const;

function shownValue(name: (typeof draftNames)[number], draft: TagDraft): string {
  if (name === "enabled") return draft.enabled ? tagsText.on : tagsText.off;
  return name === "conditions" ? conditionsText(draft.conditions) : draft[name].trim() || "–";
}

interface TagEditDeps {
  readonly api: Pick<ConsoleApi, "call">;
  readonly known: TagRuleRecord;
  readonly onChange: (record: TagRuleRecord) => void;
}

export class TagEditModel extends EditModel<TagRuleRecord, TagDraft, TagChanges> {
  readonly #deps: TagEditDeps;

  constructor(deps: TagEditDeps) {
    const { api, known } = deps;
    super({
      known,
      draftOf: (record) => record && tagDraftOf(record),
      changesOf,
      read: async (signal) => {
        const { data } = await api.call(getRule, { params: { id: known.id }, signal });
        deps.onChange(data);
        return { body: data, etag: undefined };
      },
    });
    this.#deps = deps;
  }

  readonly problems = computed(() => tagProblems(this.draft.value ?? { name: "", tag: "" }));

  /** Before → after. */
  readonly changes = computed((): readonly Change[] => {
    const [before, draft] = [this.before.value, this.draft.value];
    if (before === undefined || draft === undefined) return [];
    return draftNames.filter((name) => shownValue(name, before) !== shownValue(name, draft)).map((name) => ({
      label: tagRuleFieldsText[name],
      before: shownValue(name, before),
      after: shownValue(name, draft),
    }));
  });
  readonly canSave = computed(() => {
    const { name, tag } = this.problems.value;
    return this.isChanged.value && name === undefined && tag === undefined && !this.saving.value;
  });

  async save(): Promise<boolean> {
    if (!this.canSave.value) return false;
    const [body, sent] = [this.body.value, this.typed.value];
    return await this.attempt(async () => {
      const { data } = await this.#deps.api.call(updateRule, { params: { id: this.#deps.known.id }, body });
      this.forget(sent);
      this.accept({ body: data, etag: undefined });
      this.#deps.onChange(data);
    });
  }
}
