/** A new key's text, shown this once. */

import { useEffect, useMemo } from "preact/hooks";
import type { KeyRecord } from "../../../shared/keys.ts";
import { ClientSetup } from "../../components/client_setup.tsx";
import { Id } from "../../components/copy.tsx";
import type { ComponentChildren } from "preact";
import { SecretDialog } from "../../components/secret_dialog.tsx";
import { formatLimit, formatMoment } from "../../format.ts";
import { nextReset } from "../../models/keys/key_state.ts";
import { createdKeyText, keyPanelText, keysText } from "../../text/keys.ts";
import { resetOf } from "../../models/keys/key_edit.ts";
import { workspaceName } from "../../workspaces.ts";
import { app, whenConnected } from "../../app.ts";
import { keyModels } from "../../models/keys/key_models.ts";

function limitText(record: KeyRecord): string {
  if (record.limit === null) return keysText.noLimit;
  const at = nextReset(record.limit_reset, app.clock.now());
  const limit = `${formatLimit(record.limit)} ${keyPanelText.periods[resetOf(record)]}`;
  return at === undefined ? limit : `${limit}, first reset ${formatMoment(at)}`;
}

interface SetUpProps {
  readonly apiKey: string;
  /** Another one where the key may since call other models. */
  readonly revision: number;
}

/** Lines to paste, which name models that the key may call. */
function SetUp({ apiKey, revision }: SetUpProps) {
  const resource = useMemo(() => keyModels(apiKey, app), [apiKey]);
  useEffect(() => whenConnected(() => void resource.load()), [resource, revision]);
  const { value: models } = resource.data;
  const { value: failure } = resource.failure;
  return (
    <section class="set-up" aria-label={createdKeyText.setUp}>
      <h3>{createdKeyText.setUp}</h3>
      {failure !== undefined && <p class="small soft">{createdKeyText.modelsUnknown}</p>}
      {models?.length === 0 && <p class="small soft">{createdKeyText.noModels}</p>}
      {models === undefined && failure === undefined
        ? <span class="bone" />
        : <ClientSetup origin={location.origin} apiKey={apiKey} models={models} />}
    </section>
  );
}

export function CreatedKey({ record, text, revision = 0, onClose, children }: {
  readonly record: KeyRecord;
  /** The key itself. */
  readonly text: string;
  readonly revision?: SetUpProps["revision"];
  readonly onClose: () => void;
  /** Shown above the facts: what the key has not got. */
  readonly children?: ComponentChildren;
}) {
  return (
    <SecretDialog title={createdKeyText.title(record.name)} secret={text} wide onClose={onClose}>
      {children}
      <dl class="facts">
        <dt>{createdKeyText.workspace}</dt>
        <dd>{workspaceName(record.workspace_id)}</dd>
        <dt>{createdKeyText.limit}</dt>
        <dd>{limitText(record)}</dd>
        <dt>{createdKeyText.expires}</dt>
        <dd>{record.expires_at === null ? keyPanelText.neverExpires : formatMoment(record.expires_at)}</dd>
        <dt>{createdKeyText.hash}</dt>
        <dd>
          <Id id={record.hash} />
        </dd>
      </dl>
      <SetUp apiKey={text} revision={revision} />
    </SecretDialog>
  );
}
