/** Provider keys that workspaces bring: when each is used, and by whom. */

import { computed } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { ByokRecord } from "../../shared/byok.ts";
import { app, whenConnected } from "../app.ts";
import { ChipSelect } from "../components/chip.tsx";
import { Icon } from "../components/icon.tsx";
import { Empty, FailureBox, Page } from "../components/page.tsx";
import { RelativeTime } from "../components/relative_time.tsx";
import { SearchField } from "../components/forms/search_field.tsx";
import { Status } from "../components/status.tsx";
import { type Column, Table } from "../components/table.tsx";
import { providerKeyName, ProviderKeysModel, providerKeyUse } from "../models/access/provider_keys.ts";
import { providerKeysText } from "../text/access/provider_keys.ts";
import { chosenWorkspace } from "../workspaces.ts";
import { NewProviderKey } from "./access/new_provider_key.tsx";
import { providerKeyHome, ProviderKeyPanel, providerKeyState } from "./access/provider_key_panel.tsx";

function useModel(): ProviderKeysModel {
  const { api, router } = app;
  const model = useMemo(
    () => new ProviderKeysModel({ api, router, workspaceId: computed(() => chosenWorkspace.value?.id) }),
    [],
  );
  useEffect(() => whenConnected(() => void model.list.load()), [model]);
  useEffect(() => () => model.list.stop(), [model]);
  return model;
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

function NoKeys({ model }: { readonly model: ProviderKeysModel }) {
  if (model.list.data.value?.length === 0) {
    return <Empty icon="plug" title={providerKeysText.none} text={providerKeysText.noneText} />;
  }
  return (
    <Empty icon="search" title={providerKeysText.notFound} text={providerKeysText.notFoundText}>
      <button type="button" class="button" onClick={() => model.showAll()}>{providerKeysText.showAll}</button>
    </Empty>
  );
}

function Filters({ model }: { readonly model: ProviderKeysModel }) {
  return (
    <div class="filters">
      <SearchField
        label={providerKeysText.search}
        placeholder={providerKeysText.searchHint}
        value={model.q.value}
        onInput={(q) => model.search(q)}
      />
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
    </div>
  );
}

export function page() {
  const model = useModel();
  const canChange = app.session.canChange.value;
  const [rows, all, failure] = [model.rows.value, model.list.data.value, model.list.failure.value];
  const opened = model.opened.value;
  return (
    <>
      <Page
        title={providerKeysText.title}
        actions={canChange && (
          <button
            type="button"
            class="button button-primary"
            onClick={() => model.openPanel("new")}
          >
            <Icon name="plus" />
            {providerKeysText.newKey}
          </button>
        )}
      >
        <Filters model={model} />
        {failure === undefined
          ? (
            <Table
              caption={providerKeysText.caption}
              columns={columnsOf(model)}
              rows={rows}
              keyOf={({ id }) => id}
              current={model.open.value}
              empty={<NoKeys model={model} />}
              foot={<span>{providerKeysText.count(rows?.length ?? 0, all?.length ?? 0)}</span>}
            />
          )
          : (
            <FailureBox
              title={providerKeysText.unreadable}
              failure={failure}
              onRetry={() => void model.list.load()}
            />
          )}
      </Page>
      {opened !== undefined && <ProviderKeyPanel key={opened.id} record={opened} list={model} />}
      {model.open.value === "new" && canChange && <NewProviderKey list={model} />}
    </>
  );
}
