/** Provider keys that workspaces bring: when each is used, and by whom. */

import { computed } from "@preact/signals";
import type { ByokRecord } from "../../shared/byok.ts";
import { app } from "../app.ts";
import { ChipSelect } from "../components/chip.tsx";
import { Page } from "../components/page.tsx";
import { RelativeTime } from "../components/relative_time.tsx";
import { Status } from "../components/status.tsx";
import type { Column } from "../components/table.tsx";
import { providerKeyName, ProviderKeysModel, providerKeyUse } from "../models/access/provider_keys.ts";
import { providerKeysText } from "../text/access/provider_keys.ts";
import { chosenWorkspace } from "../workspaces.ts";
import { NewProviderKey } from "./access/new_provider_key.tsx";
import { NewRow, ShortListView, useShortList } from "./access/short_list_view.tsx";
import { providerKeyHome, ProviderKeyPanel, providerKeyState } from "./access/provider_key_panel.tsx";

function useModel(): ProviderKeysModel {
  const { api, router } = app;
  return useShortList(() =>
    new ProviderKeysModel({ api, router, workspaceId: computed(() => chosenWorkspace.value?.id) })
  );
}

function columnsOf(model: ProviderKeysModel): readonly Column<ByokRecord>[] {
  const { columns } = providerKeysText;
  return [
    {
      id: "name",
      head: columns.name,
      main: true,
      cell: (record) => (
        <>
          <button type="button" class="row-link" onClick={() => model.openPanel(record.id)}>
            <bdi>{providerKeyName(record)}</bdi>
          </button>
          <span class="sub">
            <span class="no-column">{`${record.provider} · `}</span>
            {record.label}
          </span>
        </>
      ),
    },
    {
      id: "provider",
      head: columns.provider,
      shown: "mid-only",
      cell: ({ provider }) => <bdi>{provider}</bdi>,
    },
    {
      id: "workspace",
      head: columns.workspace,
      shown: "small-off",
      className: "soft",
      cell: (record) => <bdi>{providerKeyHome(record)}</bdi>,
    },
    { id: "use", head: columns.use, shown: "wide-only", className: "soft", cell: providerKeyUse },
    {
      id: "created",
      head: columns.created,
      numeric: true,
      shown: "wide-only",
      className: "soft",
      cell: ({ created_at }) => <RelativeTime at={created_at} />,
    },
    {
      id: "state",
      head: columns.state,
      className: "state",
      cell: (record) => <Status {...providerKeyState(record)} />,
    },
  ];
}

function ProviderChip({ model }: { readonly model: ProviderKeysModel }) {
  return (
    <ChipSelect
      label={providerKeysText.provider}
      value={model.provider.value ?? ""}
      none=""
      choices={[
        { value: "", text: providerKeysText.anyProvider },
        ...model.providers.value.map((slug) => ({ value: slug, text: slug })),
      ]}
      onChange={(slug) => model.showProvider(slug)}
    />
  );
}

export function page() {
  const model = useModel();
  const opened = model.opened.value;
  const { title, newKey, none, noneText, notFoundText } = providerKeysText;
  return (
    <>
      <Page title={title} actions={<NewRow model={model} text={newKey} />}>
        <ShortListView
          model={model}
          columns={columnsOf(model)}
          text={providerKeysText}
          none={{ icon: "plug", title: none, text: noneText }}
          notFoundText={notFoundText}
          onShowAll={() => model.showAll()}
          filters={<ProviderChip model={model} />}
        />
      </Page>
      {opened !== undefined && <ProviderKeyPanel key={opened.id} record={opened} list={model} />}
      {model.open.value === "new" && app.session.canChange.value && <NewProviderKey list={model} />}
    </>
  );
}
