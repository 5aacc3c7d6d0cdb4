/** One tag rule beside the list: what it looks at, and the tag that it puts. */

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { TagRuleRecord } from "../../../shared/observability/tag_rules.ts";
import { operation } from "../../api.ts";
import { app, whenConnected } from "../../app.ts";
import { DeleteDialog } from "../../components/action_dialog.tsx";
import { Id } from "../../components/copy.tsx";
import { RecordProblem } from "../../components/forms/record_problem.tsx";
import { SaveBar } from "../../components/forms/save_bar.tsx";
import { Icon } from "../../components/icon.tsx";
import { Panel } from "../../components/panel.tsx";
import { Status } from "../../components/status.tsx";
import { TagEditModel } from "../../models/tags/tag_edit.ts";
import type { TagRulesModel } from "../../models/tags/tag_rules.ts";
import { deleteTagText, tagPanelText, tagsText } from "../../text/gateway/tags.ts";
import { discardAndGo, useEditedRow } from "../../unsaved.ts";
import { workspaceName } from "../../workspaces.ts";
import { RuleFields } from "./rule_fields.tsx";

const deleteRule = operation<"classifiers.delete">("DELETE", "/observability/classifiers/:id");

export const ruleState = ({ enabled }: Pick<TagRuleRecord, "enabled">) => ({
  tone: enabled ? "good" : "off",
  text: enabled ? tagsText.on : tagsText.off,
} as const);

interface RulePanelProps {
  readonly record: TagRuleRecord;
  readonly list: TagRulesModel;
}

function Deletion({ record: { id, name }, list }: RulePanelProps) {
  const isOpen = useSignal(false);
  const show = (open: boolean) => () => {
    isOpen.value = open;
  };
  return (
    <section aria-label={tagPanelText.delete}>
      <div>
        <button type="button" class="button button-warn-text" onClick={show(true)}>
          <Icon name="trash" />
          {tagPanelText.delete}
        </button>
      </div>
      {isOpen.value && (
        <DeleteDialog
          name={name}
          text={deleteTagText}
          work={() => app.api.call(deleteRule, { params: { id } })}
          onDeleted={() => {
            isOpen.value = false;
            discardAndGo();
            list.remove(id);
          }}
          onClose={show(false)}
        >
          <p class="soft">{deleteTagText.text}</p>
        </DeleteDialog>
      )}
    </section>
  );
}

export function RulePanel({ record: known, list }: RulePanelProps) {
  const { api } = app;
  const model = useMemo(
    () => new TagEditModel({ api, known, onChange: (record) => list.replace(record) }),
    [known.id],
  );
  useEffect(() => whenConnected(() => void model.record.load()), [model]);
  useEditedRow({ row: known, list, editors: [model] });
  const record = model.saved.value ?? known;
  const draft = model.draft.value;
  const canChange = app.session.canChange.value;
  return (
    <Panel
      title={record.name}
      names={tagPanelText}
      about={
        <>
          <Status {...ruleState(record)} />
          <span class="faint">
            <bdi>{workspaceName(record.workspace_id)}</bdi>
          </span>
          <Id id={record.id} />
        </>
      }
      onPrevious={list.neighbor(-1)}
      onNext={list.neighbor(1)}
      onClose={() => list.closePanel()}
      foot={model.isChanged.value || model.saving.value
        ? <SaveBar model={model} saved={tagPanelText.saved} />
        : undefined}
    >
      <RecordProblem model={model} names={tagPanelText} />
      {draft !== undefined && (
        <section aria-label={tagPanelText.about}>
          <p class="wrap-text">
            <a href={app.router.link("/requests", { tag: record.tag })}>{tagsText.requests(record.tag)}</a>
          </p>
          <RuleFields
            draft={draft}
            problems={model.problems.value}
            disabled={!canChange}
            type={(changes) => model.type(changes)}
          />
        </section>
      )}
      {canChange && <Deletion record={record} list={list} />}
    </Panel>
  );
}
