/** The API: every operation as the gateway's own document has it, to read and to try. */

import { useEffect, useMemo } from "preact/hooks";
import { app, whenConnected } from "../app.ts";
import { SearchField } from "../components/forms/search_field.tsx";
import { Icon } from "../components/icon.tsx";
import { Empty, FailureBox, Page } from "../components/page.tsx";
import { type Column, Table } from "../components/table.tsx";
import { type ApiOperation, ApiReferenceModel } from "../models/gateway/api_reference.ts";
import { apiText } from "../text/gateway/api_reference.ts";
import { ApiPanel } from "./gateway/api_panel.tsx";

function useModel(): ApiReferenceModel {
  const model = useMemo(() => new ApiReferenceModel(app), []);
  useEffect(() => whenConnected(() => void model.operations.load()), []);
  useEffect(() => () => model.operations.stop(), [model]);
  return model;
}

const columnsOf = (model: ApiReferenceModel): readonly Column<ApiOperation>[] => [
  {
    id: "operation",
    head: apiText.columns.operation,
    main: true,
    cell: ({ id, method, path, summary }) => (
      <>
        <button type="button" class="row-link mono" onClick={() => model.open(id)}>
          {`${method} ${path}`}
        </button>
        <span class="sub">{summary}</span>
      </>
    ),
  },
  {
    id: "family",
    head: apiText.columns.family,
    shown: "wide-only",
    className: "soft",
    cell: ({ family }) => family,
  },
];

function NoneFound({ model }: { readonly model: ApiReferenceModel }) {
  return (
    <Empty icon="search" title={apiText.none} text={apiText.noneText}>
      <button type="button" class="button" onClick={() => model.setSearch("")}>{apiText.showAll}</button>
    </Empty>
  );
}

export function page() {
  const model = useModel();
  const [failure, found, opened] = [
    model.operations.failure.value,
    model.found.value,
    model.opened.value,
  ];
  return (
    <>
      <Page
        title={apiText.title}
        actions={
          <a class="button" href="/openapi.json" download="openapi.json">
            <Icon name="download" />
            {apiText.download}
          </a>
        }
      >
        <div class="filters catalog-filters">
          <SearchField
            label={apiText.search}
            placeholder={apiText.searchHint}
            value={model.search.value}
            onInput={(text) => model.setSearch(text)}
          />
        </div>
        {failure === undefined
          ? (
            <Table
              caption={apiText.caption}
              columns={columnsOf(model)}
              rows={found}
              keyOf={({ id }) => id}
              current={opened?.id}
              empty={<NoneFound model={model} />}
              foot={found === undefined ? undefined : <span>{apiText.count(found.length)}</span>}
            />
          )
          : (
            <FailureBox
              title={apiText.unreadable}
              failure={failure}
              onRetry={() => void model.operations.load()}
            />
          )}
      </Page>
      {opened !== undefined && <ApiPanel key={opened.id} operation={opened} model={model} />}
    </>
  );
}
