/** Which guardrail a key has. */

import { useEffect, useMemo } from "preact/hooks";
import type { KeyRecord } from "../../../shared/keys.ts";
import { app, whenConnected } from "../../app.ts";
import { SelectField } from "../../components/forms/field.tsx";
import { KeyGuardrailModel } from "../../models/keys/key_guardrail.ts";
import { keyPanelText } from "../../text/keys.ts";

const NONE = "";

export function KeyGuardrail({ hash, workspace_id: workspaceId }: KeyRecord) {
  const model = useMemo(() => new KeyGuardrailModel({ api: app.api, hash, workspaceId }), [hash]);
  useEffect(() => whenConnected(() => void model.guardrail.load()), [model]);
  const { choices, chosen } = model.guardrail.data.value ?? { choices: [], chosen: undefined };
  const problem = model.refusal.value ?? model.guardrail.failure.value;
  const choose = async (id: string) => {
    if (await model.choose(id === NONE ? undefined : id)) {
      app.toasts.show(keyPanelText.guardrailSaved, { tone: "good" });
    }
  };
  return (
    <section aria-label={keyPanelText.guardrail}>
      <h3>{keyPanelText.guardrail}</h3>
      <SelectField
        label={keyPanelText.guardrailOfKey}
        hint={keyPanelText.guardrailHint}
        problem={problem?.message}
        value={chosen ?? NONE}
        choices={[
          { value: NONE, text: keyPanelText.noGuardrail },
          ...choices.map(({ id, name }) => ({ value: id, text: name })),
        ]}
        disabled={!app.session.canChange.value || model.guardrail.data.value === undefined}
        onChange={(id) => void choose(id)}
      />
    </section>
  );
}
