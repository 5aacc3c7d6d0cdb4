/** The box above the figures; it is not there when nothing needs attention. */

import { app } from "../../app.ts";
import { Icon } from "../../components/icon.tsx";
import { type Notice, noticesOf } from "../../models/attention.ts";
import type { OverviewModel } from "../../models/overview.ts";
import { status } from "../../status.ts";
import { overviewText } from "../../text/overview.ts";
import { workspaceName } from "../../workspaces.ts";

function Act({ action }: Pick<Notice, "action">) {
  if ("path" in action) return <a href={app.router.link(action.path, action.query)}>{action.label}</a>;
  const open = () => {
    app.overlay.value = "health";
  };
  return <button type="button" class="link" onClick={open}>{action.label}</button>;
}

export function Attention({ model }: { readonly model: OverviewModel }) {
  const notices = noticesOf({
    status: status.data.value,
    list: model.attention.data.value,
    workspaceName,
  });
  if (notices.length === 0) return null;
  return (
    <section class="box" aria-label={overviewText.attention}>
      <ul class="notices">
        {notices.map(({ id, tone, subject, text, action }) => (
          <li key={id}>
            <Icon name={tone === "bad" ? "stop" : "alert"} tone={tone} />
            <p>
              <b>{subject}</b>
              {text}
            </p>
            <Act action={action} />
          </li>
        ))}
      </ul>
    </section>
  );
}
