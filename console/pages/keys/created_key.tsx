/** A new key's text, shown this once. */

import { useSignal } from "@preact/signals";
import type { KeyRecord } from "../../../shared/keys.ts";
import { Callout } from "../../components/callout.tsx";
import { ClientSetup } from "../../components/client_setup.tsx";
import { Id, Secret } from "../../components/copy.tsx";
import type { ComponentChildren } from "preact";
import { Dialog } from "../../components/dialog.tsx";
import { formatLimit, formatMoment } from "../../format.ts";
import { nextReset } from "../../models/keys/key_state.ts";
import { createdKeyText, keyPanelText, keysText } from "../../text/keys.ts";
import { resetOf } from "../../models/keys/key_edit.ts";
import { workspaceName } from "../../workspaces.ts";
import { app } from "../../app.ts";

function limitText(record: KeyRecord): string {
  if (record.limit === null) return keysText.noLimit;
  const at = nextReset(record.limit_reset, app.clock.now());
  const limit = `${formatLimit(record.limit)} ${keyPanelText.periods[resetOf(record)]}`;
  return at === undefined ? limit : `${limit}, first reset ${formatMoment(at)}`;
}

export function CreatedKey({ record, text, onClose, children }: {
  readonly record: KeyRecord;
  /** The key itself. */
  readonly text: string;
  readonly onClose: () => void;
  /** Shown above the facts: what the key has not got. */
  readonly children?: ComponentChildren;
}) {
  const stored = useSignal(false);
  return (
    <Dialog
      title={createdKeyText.title(record.name)}
      mustAnswer
      wide
      onClose={onClose}
      foot={
        <>
          <label class="row small push soft">
            <input
              class="check"
              type="checkbox"
              checked={stored.value}
              onChange={(event) => {
                stored.value = event.currentTarget.checked;
              }}
            />
            {createdKeyText.stored}
          </label>
          <button type="button" class="button button-primary" disabled={!stored.value} onClick={onClose}>
            {createdKeyText.done}
          </button>
        </>
      }
    >
      <Callout tone="warn">
        <p>{createdKeyText.once}</p>
      </Callout>
      <Secret text={text} />
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
      <section class="set-up" aria-label={createdKeyText.setUp}>
        <h3>{createdKeyText.setUp}</h3>
        <ClientSetup origin={location.origin} apiKey={text} />
      </section>
    </Dialog>
  );
}
