/** Keys: search, sort and page on the server; limits, names and states in a panel; new keys in a dialog. */

import { computed } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { keyStates } from "../../shared/management/key_sorts.ts";
import { app, whenConnected } from "../app.ts";
import { ChipSelect } from "../components/chip.tsx";
import { ExportMenu } from "../components/export_menu.tsx";
import { Icon } from "../components/icon.tsx";
import { FailureBox, Page } from "../components/page.tsx";
import { SearchField } from "../components/forms/search_field.tsx";
import { KeysModel } from "../models/keys/keys.ts";
import { keysText, sortNames, stateNames } from "../text/keys.ts";
import { chosenWorkspace } from "../workspaces.ts";
import { BulkBar } from "./keys/bulk_bar.tsx";
import { KeyPanel } from "./keys/key_panel.tsx";
import { KeyColumns, KeyTable } from "./keys/key_table.tsx";
import { NewKey } from "./keys/new_key.tsx";

function useModel(): KeysModel {
  const made = useRef<KeysModel>(null);
  const model = made.current ??= new KeysModel({
    api: app.api,
    router: app.router,
    workspaceId: computed(() => chosenWorkspace.value?.id),
  });
  const filter = model.filter.value;
  useEffect(() => whenConnected(() => void model.show()), [filter]);
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
        choices={[
          { value: "created", text: sortNames.created },
          { value: "name", text: sortNames.name },
          { value: "usage_monthly", text: sortNames.usage_monthly },
        ]}
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

export function page() {
  const model = useModel();
  const openNew = app.session.canChange.value
    ? () => app.router.setQuery({ open: "new" }, { push: true })
    : undefined;
  const failure = model.list.failure.value;
  const open = model.open.value;
  return (
    <>
      <Page
        title={keysText.title}
        actions={
          <>
            <ExportMenu path="/keys/export" query={model.keyQuery} />
            {openNew && (
              <button type="button" class="button button-primary" onClick={openNew}>
                <Icon name="plus" />
                {keysText.newKey}
              </button>
            )}
          </>
        }
      >
        <Filters model={model} />
        {failure === undefined ? <KeyTable model={model} onNew={openNew} /> : (
          <FailureBox
            title={keysText.unreadable}
            failure={failure}
            onRetry={() => void model.list.load()}
          />
        )}
        <BulkBar model={model} />
      </Page>
      {open !== undefined && <KeyPanel key={open} hash={open} list={model} />}
      {app.router.query.value.get("open") === "new" && openNew !== undefined && <NewKey list={model} />}
    </>
  );
}
