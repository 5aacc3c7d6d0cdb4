/** Tag rules: conditions on fields of receipts, and the tag that they put. Each opens in a panel. */

import { computed } from "@preact/signals";
import type { TagRuleRecord } from "../../shared/observability/tag_rules.ts";
import { app } from "../app.ts";
import { Page } from "../components/page.tsx";
import { Status } from "../components/status.tsx";
import type { Column } from "../components/table.tsx";
import { conditionsText, tagDraftOf } from "../models/tags/tag_draft.ts";
import { TagRulesModel } from "../models/tags/tag_rules.ts";
import { tagsText } from "../text/gateway/tags.ts";
import { chosenWorkspace, workspaceName } from "../workspaces.ts";
import { NewRow, ShortListView, useShortList } from "./access/short_list_view.tsx";
import { NewRule } from "./tags/new_rule.tsx";
import { RulePanel, ruleState } from "./tags/rule_panel.tsx";

function useModel(): TagRulesModel {
  const { api, router } = app;
  return useShortList(() =>
    new TagRulesModel({ api, router, workspaceId: computed(() => chosenWorkspace.value?.id) })
  );
}

function columnsOf(model: TagRulesModel): readonly Column<TagRuleRecord>[] {
  const { columns } = tagsText;
  return [
    {
      id: "name",
      head: columns.name,
      main: true,
      cell: ({ id, name, tag }) => (
        <>
          <button type="button" class="row-link" onClick={() => model.openPanel(id)}>
            <bdi>{name}</bdi>
          </button>
          <span class="sub mono">{tag}</span>
        </>
      ),
    },
    {
      id: "conditions",
      head: columns.conditions,
      shown: "wide-only",
      className: "soft",
      cell: (record) => <bdi>{conditionsText(tagDraftOf(record).conditions)}</bdi>,
    },
    {
      id: "workspace",
      head: columns.workspace,
      shown: "mid-only",
      className: "soft",
      cell: ({ workspace_id: id }) => <bdi>{workspaceName(id)}</bdi>,
    },
    {
      id: "state",
      head: columns.state,
      className: "state",
      cell: (record) => <Status {...ruleState(record)} />,
    },
  ];
}

export function page() {
  const model = useModel();
  const shown = model.opened.value;
  const { title, newRule, none, noneText, notFoundText } = tagsText;
  return (
    <>
      <Page title={title} actions={<NewRow model={model} text={newRule} />}>
        <ShortListView
          model={model}
          columns={columnsOf(model)}
          text={tagsText}
          none={{ icon: "check", title: none, text: noneText }}
          notFoundText={notFoundText}
          onShowAll={() => model.showAll()}
        />
      </Page>
      {shown !== undefined && <RulePanel key={shown.id} record={shown} list={model} />}
      {model.open.value === "new" && app.session.canChange.value && <NewRule list={model} />}
    </>
  );
}
