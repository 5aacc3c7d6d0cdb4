/** The backup of the store as a download, once the key's name was typed. */

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { queryOf } from "../../api.ts";
import { app, whenConnected } from "../../app.ts";
import { Callout } from "../../components/callout.tsx";
import { TextField } from "../../components/forms/field.tsx";
import { Icon } from "../../components/icon.tsx";
import { FailureBox, Section } from "../../components/page.tsx";
import { SettingsModel } from "../../models/gateway/settings.ts";
import { backupText, settingsText } from "../../text/gateway/settings.ts";

function Download({ name }: { readonly name: string }) {
  const typed = useSignal("");
  const isConfirmed = typed.value === name;
  const address = `/console/api/backup${queryOf({ confirm: name })}`;
  return (
    <>
      <TextField
        label={backupText.confirm(name)}
        hint={backupText.confirmHint}
        value={typed.value}
        onInput={(text) => {
          typed.value = text;
        }}
      />
      <div>
        {isConfirmed
          ? (
            <a class="button button-primary" href={address} download>
              <Icon name="download" />
              {backupText.submit}
            </a>
          )
          : (
            <button type="button" class="button button-primary" disabled>
              <Icon name="download" />
              {backupText.submit}
            </button>
          )}
      </div>
    </>
  );
}

export function Backup() {
  const model = useMemo(() => new SettingsModel(app), []);
  useEffect(() => whenConnected(() => void model.installation.load()), [model]);
  useEffect(() => () => model.installation.stop(), [model]);
  const [kind, failure] = [model.installation.data.value?.store.kind, model.installation.failure.value];
  if (failure !== undefined) {
    return (
      <FailureBox
        title={settingsText.unreadable}
        failure={failure}
        onRetry={() => void model.installation.load()}
      />
    );
  }
  const name = app.session.current.value?.name ?? "";
  return (
    <Section title={backupText.title}>
      <div class="box box-pad stack">
        {kind === undefined && <span class="bone" />}
        {(kind === "postgres" || kind === "assigned") && <p>{backupText.elsewhere[kind]}</p>}
        {kind === "embedded" && (
          <>
            <p class="soft">{backupText.text}</p>
            <Callout tone="warn">
              <p>{backupText.secret}</p>
            </Callout>
            {app.session.canChange.value ? <Download name={name} /> : <p>{backupText.mayNot}</p>}
          </>
        )}
      </div>
    </Section>
  );
}
