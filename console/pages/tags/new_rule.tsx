/** The dialog that makes a tag rule. */

import { useSignal } from "@preact/signals";
import { operation } from "../../api.ts";
import { app } from "../../app.ts";
import { ActionDialog, useAction } from "../../components/action_dialog.tsx";
import { SelectField } from "../../components/forms/field.tsx";
import { emptyTagDraft, tagFieldsOf, tagProblems } from "../../models/tags/tag_draft.ts";
import type { TagRulesModel } from "../../models/tags/tag_rules.ts";
import { tagPanelText, tagRuleFieldsText } from "../../text/gateway/tags.ts";
import { chosenWorkspace, workspaces } from "../../workspaces.ts";
import { RuleFields } from "./rule_fields.tsx";

const createRule = operation<"classifiers.create">("POST", "/observability/classifiers");

export function NewRule({ list }: { readonly list: TagRulesModel }) {
  const draft = useSignal(emptyTagDraft);
  const workspaceId = useSignal((chosenWorkspace.peek() ?? workspaces.data.peek()?.[0])?.id ?? "");
  const tried = useSignal(false);
  const problems = tagProblems(draft.value);
  const action = useAction(async () => {
    tried.value = true;
    if (problems.name !== undefined || problems.tag !== undefined) return;
    const body = { ...tagFieldsOf(draft.value), workspace_id: workspaceId.value || undefined };
    const { data } = await app.api.call(createRule, { body });
    app.toasts.show(tagPanelText.created(data.name), { tone: "good" });
    app.router.setQuery({ open: data.id });
    await list.list.load();
  });
  return (
    <ActionDialog
      title={tagPanelText.title}
      wide
      action={action}
      submit={action.busy.value ? tagPanelText.creating : tagPanelText.create}
      failed={tagPanelText.notCreated}
      onClose={() => list.openPanel(undefined)}
    >
      <SelectField
        label={tagRuleFieldsText.workspace}
        value={workspaceId.value}
        choices={(workspaces.data.value ?? []).map(({ id, name }) => ({ value: id, text: name }))}
        onChange={(id) => {
          workspaceId.value = id;
        }}
      />
      <RuleFields
        draft={draft.value}
        problems={tried.value ? problems : {}}
        type={(changes) => {
          draft.value = { ...draft.value, ...changes };
        }}
      />
    </ActionDialog>
  );
}
