/** Management keys: which there are, what they may do, and until when. */

import { useEffect, useMemo } from "preact/hooks";
import type { ManagementKey } from "../../../shared/management/management_keys.ts";
import { app, whenConnected } from "../../app.ts";
import { Empty, FailureBox } from "../../components/page.tsx";
import { RelativeTime } from "../../components/relative_time.tsx";
import { SearchField } from "../../components/forms/search_field.tsx";
import { Status } from "../../components/status.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { formatDay } from "../../format.ts";
import { ManagementKeysModel, managementKeyState } from "../../models/access/management_keys.ts";
import { managementKeysText } from "../../text/access/management_keys.ts";

/** Reads them as long as they are shown. */
export function useManagementKeys(isShown: boolean): ManagementKeysModel {
  const model = useMemo(() => new ManagementKeysModel(app), []);
  useEffect(() => isShown ? whenConnected(() => void model.list.load()) : undefined, [model, isShown]);
  useEffect(() => () => model.list.stop(), [model]);
  return model;
}

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
  const [rows, all, failure] = [model.rows.value, model.list.data.value, model.list.failure.value];
  return (
    <>
      <div class="filters">
        <SearchField
          label={managementKeysText.search}
          placeholder={managementKeysText.searchHint}
          value={model.q.value}
          onInput={(q) => model.search(q)}
        />
      </div>
      {failure === undefined
        ? (
          <Table
            caption={managementKeysText.caption}
            columns={columnsOf(model)}
            rows={rows}
            keyOf={({ hash }) => hash}
            current={model.open.value}
            skeletonRows={3}
            empty={
              <Empty
                icon="search"
                title={managementKeysText.notFound}
                text={managementKeysText.notFoundText(model.q.value)}
              >
                <button type="button" class="button" onClick={() => model.search("")}>
                  {managementKeysText.showAll}
                </button>
              </Empty>
            }
            foot={<span>{managementKeysText.count(rows?.length ?? 0, all?.length ?? 0)}</span>}
          />
        )
        : (
          <FailureBox
            title={managementKeysText.unreadable}
            failure={failure}
            onRetry={() => void model.list.load()}
          />
        )}
    </>
  );
}
