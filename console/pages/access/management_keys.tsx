/** Management keys: which there are, what they may do, and until when. */

import type { ManagementKey } from "../../../shared/management/management_keys.ts";
import { app } from "../../app.ts";
import { RelativeTime } from "../../components/relative_time.tsx";
import { Status } from "../../components/status.tsx";
import type { Column } from "../../components/table.tsx";
import { formatDay } from "../../format.ts";
import { ManagementKeysModel, managementKeyState } from "../../models/access/management_keys.ts";
import { managementKeysText } from "../../text/access/management_keys.ts";
import { ShortListView, useShortList } from "./short_list_view.tsx";

/** Reads them as long as they are shown. */
export const useManagementKeys = (isShown: boolean): ManagementKeysModel =>
  useShortList(() => new ManagementKeysModel(app), { isShown });

function columnsOf(model: ManagementKeysModel): readonly Column<ManagementKey>[] {
  const { columns } = managementKeysText;
  return [
    {
      id: "name",
      head: columns.name,
      main: true,
      cell: ({ hash, name, label }) => (
        <>
          <span class="row">
            <button type="button" class="row-link cut" onClick={() => model.openPanel(hash)}>
              <bdi>{name}</bdi>
            </button>
            {hash === app.session.current.value?.key_hash && (
              <span class="badge">{managementKeysText.own}</span>
            )}
          </span>
          <span class="sub">{label}</span>
        </>
      ),
    },
    {
      id: "may",
      head: columns.may,
      shown: "small-off",
      className: "soft",
      cell: ({ read_only }) => read_only ? managementKeysText.looks : managementKeysText.all,
    },
    {
      id: "expires",
      head: columns.expires,
      numeric: true,
      shown: "mid-only",
      className: "soft",
      cell: ({ expires_at: at }) => at === null ? managementKeysText.never : formatDay(at),
    },
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
      cell: (key) => <Status {...managementKeyState(key, app.minute.value)} />,
    },
  ];
}

export function ManagementKeys({ model }: { readonly model: ManagementKeysModel }) {
  const { notFound, notFoundText } = managementKeysText;
  const nothing = notFoundText(model.q.value);
  return (
    <ShortListView
      model={model}
      columns={columnsOf(model)}
      text={managementKeysText}
      // A caller who reads this has one.
      none={{ icon: "search", title: notFound, text: nothing }}
      notFoundText={nothing}
      onShowAll={() => model.search("")}
    />
  );
}
