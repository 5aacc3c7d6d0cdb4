/** Settings: the configuration in force, sessions, credits, alerts, the backup and the checks. */

import type { ComponentChildren } from "preact";
import { app } from "../app.ts";
import { Page } from "../components/page.tsx";
import { settingsText, settingTabNames } from "../text/gateway/settings.ts";
import { Alerts } from "./gateway/alerts.tsx";
import { Backup } from "./gateway/backup.tsx";
import { Credits } from "./gateway/credits.tsx";
import { Doctor } from "./gateway/doctor.tsx";
import { SessionList } from "./gateway/session_list.tsx";
import { SettingList } from "./gateway/setting_list.tsx";

const views = ["settings", "sessions", "credits", "alerts", "backup", "doctor"] as const;
type View = (typeof views)[number];

const parts: { readonly [V in View]: () => ComponentChildren } = {
  settings: SettingList,
  sessions: SessionList,
  credits: Credits,
  alerts: Alerts,
  backup: Backup,
  doctor: Doctor,
};

export function page() {
  const view: View = views.find((one) => one === app.router.query.value.get("view")) ?? "settings";
  const Part = parts[view];
  return (
    <Page title={settingsText.title}>
      <nav class="tabs" aria-label={settingsText.title}>
        {views.map((one) => (
          <a
            key={one}
            href={app.router.link("/settings", { view: one === "settings" ? undefined : one })}
            aria-current={one === view ? "page" : undefined}
          >
            {settingTabNames[one]}
          </a>
        ))}
      </nav>
      <Part />
    </Page>
  );
}
