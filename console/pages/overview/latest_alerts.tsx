/** The newest alerts, where there are any. */

import { useEffect, useMemo } from "preact/hooks";
import type { AlertRecord } from "../../../shared/management/alerts.ts";
import { alertText } from "../../../shared/management/gateway/alert_text.ts";
import { app, whenConnected } from "../../app.ts";
import { Refusal } from "../../components/callout.tsx";
import { Icon } from "../../components/icon.tsx";
import { Section } from "../../components/page.tsx";
import { RelativeTime } from "../../components/relative_time.tsx";
import { alertTarget, alertTone, readLatestAlerts } from "../../models/gateway/alerts.ts";
import { createResource, type Resource } from "../../resource.ts";
import { alertKindNames, alertsText } from "../../text/gateway/alerts.ts";
import { chosenWorkspace } from "../../workspaces.ts";

function useAlerts(): Resource<readonly AlertRecord[]> {
  const [workspaceId, minute] = [chosenWorkspace.value?.id, app.minute.value];
  const alerts = useMemo(
    () =>
      createResource((signal) =>
        readLatestAlerts(app.api, { workspaceId: chosenWorkspace.peek()?.id, signal })
      ),
    [],
  );
  useEffect(() => whenConnected(() => void alerts.load()), [alerts, workspaceId, minute]);
  useEffect(() => () => alerts.stop(), [alerts]);
  return alerts;
}

export function LatestAlerts() {
  const { data: { value: alerts = [] }, failure } = useAlerts();
  if (failure.value !== undefined) return <Refusal title={alertsText.unreadable} error={failure.value} />;
  if (alerts.length === 0) return null;
  const all = app.router.link("/settings", { view: "alerts" });
  return (
    <Section title={alertsText.latest} action={<a href={all}>{alertsText.all}</a>}>
      <div class="box">
        <ul class="notices">
          {alerts.map(({ id, alert }) => {
            const tone = alertTone(alert);
            return (
              <li key={id}>
                <Icon name={tone === "bad" ? "stop" : "alert"} tone={tone} />
                <p>
                  <a href={app.router.link(...alertTarget(alert))}>{alertKindNames[alert.type]}</a>
                  <bdi>{` ${alertText(alert)}`}</bdi>
                </p>
                <span class="faint small">
                  <RelativeTime at={alert.timestamp} />
                </span>
              </li>
            );
          })}
        </ul>
      </div>
    </Section>
  );
}
