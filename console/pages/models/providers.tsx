/** The list of providers. */

import { computed } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { app, whenConnected } from "../../app.ts";
import { FailureBox } from "../../components/page.tsx";
import { RequestsLink } from "../../components/requests_link.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { formatCount, formatMs } from "../../format.ts";
import type { CatalogModel } from "../../models/catalog/catalog.ts";
import { createProviders, type ProviderRow } from "../../models/catalog/providers.ts";
import { status } from "../../status.ts";
import { commonText } from "../../text/common.ts";
import { modelsText } from "../../text/models.ts";
import { providersText } from "../../text/providers.ts";
import { NoModels } from "./catalog_table.tsx";
import { EndpointStanding } from "./endpoint_standing.tsx";
import { TestDialog } from "./test_dialog.tsx";

const { columns } = providersText;
const DAY_MS = 86_400_000;

function SwitchedBy({ switchedBy, isByok }: ProviderRow) {
  if (isByok) return <>{providersText.ownKey}</>;
  if (switchedBy === undefined) return <>–</>;
  const { setting, file } = switchedBy;
  if (file === undefined) return <code title={setting}>{setting}</code>;
  return <span title={`${setting}, ${file}`}>{providersText.inFile}</span>;
}

const nameColumns: readonly Column<ProviderRow>[] = [
  {
    id: "provider",
    head: columns.provider,
    main: true,
    cell: ({ slug, name }) => (
      <>
        <a class="row-link" href={app.router.link("/models", { q: name })} title={name}>
          <bdi>{name}</bdi>
        </a>
        <span class="sub">
          <bdi>{slug}</bdi>
        </span>
      </>
    ),
  },
  {
    id: "standing",
    head: columns.standing,
    className: "state",
    cell: (row) => <EndpointStanding {...row} count={{ of: row.affected, all: row.endpoints }} />,
  },
  {
    id: "switched",
    head: columns.switchedBy,
    shown: "mid-only",
    className: "soft",
    cell: (row) => <SwitchedBy {...row} />,
  },
];

const figureColumns: readonly Column<ProviderRow>[] = [
  {
    id: "endpoints",
    head: columns.endpoints,
    numeric: true,
    shown: "small-off",
    cell: ({ endpoints }) => formatCount(endpoints),
  },
  {
    id: "p50",
    head: columns.p50,
    numeric: true,
    shown: "mid-only",
    cell: ({ p50Ms }) => p50Ms === undefined ? "–" : formatMs(p50Ms),
  },
  {
    id: "failed",
    head: columns.failed,
    numeric: true,
    shown: "wide-only",
    cell: ({ failures }) => formatCount(failures),
  },
  {
    id: "requests",
    head: columns.requests,
    numeric: true,
    shown: "wide-only",
    cell: ({ name, requests }) =>
      requests === 0
        ? "0"
        : (
          <RequestsLink of={{ provider: name, since: app.minute.value - DAY_MS, workspace: "" }}>
            {formatCount(requests)}
          </RequestsLink>
        ),
  },
];

const openTest = (slug: string | undefined) => app.router.setQuery({ test: slug }, { push: true });

const testColumn: Column<ProviderRow> = {
  id: "test",
  head: commonText.actions,
  headUnseen: true,
  numeric: true,
  className: "action",
  cell: ({ slug, name }) => (
    <button
      type="button"
      class="button"
      aria-label={providersText.testNamed(name)}
      onClick={() => openTest(slug)}
    >
      {providersText.test}
    </button>
  ),
};

function useProviders({ list }: CatalogModel) {
  const providers = useMemo(() => {
    const statuses = computed(() => status.data.value?.endpoints);
    return createProviders({ api: app.api, models: list.data, statuses });
  }, []);
  useEffect(() => whenConnected(() => void providers.settings.load()), []);
  useEffect(() => () => providers.settings.stop(), []);
  return providers;
}

export function Providers({ model, workspaceId }: {
  readonly model: CatalogModel;
  /** The workspace whose key makes the calls of tests. */
  readonly workspaceId: string | undefined;
}) {
  const rows = useProviders(model).rows.value;
  const failure = model.list.failure.value;
  const { canChange } = app.session;
  const tested = rows?.find(({ slug }) => slug === app.router.query.value.get("test"));
  if (failure !== undefined) {
    return (
      <FailureBox
        title={modelsText.unreadable}
        failure={failure}
        onRetry={() => void model.list.load()}
      />
    );
  }
  return (
    <>
      <Table
        caption={providersText.caption}
        columns={[...nameColumns, ...figureColumns, ...(canChange.value ? [testColumn] : [])]}
        rows={rows}
        keyOf={({ slug }) => slug}
        empty={<NoModels model={model} />}
        foot={<span>{providersText.count(rows?.length ?? 0)}</span>}
      />
      {tested !== undefined && canChange.value && (
        <TestDialog
          provider={tested}
          workspaceId={workspaceId}
          onTested={() => void model.list.load()}
          onClose={() => openTest(undefined)}
        />
      )}
    </>
  );
}
