/** Narrows every page to one workspace. The choice is in the URL and goes along from page to page. */

import { useEffect } from "preact/hooks";
import { app, whenConnected } from "../app.ts";
import { Icon } from "../components/icon.tsx";
import { frameText } from "../text/frame.ts";
import { chosenWorkspace, workspaces } from "../workspaces.ts";

export function WorkspaceSwitcher() {
  useEffect(() => whenConnected(() => void workspaces.load()), []);
  const chosen = chosenWorkspace.value;
  return (
    <span class="button button-plain switcher chip-select">
      <span class="cut" aria-hidden="true">{chosen?.name ?? frameText.allWorkspaces}</span>
      <Icon name="arrow_down" />
      <select
        aria-label={frameText.workspace}
        onChange={(event) => app.router.setQuery({ workspace: event.currentTarget.value }, { push: true })}
      >
        <option value="" selected={chosen === undefined}>{frameText.allWorkspaces}</option>
        {(workspaces.data.value ?? []).map(({ id, slug, name }) => (
          <option key={id} value={slug} selected={id === chosen?.id}>{name}</option>
        ))}
      </select>
    </span>
  );
}
