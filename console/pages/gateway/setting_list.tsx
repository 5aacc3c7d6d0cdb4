/** The settings in force: every value that is no secret, and where it came from; the store and the data folder. */

import type { ComponentChildren } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { SettingDescription } from "../../../shared/management/gateway/settings.ts";
import { app, whenConnected } from "../../app.ts";
import { ChipSelect } from "../../components/chip.tsx";
import { Empty, FailureBox } from "../../components/page.tsx";
import { SearchField } from "../../components/forms/search_field.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { formatBytes } from "../../format.ts";
import { SettingsModel, settingSources } from "../../models/gateway/settings.ts";
import { settingsText } from "../../text/gateway/settings.ts";

interface SettingProps {
  readonly setting: SettingDescription;
}

function Value({ setting: { secret, value, default: fallback } }: SettingProps) {
  if (secret) {
    return value === "set"
      ? <span class="badge badge-good">{settingsText.set}</span>
      : <span class="badge">{settingsText.notSet}</span>;
  }
  if (value !== null) return <bdi class="mono">{String(value)}</bdi>;
  return fallback === null
    ? <span class="faint">{settingsText.none}</span>
    : <bdi class="faint">{fallback}</bdi>;
}

function Source({ setting: { source } }: SettingProps) {
  const name = source.name ?? "";
  switch (source.type) {
    case "default":
      return <span class="faint">{settingsText.isDefault}</span>;
    case "environment_file":
      return <bdi>{settingsText.fileOf(name)}</bdi>;
    case "environment":
    case "file":
      return <bdi>{name}</bdi>;
  }
}

/** Text with names between backticks. */
function Description({ text }: { readonly text: string }) {
  const parts = text.split("`");
  return (
    <span class="sub" title={parts.join("")}>
      {parts.map((part, at) => at % 2 === 0 ? part : <code key={at}>{part}</code>)}
    </span>
  );
}

const { columns } = settingsText;

const settingColumns: readonly Column<SettingDescription>[] = [
  {
    id: "name",
    head: columns.name,
    main: true,
    cell: ({ name, description }) => (
      <>
        <bdi class="mono">{name}</bdi>
        {description !== null && <Description text={description} />}
      </>
    ),
  },
  {
    id: "value",
    head: columns.value,
    className: "setting-value",
    cell: (setting) => <Value setting={setting} />,
  },
  {
    id: "source",
    head: columns.source,
    shown: "mid-only",
    className: "soft setting-value",
    cell: (setting) => <Source setting={setting} />,
  },
];

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function Installation({ model }: { readonly model: SettingsModel }) {
  const installation = model.installation.data.value;
  if (installation === undefined) return null;
  const { store, data_folder: folder } = installation;
  const bytes = (count: number | null) => count === null ? settingsText.unknown : formatBytes(count);
  return (
    <div class="box box-pad">
      <dl class="facts">
        <Fact name={settingsText.store}>{settingsText.stores[store.kind]}</Fact>
        {store.address !== null && (
          <Fact name={settingsText.address}>
            <bdi class="mono">{store.address}</bdi>
          </Fact>
        )}
        <Fact name={settingsText.schema}>{store.schema ?? settingsText.noSchema}</Fact>
        {folder !== null && (
          <>
            <Fact name={settingsText.folder}>
              <bdi class="mono">{folder.path}</bdi>
            </Fact>
            <Fact name={settingsText.size}>{bytes(folder.bytes)}</Fact>
            <Fact name={settingsText.free}>{bytes(folder.free_bytes)}</Fact>
          </>
        )}
      </dl>
    </div>
  );
}

function Filters({ model }: { readonly model: SettingsModel }) {
  return (
    <div class="filters">
      <SearchField
        label={settingsText.search}
        placeholder={settingsText.searchHint}
        value={model.q.value}
        onInput={(q) => model.search(q)}
      />
      <ChipSelect
        label={settingsText.from}
        value={model.from.value}
        none="set"
        choices={settingSources.map((value) => ({ value, text: settingsText.fromChoices[value] }))}
        onChange={(source) => model.showFrom(source)}
      />
    </div>
  );
}

export function SettingList() {
  const model = useMemo(() => new SettingsModel(app), []);
  useEffect(() => whenConnected(() => void model.installation.load()), [model]);
  useEffect(() => () => model.installation.stop(), [model]);
  const failure = model.installation.failure.value;
  if (failure !== undefined) {
    return (
      <FailureBox
        title={settingsText.unreadable}
        failure={failure}
        onRetry={() => void model.installation.load()}
      />
    );
  }
  const [rows, all] = [model.rows.value, model.installation.data.value?.settings];
  return (
    <>
      <Installation model={model} />
      <Filters model={model} />
      <Table
        caption={settingsText.caption}
        columns={settingColumns}
        rows={rows}
        keyOf={({ name }) => name}
        empty={
          <Empty icon="search" title={settingsText.notFound} text={settingsText.notFoundText}>
            <button type="button" class="button" onClick={() => model.removeFilters()}>
              {settingsText.showAll}
            </button>
          </Empty>
        }
        foot={<span>{settingsText.count(rows?.length ?? 0, all?.length ?? 0)}</span>}
      />
    </>
  );
}
