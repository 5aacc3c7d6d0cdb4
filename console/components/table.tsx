/**
 * A list as a table. Columns leave by the width of the box in a stated order; name, money and state stay. Sorting and
 * paging are the server's. Arrow keys move from row to row.
 */

import type { ComponentChildren } from "preact";
import { commonText } from "../text/common.ts";
import { Icon } from "./icon.tsx";

export interface Column<Row> {
  readonly id: string;
  readonly head: string;
  /** Unit behind the head, where there is room. */
  readonly unit?: string;
  /** The head is for screen readers only, as that of buttons. */
  readonly headUnseen?: boolean;
  readonly cell: (row: Row) => ComponentChildren;
  /** The column of the name, which takes the room that is left. */
  readonly main?: boolean;
  readonly numeric?: boolean;
  /** From which width on it is shown; always where none is stated. */
  readonly shown?: "wide-only" | "mid-only" | "small-off";
  /** Class of the cell and its head. */
  readonly className?: string;
  /** Name by which the server sorts. */
  readonly sort?: string;
}

interface TableSort {
  readonly by: string;
  readonly direction: "ascending" | "descending";
  readonly onSort: (by: string) => void;
}

interface TableSelection<Row> {
  readonly selected: ReadonlySet<string>;
  /** The row's name, for screen readers. */
  readonly nameOf: (row: Row) => string;
  readonly onChange: (selected: ReadonlySet<string>) => void;
}

interface TableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  /** Undefined until they were read: skeleton rows stand in. */
  readonly rows: readonly Row[] | undefined;
  readonly keyOf: (row: Row) => string;
  /** The key of the row whose panel is open. */
  readonly current?: string | undefined;
  readonly sort?: TableSort;
  readonly selection?: TableSelection<Row>;
  /** Stands in the place of rows where there are none. */
  readonly empty?: ComponentChildren;
  readonly foot?: ComponentChildren;
  readonly skeletonRows?: number;
}

function classOf({ main, numeric, shown, className }: Column<never>): string | undefined {
  const classes = [main && "main-cell", numeric && "num", shown, className].filter(Boolean);
  return classes.length === 0 ? undefined : classes.join(" ");
}

/** Moves the focus to the row above or below. */
function moveRow(event: KeyboardEvent): void {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (step === 0 || event.altKey || !(event.target instanceof Element)) return;
  const links = [...document.querySelectorAll<HTMLElement>("tbody .row-link")];
  const at = links.findIndex((link) => link === event.target);
  const next = at < 0 ? undefined : links[at + step];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}

/** Shows the whole text of a cell that is cut. */
function titleCut({ target }: PointerEvent): void {
  const cell = target instanceof Element ? target.closest("td") : null;
  if (cell === null || cell.title !== "") return;
  const isCut = [cell, ...cell.querySelectorAll("*")].some((part) => part.scrollWidth > part.clientWidth + 1);
  if (isCut) cell.title = cell.innerText;
}

/** A click anywhere on a row opens it, unless it is meant for something in the row, or marks text. */
function openRow({ target, currentTarget }: MouseEvent & { readonly currentTarget: HTMLElement }): void {
  if (!(target instanceof Element) || target.closest("a, button, input, label, summary, select") !== null) {
    return;
  }
  if (getSelection()?.isCollapsed === false && currentTarget.contains(getSelection()?.anchorNode ?? null)) {
    return;
  }
  target.closest("tr")?.querySelector<HTMLElement>(".row-link")?.click();
}

export function Table<Row>(props: TableProps<Row>) {
  const { caption, columns, rows, empty, foot, skeletonRows = 8 } = props;
  if (rows?.length === 0 && empty !== undefined) return <div class="box">{empty}</div>;
  return (
    <div class="box table-box">
      <table class="table" aria-busy={rows === undefined} onKeyDown={moveRow}>
        <caption class="unseen">{caption}</caption>
        <thead>
          <TableHead {...props} />
        </thead>
        <tbody onClick={openRow} onPointerOver={titleCut}>
          {rows === undefined
            ? Array.from(
              { length: skeletonRows },
              (_, at) => <BoneRow key={at} columns={columns} picks={props.selection !== undefined} />,
            )
            : rows.map((row) => <TableRow key={props.keyOf(row)} row={row} table={props} />)}
        </tbody>
      </table>
      {foot !== undefined && <div class="table-foot">{foot}</div>}
    </div>
  );
}

function TableHead<Row>({ columns, rows = [], keyOf, sort, selection }: TableProps<Row>) {
  return (
    <tr>
      {selection !== undefined && <PickAll rows={rows} keyOf={keyOf} selection={selection} />}
      {columns.map((column) => (
        <th
          key={column.id}
          scope="col"
          class={classOf(column)?.replace("main-cell", "") || undefined}
          aria-sort={column.sort !== undefined && sort?.by === column.sort ? sort.direction : undefined}
        >
          {column.sort === undefined || sort === undefined
            ? <ColumnHead {...column} />
            : (
              <button type="button" onClick={() => sort.onSort(column.sort ?? "")}>
                {column.head}
                {sort.by === column.sort && (
                  <Icon name={sort.direction === "ascending" ? "arrow_up" : "arrow_down"} />
                )}
              </button>
            )}
        </th>
      ))}
    </tr>
  );
}

function ColumnHead({ head, headUnseen, unit }: Column<never>) {
  if (headUnseen) return <span class="unseen">{head}</span>;
  if (unit === undefined) return <>{head}</>;
  return (
    <>
      {head}
      <span class="small-off">{` ${unit}`}</span>
    </>
  );
}

function PickAll<Row>({ rows, keyOf, selection }: {
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly selection: TableSelection<Row>;
}) {
  const keys = rows.map(keyOf);
  const picked = keys.filter((key) => selection.selected.has(key)).length;
  const all = picked > 0 && picked === keys.length;
  return (
    <th scope="col" class="pick">
      <input
        class="check"
        type="checkbox"
        aria-label={commonText.selectAll}
        checked={all}
        indeterminate={picked > 0 && !all}
        onChange={() => selection.onChange(new Set(all ? [] : keys))}
      />
    </th>
  );
}

function toggle(selected: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(selected);
  if (!next.delete(key)) next.add(key);
  return next;
}

function TableRow<Row>({ row, table }: { readonly row: Row; readonly table: TableProps<Row> }) {
  const { columns, keyOf, current, selection } = table;
  const key = keyOf(row);
  return (
    <tr aria-current={key === current ? "true" : undefined}>
      {selection !== undefined && (
        <td class="pick">
          <input
            class="check"
            type="checkbox"
            aria-label={commonText.select(selection.nameOf(row))}
            checked={selection.selected.has(key)}
            onChange={() => selection.onChange(toggle(selection.selected, key))}
          />
        </td>
      )}
      {columns.map((column) => <td key={column.id} class={classOf(column)}>{column.cell(row)}</td>)}
    </tr>
  );
}

function BoneRow<Row>(
  { columns, picks }: { readonly columns: readonly Column<Row>[]; readonly picks: boolean },
) {
  return (
    <tr aria-hidden="true">
      {picks && <td class="pick" />}
      {columns.map((column) => (
        <td key={column.id} class={classOf(column)}>
          <span class={`bone bone-${column.main ? "l" : column.numeric ? "s" : "m"}`} />
        </td>
      ))}
    </tr>
  );
}

/** Pages of a list that goes on behind a cursor. */
export function Paging({ text, next = commonText.next, onPrevious, onNext }: {
  readonly text: ComponentChildren;
  /** Another text of the button that leads on. */
  readonly next?: string;
  readonly onPrevious: (() => void) | undefined;
  readonly onNext: (() => void) | undefined;
}) {
  return (
    <>
      <span>{text}</span>
      <span class="push row">
        <button type="button" class="button" disabled={onPrevious === undefined} onClick={onPrevious}>
          {commonText.previous}
        </button>
        <button type="button" class="button" disabled={onNext === undefined} onClick={onNext}>
          {next}
        </button>
      </span>
    </>
  );
}
