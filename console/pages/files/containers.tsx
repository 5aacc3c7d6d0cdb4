/** The containers of a workspace: what models have made with commands. */

import type { ReadonlySignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { app, whenConnected } from "../../app.ts";
import { Empty, FailureBox } from "../../components/page.tsx";
import { RelativeTime } from "../../components/relative_time.tsx";
import { type Column, Paging, Table } from "../../components/table.tsx";
import { formatBytes } from "../../format.ts";
import { type ContainerRecord, ContainersModel } from "../../models/containers.ts";
import { useVisits } from "./use_visits.ts";
import { containersText } from "../../text/containers.ts";

/** Reads the list once it is shown. */
export function useContainers(
  workspaceId: ReadonlySignal<string | undefined>,
  isShown: boolean,
): ContainersModel {
  const model = useMemo(() => new ContainersModel({ api: app.api, router: app.router, workspaceId }), []);
  const id = workspaceId.value;
  const visit = useVisits(isShown);
  useEffect(
    () =>
      id === undefined || !isShown ? undefined : whenConnected(() => void model.list.open(`${id} ${visit}`)),
    [id, isShown],
  );
  return model;
}

export const openContainer = (id: string | undefined) =>
  app.router.setQuery({ container: id }, { push: true });

const { columns: heads } = containersText;
const columns: readonly Column<ContainerRecord>[] = [
  {
    id: "id",
    head: heads.id,
    main: true,
    cell: ({ id }) => (
      <button type="button" class="row-link cut" onClick={() => openContainer(id)}>{id}</button>
    ),
  },
  {
    id: "status",
    head: heads.status,
    className: "soft state",
    cell: ({ status }) => status === "running" ? containersText.running : containersText.sleeping,
  },
  { id: "files", head: heads.files, numeric: true, shown: "small-off", cell: ({ files }) => files },
  { id: "size", head: heads.size, numeric: true, cell: ({ bytes }) => formatBytes(bytes) },
  {
    id: "used",
    head: heads.used,
    numeric: true,
    shown: "small-off",
    className: "soft",
    cell: ({ last_used_at }) => <RelativeTime at={last_used_at} />,
  },
];

export function ContainerTable({ model, workspace }: {
  readonly model: ContainersModel;
  readonly workspace: string;
}) {
  const failure = model.list.failure.value;
  const [first, count] = [model.list.firstNumber.value, model.containers.value?.length ?? 0];
  if (failure !== undefined) {
    return (
      <FailureBox
        title={containersText.unreadable}
        failure={failure}
        onRetry={() => void model.list.load()}
      />
    );
  }
  return (
    <Table
      caption={containersText.caption(workspace)}
      columns={columns}
      rows={model.containers.value}
      keyOf={({ id }) => id}
      current={app.router.query.value.get("container")}
      empty={<Empty icon="file" title={containersText.none} text={containersText.noneText} />}
      foot={
        <Paging
          text={containersText.count(first, count === 0 ? 0 : first + count - 1)}
          onPrevious={model.list.hasPrevious.value ? () => void model.list.previous() : undefined}
          onNext={model.list.hasNext.value ? () => void model.list.next() : undefined}
        />
      }
    />
  );
}
