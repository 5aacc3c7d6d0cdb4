/** A short list as a view: search and filters, rows that open, and what stands there where there is none. */

import type { ComponentChildren } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { app, whenConnected } from "../../app.ts";
import type { IconName } from "../../components/icon.tsx";
import { Icon } from "../../components/icon.tsx";
import { Empty, FailureBox } from "../../components/page.tsx";
import { SearchField } from "../../components/forms/search_field.tsx";
import { type Column, Table } from "../../components/table.tsx";
import type { ShortList } from "../../models/access/short_list.ts";

/** Makes the list once, and reads it as long as it is shown. */
export function useShortList<Model extends Pick<ShortList<unknown>, "list">>(
  make: () => Model,
  { isShown = true }: { readonly isShown?: boolean } = {},
): Model {
  const model = useMemo(make, []);
  useEffect(() => isShown ? whenConnected(() => void model.list.load()) : undefined, [model, isShown]);
  useEffect(() => () => model.list.stop(), [model]);
  return model;
}

interface ShortListText {
  readonly caption: string;
  readonly search: string;
  readonly searchHint: string;
  readonly unreadable: string;
  readonly notFound: string;
  readonly showAll: string;
  readonly count: (shown: number, all: number) => string;
}

interface ShortListViewProps<Row> {
  readonly model: ShortList<Row>;
  readonly columns: readonly Column<Row>[];
  readonly text: ShortListText;
  /** Below the title, where the filters leave nothing. */
  readonly notFoundText: string;
  /** Sign, title and text where there is nothing at all. */
  readonly none: { readonly icon: IconName; readonly title: string; readonly text: string };
  readonly onShowAll: () => void;
  /** Filters beside the search. */
  readonly filters?: ComponentChildren;
}

function Nothing<Row>({ model, text, notFoundText, none, onShowAll }: ShortListViewProps<Row>) {
  if (model.list.data.value?.length === 0) return <Empty {...none} />;
  return (
    <Empty icon="search" title={text.notFound} text={notFoundText}>
      <button type="button" class="button" onClick={onShowAll}>{text.showAll}</button>
    </Empty>
  );
}

export function ShortListView<Row>(props: ShortListViewProps<Row>) {
  const { model, columns, text, filters } = props;
  const [rows, all, failure] = [model.rows.value, model.list.data.value, model.list.failure.value];
  return (
    <>
      <div class="filters">
        <SearchField
          label={text.search}
          placeholder={text.searchHint}
          value={model.q.value}
          onInput={(q) => model.search(q)}
        />
        {filters}
      </div>
      {failure === undefined
        ? (
          <Table
            caption={text.caption}
            columns={columns}
            rows={rows}
            keyOf={model.idOf}
            current={model.open.value}
            skeletonRows={3}
            empty={<Nothing {...props} />}
            foot={<span>{text.count(rows?.length ?? 0, all?.length ?? 0)}</span>}
          />
        )
        : (
          <FailureBox
            title={text.unreadable}
            failure={failure}
            onRetry={() => void model.list.load()}
          />
        )}
    </>
  );
}

/** The page's button for a new row; nothing for who may only look. */
export function NewRow({ model, text }: {
  readonly model: Pick<ShortList<unknown>, "openPanel">;
  readonly text: string;
}) {
  if (!app.session.canChange.value) return null;
  return (
    <button type="button" class="button button-primary" onClick={() => model.openPanel("new")}>
      <Icon name="plus" />
      {text}
    </button>
  );
}
