/** The command palette, opened by Ctrl or ⌘ with K. */

import { useRef } from "preact/hooks";
import type { KeyRecord } from "../../shared/keys.ts";
import { operation } from "../api.ts";
import { app } from "../app.ts";
import { useModal } from "../components/dialog.tsx";
import { Icon } from "../components/icon.tsx";
import { formatLimit, formatUsd } from "../format.ts";
import { PaletteModel } from "../models/palette.ts";
import { pagesFor } from "../pages/mod.ts";
import { paletteText } from "../text/frame.ts";
import { workspaceName, workspaces } from "../workspaces.ts";

const listKeys = operation<"keys.list">("GET", "/keys");

async function findKeys(text: string): Promise<readonly KeyRecord[]> {
  const query = { q: text, workspace_id: "all", include_disabled: true, limit: 6 };
  return (await app.api.call(listKeys, { query })).data;
}

function describeKey({ workspace_id, limit, usage_monthly }: KeyRecord): string {
  const spent = formatUsd(usage_monthly);
  return `${workspaceName(workspace_id)} · ${limit === null ? spent : `${spent} of ${formatLimit(limit)}`}`;
}

const close = () => {
  app.overlay.value = undefined;
};

function open(href: string | undefined): void {
  if (href === undefined) return;
  close();
  app.router.go(href);
}

function usePalette(): PaletteModel {
  const model = useRef<PaletteModel>(null);
  return model.current ??= new PaletteModel({
    clock: app.clock,
    pages: pagesFor("management"),
    workspaces: () => workspaces.data.value ?? [],
    findKeys,
    describeKey,
    link: (path, query) => app.router.link(path, query),
    canChange: app.session.canChange.value,
  });
}

function press(model: PaletteModel, event: KeyboardEvent): void {
  if (event.key === "ArrowDown") model.move(1);
  else if (event.key === "ArrowUp") model.move(-1);
  else if (event.key === "Enter") open(model.chosen?.href);
  else return;
  event.preventDefault();
}

const optionId = (at: number) => `palette-${at}`;

function Results({ model }: { readonly model: PaletteModel }) {
  let at = 0;
  return (
    <div class="menu" role="listbox" id="palette-results" aria-label={paletteText.results}>
      {model.groups.value.map(({ title, entries }) => (
        <div key={title} role="group" aria-label={title}>
          <h3 role="presentation">{title}</h3>
          {entries.map(({ icon, text, detail, href }) => {
            const own = at++;
            return (
              <a
                key={href}
                id={optionId(own)}
                href={href}
                role="option"
                tabIndex={-1}
                aria-selected={own === model.selected.value}
                onClick={(event) => {
                  event.preventDefault();
                  open(href);
                }}
              >
                <Icon name={icon} />
                <span>{text}</span>
                {detail !== undefined && <span class="push">{detail}</span>}
              </a>
            );
          })}
        </div>
      ))}
    </div>
  );
}

export function Palette() {
  const model = usePalette();
  const { dialog } = useModal();
  const leave = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    close();
  };
  const nothing = model.entries.value.length === 0;
  return (
    <dialog ref={dialog} class="dialog-wide palette" aria-label={paletteText.label} onKeyDown={leave}>
      <div class="dialog-body">
        <div class="with">
          <Icon name="search" />
          <input
            class="input"
            type="text"
            role="combobox"
            aria-expanded="true"
            aria-controls="palette-results"
            aria-activedescendant={nothing ? undefined : optionId(model.selected.value)}
            aria-label={paletteText.input}
            placeholder={paletteText.input}
            autofocus
            value={model.text.value}
            onInput={(event) => model.type(event.currentTarget.value)}
            onKeyDown={(event) => press(model, event)}
          />
        </div>
      </div>
      <Results model={model} />
      {nothing && (
        <p class="soft palette-nothing" role="status">
          {model.searching.value ? paletteText.searching : paletteText.nothing(model.text.value)}
        </p>
      )}
    </dialog>
  );
}
