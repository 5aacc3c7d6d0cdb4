/** One operation beside the list: what it takes and answers, and a request that can be sent. */

import { computed, useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { app } from "../../app.ts";
import { ActionDialog, useAction } from "../../components/action_dialog.tsx";
import { Refusal } from "../../components/callout.tsx";
import { CodeBlock } from "../../components/copy.tsx";
import { TextAreaField, TextField } from "../../components/forms/field.tsx";
import { Panel } from "../../components/panel.tsx";
import {
  type ApiOperation,
  type ApiReferenceModel,
  ApiTrialModel,
} from "../../models/gateway/api_reference.ts";
import { asksFirst, canTry, isModelCall } from "../../models/gateway/api_rules.ts";
import { apiPanelText } from "../../text/gateway/api_reference.ts";
import { shownWorkspace } from "../../workspaces.ts";

const shownId = computed(() => shownWorkspace.value?.id);

interface TrialProps {
  readonly trial: ApiTrialModel;
}

const json = (value: unknown) => JSON.stringify(value, null, 2);

function RequestFields({ trial }: TrialProps) {
  const { operation, values, body } = trial;
  return (
    <>
      {operation.parameters.map(({ name, required, takes }) => (
        <TextField
          key={name}
          label={name}
          hint={required ? `${takes}, ${apiPanelText.required}` : takes}
          mono
          value={values.value.get(name) ?? ""}
          onInput={(value) => trial.set(name, value)}
        />
      ))}
      {operation.body !== undefined && (
        <TextAreaField
          label={apiPanelText.body}
          mono
          rows={Math.min(16, body.value.split("\n").length + 1)}
          value={body.value}
          onInput={(value) => {
            body.value = value;
          }}
        />
      )}
    </>
  );
}

function Confirm({ trial, onClose }: TrialProps & { readonly onClose: () => void }) {
  const { method, path } = trial.operation;
  const action = useAction(async () => {
    await trial.send();
    onClose();
  });
  return (
    <ActionDialog
      title={apiPanelText.confirm(method, path)}
      action={action}
      submit={apiPanelText.send(method)}
      danger
      failed={apiPanelText.failed}
      onClose={onClose}
    >
      <p>{method === "DELETE" ? apiPanelText.deletes : apiPanelText.replaces}</p>
    </ActionDialog>
  );
}

function Trial({ trial }: TrialProps) {
  const { method } = trial.operation;
  const isAsked = asksFirst(trial.operation);
  const asking = useSignal(false);
  const action = useAction(() => trial.send());
  const start = () => {
    if (isAsked) asking.value = true;
    else action.start();
  };
  return (
    <>
      <Refusal title={apiPanelText.failed} error={action.refusal.value} />
      <RequestFields trial={trial} />
      <p class="hint">{isModelCall(trial.operation) ? apiPanelText.asPlayground : apiPanelText.asSession}</p>
      <div class="row">
        <button
          type="button"
          class={`button ${isAsked ? "button-danger" : "button-primary"}`}
          disabled={action.busy.value || !trial.isComplete.value}
          onClick={start}
        >
          {apiPanelText.send(method)}
        </button>
      </div>
      {asking.value && (
        <Confirm
          trial={trial}
          onClose={() => {
            asking.value = false;
          }}
        />
      )}
    </>
  );
}

function Answer({ trial }: TrialProps) {
  const answer = trial.answer.value;
  return (
    <div role="status">
      {answer !== undefined && (
        <>
          <CodeBlock title={apiPanelText.answer(answer.status)} code={answer.text} />
          {answer.more > 0 && <p class="hint">{apiPanelText.more(answer.more)}</p>}
        </>
      )}
    </div>
  );
}

function Replies({ operation }: { readonly operation: ApiOperation }) {
  return (
    <section aria-label={apiPanelText.replies}>
      <h3>{apiPanelText.replies}</h3>
      <dl class="facts">
        {operation.replies.map(({ status, about }) => [
          <dt key={status} class="mono">{status}</dt>,
          <dd key={`${status}-about`}>{about}</dd>,
        ])}
      </dl>
    </section>
  );
}

export function ApiPanel({ operation, model }: {
  readonly operation: ApiOperation;
  readonly model: ApiReferenceModel;
}) {
  const trial = useMemo(
    () => new ApiTrialModel(operation, { api: app.api, workspaceId: shownId }),
    [operation],
  );
  const { method, path, summary, body, answer } = operation;
  return (
    <Panel
      title={`${method} ${path}`}
      about={<span>{summary}</span>}
      wide
      names={apiPanelText.names}
      onPrevious={model.neighbor(-1)}
      onNext={model.neighbor(1)}
      onClose={() => model.open(undefined)}
    >
      <section class="stack" aria-label={apiPanelText.parameters}>
        <h3>{apiPanelText.parameters}</h3>
        {canTry(operation) ? <Trial trial={trial} /> : <p class="hint">{apiPanelText.untried}</p>}
        <Answer trial={trial} />
      </section>
      <Replies operation={operation} />
      {body !== undefined && <CodeBlock title={apiPanelText.schema} code={json(body.schema)} />}
      {answer !== undefined && <CodeBlock title={apiPanelText.answerSchema} code={json(answer)} />}
    </Panel>
  );
}
