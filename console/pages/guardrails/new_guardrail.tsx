/** The panel of a new guardrail: the fields of one that exists, and the workspace, which cannot be changed later. */

import { useMemo } from "preact/hooks";
import { app } from "../../app.ts";
import { CreateFoot } from "../../components/forms/create_foot.tsx";
import { SelectField } from "../../components/forms/field.tsx";
import { Panel } from "../../components/panel.tsx";
import { GuardrailEditModel } from "../../models/guardrails/guardrail_edit.ts";
import type { GuardrailsModel } from "../../models/guardrails/guardrails.ts";
import { guardrailPanelText, guardrailsText } from "../../text/guardrails.ts";
import { chosenWorkspace, workspaces } from "../../workspaces.ts";
import { Builtins } from "./builtins.tsx";
import { ExternalService } from "./external_service.tsx";
import { Problem, saveOrShow, Views } from "./panel_parts.tsx";
import { Patterns } from "./patterns.tsx";
import { DataRules, LimitRules, Naming, RoutingRules } from "./rules.tsx";
import { Unreadable } from "./unreadable.tsx";
import { WordLists } from "./word_lists.tsx";
import { useUnsaved } from "../../unsaved.ts";

const ALL = "";

function WorkspaceChoice({ model }: { readonly model: GuardrailEditModel }) {
  return (
    <SelectField
      label={guardrailPanelText.workspace}
      hint={guardrailPanelText.workspaceHint}
      value={model.workspaceId.value ?? ALL}
      choices={[
        { value: ALL, text: guardrailsText.allWorkspaces },
        ...(workspaces.data.value ?? []).map(({ id, name }) => ({ value: id, text: name })),
      ]}
      onChange={(id) => {
        model.workspaceId.value = id === ALL ? null : id;
      }}
    />
  );
}

function useModel(list: GuardrailsModel): GuardrailEditModel {
  return useMemo(() => {
    const model = new GuardrailEditModel({
      api: app.api,
      id: undefined,
      onSaved: (record, warnings) => {
        list.keep(record, warnings);
        list.openPanel(record.id);
        app.toasts.show(guardrailPanelText.created(record.name), { tone: "good" });
      },
    });
    model.workspaceId.value = chosenWorkspace.peek()?.id ?? null;
    return model;
  }, []);
}

export function NewGuardrail({ list }: { readonly list: GuardrailsModel }) {
  const model = useModel(list);
  useUnsaved("open", [{ isChanged: () => model.isChanged.peek(), discard: () => model.discard() }]);
  const view = list.view.value === "filters" ? "filters" : "rules";
  const close = () => list.openPanel(undefined);
  return (
    <Panel
      title={guardrailPanelText.newTitle}
      names={guardrailPanelText}
      wide
      onClose={close}
      foot={
        <CreateFoot
          model={model}
          names={guardrailPanelText}
          onCancel={close}
          onCreate={() => saveOrShow(model, list)}
        />
      }
    >
      <Views views={["rules", "filters"]} current={view} />
      <Problem model={model} />
      {view === "filters"
        ? (
          <>
            <Builtins model={model} />
            <Patterns model={model} />
            <WordLists model={model} />
            <Unreadable model={model} />
            <ExternalService model={model} />
          </>
        )
        : (
          <>
            <Naming model={model}>
              <WorkspaceChoice model={model} />
            </Naming>
            <LimitRules model={model} />
            <RoutingRules model={model} />
            <DataRules model={model} />
          </>
        )}
    </Panel>
  );
}
