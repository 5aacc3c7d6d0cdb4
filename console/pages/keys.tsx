/** Keys: API keys with search, order and pages by the server, and management keys; each opens in a panel. */

import { computed } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { keySorts, keyStates } from "../../shared/management/lists/key_sorts.ts";
import { app, whenConnected } from "../app.ts";
import { ChipSelect } from "../components/chip.tsx";
import { ExportMenu } from "../components/export_menu.tsx";
import { Icon } from "../components/icon.tsx";
import { FailureBox, Page } from "../components/page.tsx";
import { SearchField } from "../components/forms/search_field.tsx";
import { KeysModel } from "../models/keys/keys.ts";
import type { ManagementKeysModel } from "../models/access/management_keys.ts";
import { keyKindNames, managementKeysText } from "../text/access/management_keys.ts";
import { keysText, sortNames, stateNames } from "../text/keys.ts";
import { chosenWorkspace } from "../workspaces.ts";
import { NewManagementKey } from "./access/management_key_dialogs.tsx";
import { ManagementKeyPanel } from "./access/management_key_panel.tsx";
import { ManagementKeys, useManagementKeys } from "./access/management_keys.tsx";
import { BulkBar } from "./keys/bulk_bar.tsx";
import { KeyPanel } from "./keys/key_panel.tsx";
import { KeyColumns, KeyTable } from "./keys/key_table.tsx";
import { NewKey } from "./keys/new_key.tsx";

function useModel(isShown: boolean): KeysModel {
  const made = useRef<KeysModel>(null);
  const model = made.current ??= new KeysModel({
    api: app.api,
    router: app.router,
    workspaceId: computed(() => chosenWorkspace.value?.id),
  });
  const filter = model.filter.value;
  useEffect(() => isShown ? whenConnected(() => void model.show()) : undefined, [filter, isShown]);
  useEffect(() => () => model.list.stop(), []);
  return model;
}

const stateChoices = [
  { value: "all", text: keysText.all },
  ...keyStates.map((state) => ({ value: state, text: stateNames[state] })),
] as const;

function Filters({ model }: { readonly model: KeysModel }) {
  return (
    <div class="filters">
      <SearchField
        label={keysText.search}
        placeholder={keysText.searchHint}
        value={model.q.value}
        onInput={(q) => model.search(q)}
      />
      <ChipSelect
        label={keysText.sort}
        value={model.sort.value}
        none="created"
        choices={keySorts.map((value) => ({ value, text: sortNames[value] }))}
        onChange={(sort) => model.sortBy(sort)}
      />
      <ChipSelect
        label={keysText.state}
        value={model.state.value ?? "all"}
        none="all"
        choices={stateChoices}
        onChange={(state) => model.showState(state === "all" ? undefined : state)}
      />
      <KeyColumns model={model} />
    </div>
  );
}

const views = ["api", "management"] as const;
type View = (typeof views)[number];

function Tabs({ view }: { readonly view: View }) {
  return (
    <nav class="tabs" aria-label={keysText.title}>
      {views.map((one) => (
        <a
          key={one}
          href={app.router.link("/keys", { view: one === "api" ? undefined : one })}
          aria-current={one === view ? "page" : undefined}
        >
          {keyKindNames[one]}
        </a>
      ))}
    </nav>
  );
}

function Actions({ model, view, onNew }: {
  readonly model: KeysModel;
  readonly view: View;
  readonly onNew: (() => void) | undefined;
}) {
  return (
    <>
      {view === "api" && <ExportMenu path="/keys/export" query={model.keyQuery} />}
      {onNew && (
        <button type="button" class="button button-primary" onClick={onNew}>
          <Icon name="plus" />
          {view === "api" ? keysText.newKey : managementKeysText.newKey}
        </button>
      )}
    </>
  );
}

function ApiKeys({ model, onNew }: {
  readonly model: KeysModel;
  readonly onNew: (() => void) | undefined;
}) {
  const failure = model.list.failure.value;
  return (
    <>
      <Filters model={model} />
      {failure === undefined ? <KeyTable model={model} onNew={onNew} /> : (
        <FailureBox
          title={keysText.unreadable}
          failure={failure}
          onRetry={() => void model.list.load()}
        />
      )}
      <BulkBar model={model} />
    </>
  );
}

function ManagementPanels({ model }: { readonly model: ManagementKeysModel }) {
  const opened = model.opened.value;
  if (opened !== undefined) return <ManagementKeyPanel key={opened.hash} record={opened} list={model} />;
  return model.open.value === "new" && app.session.canChange.value ? <NewManagementKey list={model} /> : null;
}

export function page() {
  const query = app.router.query.value;
  const view: View = views.find((one) => one === query.get("view")) ?? "api";
  const model = useModel(view === "api");
  const managementKeys = useManagementKeys(view === "management");
  const openNew = app.session.canChange.value
    ? () => app.router.setQuery({ open: "new" }, { push: true })
    : undefined;
  const open = model.open.value;
  return (
    <>
      <Page title={keysText.title} actions={<Actions model={model} view={view} onNew={openNew} />}>
        <Tabs view={view} />
        {view === "api"
          ? <ApiKeys model={model} onNew={openNew} />
          : <ManagementKeys model={managementKeys} />}
      </Page>
      {view === "management" && <ManagementPanels model={managementKeys} />}
      {view === "api" && open !== undefined && <KeyPanel key={open} hash={open} list={model} />}
      {view === "api" && query.get("open") === "new" && openNew !== undefined && (
        <NewKey key={query.get("like")} list={model} />
      )}
    </>
  );
}
