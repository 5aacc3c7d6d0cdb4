/** Destinations: where receipts of workspaces are sent, and how far each is. Each opens in a panel. */

import { computed } from "@preact/signals";
import { destinationTypes, type ShownDestination } from "../../shared/observability/records.ts";
import { app } from "../app.ts";
import { ChipSelect } from "../components/chip.tsx";
import { Page } from "../components/page.tsx";
import { RelativeTime } from "../components/relative_time.tsx";
import { Status } from "../components/status.tsx";
import type { Column } from "../components/table.tsx";
import { formatCount } from "../format.ts";
import { percentOf } from "../models/destinations/destination_draft.ts";
import {
  destinationPlace,
  DestinationsModel,
  destinationState,
} from "../models/destinations/destinations.ts";
import { destinationsText } from "../text/gateway/destinations.ts";
import { chosenWorkspace, workspaceName } from "../workspaces.ts";
import { NewRow, ShortListView, useShortList } from "./access/short_list_view.tsx";
import { DestinationPanel } from "./destinations/destination_panel.tsx";
import { NewDestination } from "./destinations/new_destination.tsx";

function useModel(): DestinationsModel {
  const { api, router } = app;
  return useShortList(() =>
    new DestinationsModel({ api, router, workspaceId: computed(() => chosenWorkspace.value?.id) })
  );
}

const { columns } = destinationsText;

const nameColumn = (model: DestinationsModel): Column<ShownDestination> => ({
  id: "name",
  head: columns.name,
  main: true,
  cell: (record) => (
    <>
      <button type="button" class="row-link" onClick={() => model.openPanel(record.id)}>
        <bdi>{record.name}</bdi>
      </button>
      <span class="sub">
        <span class="no-column">{`${destinationsText.types[record.type]} · `}</span>
        <bdi>{destinationPlace(record)}</bdi>
      </span>
    </>
  ),
});

const factColumns: readonly Column<ShownDestination>[] = [
  {
    id: "type",
    head: columns.type,
    shown: "mid-only",
    cell: ({ type }) => destinationsText.types[type],
  },
  {
    id: "workspace",
    head: columns.workspace,
    shown: "wide-only",
    className: "soft",
    cell: ({ workspace_id: id }) => <bdi>{workspaceName(id)}</bdi>,
  },
  {
    id: "privacy",
    head: columns.privacy,
    shown: "wide-only",
    className: "soft",
    cell: ({ privacy_mode: on }) => on ? destinationsText.privacyOn : destinationsText.privacyOff,
  },
  {
    id: "sampling",
    head: columns.sampling,
    numeric: true,
    shown: "wide-only",
    className: "soft",
    cell: ({ sampling_rate: rate }) => `${percentOf(rate)} %`,
  },
  {
    id: "sent",
    head: columns.sent,
    numeric: true,
    shown: "small-off",
    cell: ({ delivery }) => formatCount(delivery.sent),
  },
  {
    id: "lost",
    head: columns.lost,
    numeric: true,
    shown: "small-off",
    cell: ({ delivery }) => formatCount(delivery.lost),
  },
  {
    id: "last",
    head: columns.last,
    numeric: true,
    shown: "mid-only",
    className: "soft",
    cell: ({ delivery: { last_sent_at: at } }) =>
      at === null ? destinationsText.never : <RelativeTime at={at} />,
  },
  {
    id: "state",
    head: columns.state,
    className: "state",
    cell: (record) => <Status {...destinationState(record)} />,
  },
];

function TypeChip({ model }: { readonly model: DestinationsModel }) {
  return (
    <ChipSelect
      label={destinationsText.type}
      value={model.type.value ?? ""}
      none=""
      choices={[
        { value: "", text: destinationsText.anyType },
        ...destinationTypes.map((value) => ({ value, text: destinationsText.types[value] })),
      ]}
      onChange={(type) => model.showType(type)}
    />
  );
}

export function page() {
  const model = useModel();
  const shown = model.opened.value;
  const { title, newDestination, none, noneText, notFoundText } = destinationsText;
  return (
    <>
      <Page title={title} actions={<NewRow model={model} text={newDestination} />}>
        <ShortListView
          model={model}
          columns={[nameColumn(model), ...factColumns]}
          text={destinationsText}
          none={{ icon: "send", title: none, text: noneText }}
          notFoundText={notFoundText}
          onShowAll={() => model.showAll()}
          filters={<TypeChip model={model} />}
        />
      </Page>
      {shown !== undefined && <DestinationPanel key={shown.id} record={shown} list={model} />}
      {model.open.value === "new" && app.session.canChange.value && <NewDestination list={model} />}
    </>
  );
}
