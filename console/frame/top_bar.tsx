/** The line above every page: workspace, search, health, theme, sign out. */

import { app } from "../app.ts";
import { Icon, ThemeIcon } from "../components/icon.tsx";
import { frameText } from "../text/frame.ts";
import { switchTheme } from "../settings/theme_setting.ts";
import { HealthButton } from "./health.tsx";
import { drawerOpen } from "./rail.tsx";
import { SignOutButton } from "./sign_out_button.tsx";
import { WorkspaceSwitcher } from "./workspace_switcher.tsx";

const openPalette = () => {
  app.overlay.value = "palette";
};

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

function ManagerTools() {
  return (
    <>
      <WorkspaceSwitcher />
      <button type="button" class="search-box" onClick={openPalette}>
        <Icon name="search" />
        <span class="cut">{frameText.search}</span>
        <kbd class="push">{isMac ? "⌘ K" : "Ctrl K"}</kbd>
      </button>
    </>
  );
}

export function TopBar() {
  const manager = app.session.isManager.value;
  return (
    <header class="bar">
      <button
        type="button"
        class="button button-plain button-icon only-narrow"
        aria-label={frameText.menu}
        aria-expanded={drawerOpen.value}
        aria-controls="rail"
        onClick={() => {
          drawerOpen.value = !drawerOpen.value;
        }}
      >
        <Icon name="menu" />
      </button>
      {manager && <ManagerTools />}
      <span class="push row">
        {manager && (
          <button
            type="button"
            class="button button-icon button-plain only-narrow"
            aria-label={frameText.searchShort}
            onClick={openPalette}
          >
            <Icon name="search" />
          </button>
        )}
        {manager && <HealthButton />}
        <IconButton label={frameText.theme} onClick={switchTheme} />
        <span class="wide">
          <SignOutButton />
        </span>
      </span>
    </header>
  );
}

function IconButton({ label, onClick }: { readonly label: string; readonly onClick: () => void }) {
  return (
    <button
      type="button"
      class="button button-icon button-plain"
      aria-label={label}
      title={label}
      onClick={onClick}
    >
      <ThemeIcon />
    </button>
  );
}
