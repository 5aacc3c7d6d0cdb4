/** One guardrail beside the list: what it asks for, its filters, who has it, and what it did. */

import { useEffect, useMemo } from "preact/hooks";
import type { GuardrailRecord } from "../../../shared/guardrails.ts";
import { app, whenConnected } from "../../app.ts";
import { Callout } from "../../components/callout.tsx";
import { Id } from "../../components/copy.tsx";
import { Icon } from "../../components/icon.tsx";
import { Panel } from "../../components/panel.tsx";
import { SaveBar } from "../../components/forms/save_bar.tsx";
import { GuardrailEditModel } from "../../models/guardrails/guardrail_edit.ts";
import { fieldName } from "../../models/guardrails/guardrail_problems.ts";
import { GuardrailTrialModel } from "../../models/guardrails/guardrail_trial.ts";
import { type GuardrailsModel, guardrailViews } from "../../models/guardrails/guardrails.ts";
import { guardrailPanelText, guardrailsText } from "../../text/guardrails.ts";
import { workspaceName } from "../../workspaces.ts";
import { Builtins } from "./builtins.tsx";
import { ExternalService } from "./external_service.tsx";
import { Holders } from "./holders.tsx";
import { Lately } from "./lately.tsx";
import { Problem, saveOrShow, Views } from "./panel_parts.tsx";
import { Patterns } from "./patterns.tsx";
import { DataRules, LimitRules, Naming, RoutingRules } from "./rules.tsx";
import { Trial } from "./trial.tsx";
import { Unreadable } from "./unreadable.tsx";
import { WordLists } from "./word_lists.tsx";
import { useEditedRow } from "../../unsaved.ts";

interface GuardrailPanelProps {
  readonly guardrail: GuardrailRecord;
  readonly list: GuardrailsModel;
}

/** Shows the warnings of the gateway on the last save. */
function Warnings({ guardrail, list }: GuardrailPanelProps) {
  const warnings = list.warnings.value;
  if (warnings?.id !== guardrail.id) return null;
  return (
    <Callout tone="warn" live="status">
      <b>{guardrailPanelText.warnings}</b>
      <ul class="stack-small">
        {warnings.list.map(({ path, message }) => (
          <li key={`${path} ${message}`}>
            <b>{fieldName(path, guardrail)}:</b> {message}
          </li>
        ))}
      </ul>
    </Callout>
  );
}

function Deletion({ guardrail, list }: GuardrailPanelProps) {
  return (
    <section aria-label={guardrailPanelText.delete}>
      <h3>{guardrailPanelText.delete}</h3>
      <p class="small soft">{guardrailPanelText.deleteHint}</p>
      <div>
        <button type="button" class="button button-warn-text" onClick={() => list.openDelete(guardrail.id)}>
          <Icon name="trash" />
          {guardrailPanelText.deleteButton}
        </button>
      </div>
    </section>
  );
}

function Rules({ guardrail, list, model }: GuardrailPanelProps & { readonly model: GuardrailEditModel }) {
  const canDelete = app.session.canChange.value && !list.isDefault(guardrail);
  return (
    <>
      <Naming model={model} />
      <LimitRules model={model} />
      <RoutingRules model={model} />
      <DataRules model={model} />
      {canDelete && <Deletion guardrail={guardrail} list={list} />}
    </>
  );
}

/** The part of the panel that is chosen. What is typed stays while others are looked at. */
function View({ guardrail, list, model, trial }: GuardrailPanelProps & {
  readonly model: GuardrailEditModel;
  readonly trial: GuardrailTrialModel;
}) {
  const view = list.view.value;
  switch (view) {
    case "rules":
      return <Rules guardrail={guardrail} list={list} model={model} />;
    case "filters":
      return (
        <>
          <Builtins model={model} />
          <Patterns model={model} />
          <WordLists model={model} />
          <Unreadable model={model} />
          <ExternalService model={model} />
        </>
      );
    case "holders":
      return <Holders guardrail={guardrail} list={list} />;
    case "trial":
      return <Trial model={trial} isChanged={model.isChanged.value} />;
    case "receipts":
      return <Lately id={guardrail.id} />;
  }
  return view satisfies never;
}

function useModels({ guardrail, list }: GuardrailPanelProps) {
  const { id } = guardrail;
  const model = useMemo(() =>
    new GuardrailEditModel({
      api: app.api,
      id,
      known: guardrail,
      onSaved: (record, warnings) => list.keep(record, warnings),
    }), [id]);
  const trial = useMemo(() => new GuardrailTrialModel({ api: app.api, id }), [id]);
  useEffect(() => whenConnected(() => void model.record.load()), [model]);
  useEditedRow({ row: guardrail, list, editors: [model] });
  return { model, trial };
}

function About({ guardrail, list }: GuardrailPanelProps) {
  const { id, workspace_id: of } = guardrail;
  return (
    <>
      {list.isDefault(guardrail) && <span class="badge">{guardrailsText.isDefault}</span>}
      <span class="faint">{of === null ? guardrailsText.allWorkspaces : workspaceName(of)}</span>
      <Id id={id} />
    </>
  );
}

export function GuardrailPanel({ guardrail, list }: GuardrailPanelProps) {
  const { model, trial } = useModels({ guardrail, list });
  const move = (step: 1 | -1) => {
    const next = list.neighbor(step);
    return next === undefined ? undefined : () => list.openPanel(next);
  };
  const close = () => {
    list.openPanel(undefined);
    document.querySelector<HTMLElement>('tr[aria-current="true"] .row-link')?.focus();
  };
  const foot = (
    <SaveBar
      model={model}
      onSave={() => saveOrShow(model, list)}
      saved={guardrailPanelText.saved}
    />
  );
  return (
    <Panel
      title={guardrail.name}
      names={guardrailPanelText}
      wide
      about={<About guardrail={guardrail} list={list} />}
      onPrevious={move(-1)}
      onNext={move(1)}
      onClose={close}
      foot={model.isChanged.value || model.saving.value ? foot : undefined}
    >
      <Views views={guardrailViews} current={list.view.value} />
      <Problem model={model} />
      <Warnings guardrail={guardrail} list={list} />
      {list.isDefault(guardrail) && <p class="small soft">{guardrailPanelText.defaultHint}</p>}
      <View guardrail={guardrail} list={list} model={model} trial={trial} />
    </Panel>
  );
}
