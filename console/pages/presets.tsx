/** Presets: settings of requests that are kept under a name. Each opens in a panel. */

import { computed } from "@preact/signals";
import { type PresetRecord, presetStatuses } from "../../shared/presets/records.ts";
import { app } from "../app.ts";
import { ChipSelect } from "../components/chip.tsx";
import { Page } from "../components/page.tsx";
import { RelativeTime } from "../components/relative_time.tsx";
import { Status } from "../components/status.tsx";
import type { Column } from "../components/table.tsx";
import { formatCount } from "../format.ts";
import { PresetsModel } from "../models/presets/presets.ts";
import { presetsText } from "../text/presets.ts";
import { chosenWorkspace, workspaceName } from "../workspaces.ts";
import { NewRow, ShortListView, useShortList } from "./access/short_list_view.tsx";
import { PresetPanel, presetState } from "./presets/preset_panel.tsx";
import { NewPreset } from "./presets/save_preset.tsx";

function useModel(): PresetsModel {
  const { api, router } = app;
  return useShortList(() =>
    new PresetsModel({ api, router, workspaceId: computed(() => chosenWorkspace.value?.id) })
  );
}

function columnsOf(model: PresetsModel): readonly Column<PresetRecord>[] {
  const { columns } = presetsText;
  return [
    {
      id: "name",
      head: columns.name,
      main: true,
      cell: ({ id, name, slug }) => (
        <>
          <button type="button" class="row-link" onClick={() => model.openPanel(id)}>
            <bdi>{name}</bdi>
          </button>
          <span class="sub mono">{slug}</span>
        </>
      ),
    },
    {
      id: "description",
      head: columns.description,
      shown: "wide-only",
      className: "soft",
      cell: ({ description }) => <bdi>{description}</bdi>,
    },
    {
      id: "workspace",
      head: columns.workspace,
      shown: "mid-only",
      className: "soft",
      cell: ({ workspace_id: id }) => <bdi>{workspaceName(id)}</bdi>,
    },
    {
      id: "version",
      head: columns.version,
      numeric: true,
      cell: ({ version }) => formatCount(version),
    },
    {
      id: "changed",
      head: columns.changed,
      numeric: true,
      shown: "small-off",
      className: "soft",
      cell: ({ updated_at }) => <RelativeTime at={updated_at} />,
    },
    {
      id: "status",
      head: columns.status,
      className: "state",
      cell: (record) => <Status {...presetState(record)} />,
    },
  ];
}

function StatusChip({ model }: { readonly model: PresetsModel }) {
  return (
    <ChipSelect
      label={presetsText.status}
      value={model.status.value ?? ""}
      none=""
      choices={[
        { value: "", text: presetsText.anyStatus },
        ...presetStatuses.map((value) => ({ value, text: presetsText.statuses[value] })),
      ]}
      onChange={(status) => model.showStatus(status)}
    />
  );
}

export function page() {
  const model = useModel();
  const shown = model.opened.value;
  const { title, newPreset, none, noneText, notFoundText } = presetsText;
  return (
    <>
      <Page title={title} actions={<NewRow model={model} text={newPreset} />}>
        <ShortListView
          model={model}
          columns={columnsOf(model)}
          text={presetsText}
          none={{ icon: "keep", title: none, text: noneText }}
          notFoundText={notFoundText}
          onShowAll={() => model.showAll()}
          filters={<StatusChip model={model} />}
        />
      </Page>
      {shown !== undefined && <PresetPanel key={shown.id} record={shown} list={model} />}
      {model.open.value === "new" && app.session.canChange.value && <NewPreset list={model} />}
    </>
  );
}
