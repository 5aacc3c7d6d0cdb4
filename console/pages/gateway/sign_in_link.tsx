/** A link by which a browser on the gateway's own machine signs in once. */

import { useAction } from "../../components/action_dialog.tsx";
import { Callout, Refusal } from "../../components/callout.tsx";
import { Secret } from "../../components/copy.tsx";
import { Section } from "../../components/page.tsx";
import { formatTime } from "../../format.ts";
import type { SessionsModel } from "../../models/gateway/sessions.ts";
import { linkText } from "../../text/gateway/settings.ts";

export function SignInLink({ model }: { readonly model: SessionsModel }) {
  const { busy, refusal, result, start } = useAction(() => model.makeLink());
  const made = result.value;
  return (
    <Section title={linkText.title}>
      <div class="box box-pad stack">
        <p class="soft">{linkText.text}</p>
        <Refusal title={linkText.failed} error={refusal.value} />
        {made !== undefined && (
          <>
            <Secret text={`${location.origin}/console#${made.token}`} />
            <Callout tone="good" live="status">
              <b>{linkText.ready}</b>
              <p class="soft">{linkText.until(formatTime(made.expires_at))}</p>
            </Callout>
          </>
        )}
        <div>
          <button type="button" class="button" disabled={busy.value} onClick={start}>{linkText.make}</button>
        </div>
      </div>
    </Section>
  );
}
