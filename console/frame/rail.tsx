/** The pages, and who is signed in. A drawer on narrow screens. */

import { signal, useSignalEffect } from "@preact/signals";
import { app } from "../app.ts";
import { Icon, Mark } from "../components/icon.tsx";
import { useKeys } from "../components/use_keys.ts";
import { formatTime } from "../format.ts";
import { type PageRow, pagesFor } from "../pages/mod.ts";
import { frameText } from "../text/frame.ts";
import { SignOutButton } from "./sign_out_button.tsx";

/** Whether the drawer is open. */
export const drawerOpen = signal(false);

function RailLink({ row }: { readonly row: PageRow }) {
  const current = row.path === app.router.path.value;
  return (
    <li>
      <a href={app.router.link(row.path)} title={row.name} aria-current={current ? "page" : undefined}>
        <Icon name={row.icon} />
        <span>{row.name}</span>
      </a>
    </li>
  );
}

function SessionInfo() {
  const session = app.session.current.value;
  if (session === undefined) return null;
  const { name, label, expires_at, read_only } = session;
  return (
    <div class="rail-foot">
      <strong title={name}>{name}</strong>
      <span>{read_only ? `${label} · ${frameText.readOnly}` : label}</span>
      <span>
        {frameText.sessionEnds} <time dateTime={expires_at}>{formatTime(expires_at)} UTC</time>
      </span>
      <span class="only-narrow">
        <SignOutButton worded />
      </span>
    </div>
  );
}

export function Rail() {
  const session = app.session.current.value;
  useSignalEffect(() => {
    app.router.path.value;
    drawerOpen.value = false;
  });
  useKeys((event) => {
    if (event.key === "Escape") drawerOpen.value = false;
  });
  if (session === undefined) return null;
  const rows = pagesFor(session.kind);
  const groups = [...new Set(rows.map(({ group }) => group))];
  return (
    <>
      <aside
        class="rail"
        id="rail"
        aria-label={frameText.rail}
        data-shown={drawerOpen.value ? "" : undefined}
      >
        <a class="brand" href={app.router.link("")} aria-label={frameText.product}>
          <Mark />
          <span>{frameText.product}</span>
        </a>
        <nav aria-label={frameText.pages}>
          {groups.map((group) => (
            <ul key={group}>
              {rows.filter((row) => row.group === group).map((row) => <RailLink key={row.name} row={row} />)}
            </ul>
          ))}
        </nav>
        <SessionInfo />
      </aside>
      {drawerOpen.value && (
        <button
          type="button"
          class="drawer-scrim"
          aria-label={frameText.menu}
          onClick={() => {
            drawerOpen.value = false;
          }}
        />
      )}
    </>
  );
}
