/** A menu to take what a view shows as a file: CSV, or JSON lines. */

import type { ExportFormat } from "../../shared/management/exports.ts";
import { queryOf } from "../api.ts";
import { app } from "../app.ts";
import { toError } from "../resource.ts";
import { exportText } from "../text/common.ts";
import { ChipMenu } from "./chip_menu.tsx";
import { Icon } from "./icon.tsx";

const formats: readonly ExportFormat[] = ["csv", "jsonl"];

interface ExportMenuProps {
  /** Below `/console/api`: `/keys/export`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>>;
  /** The body of an export by POST; its answer is kept in the tab until it is whole. */
  readonly body?: () => unknown;
}

const addressOf = ({ path, query }: ExportMenuProps, format: ExportFormat) =>
  `/console/api${path}${queryOf({ ...query, format })}`;

/** `analytics-2026-11-25.csv`, as the gateway names what the browser downloads by itself. */
function fileName({ path }: ExportMenuProps, format: ExportFormat): string {
  const day = new Date(app.clock.now()).toISOString().slice(0, 10);
  return `${path.split("/")[1]}-${day}.${format}`;
}

async function download(props: ExportMenuProps, format: ExportFormat): Promise<void> {
  try {
    const answer = await app.api.send("POST", addressOf(props, format), { body: props.body?.() });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await answer.blob());
    link.download = fileName(props, format);
    link.click();
    URL.revokeObjectURL(link.href);
  } catch (error) {
    app.toasts.show(exportText.failed(toError(error).message), { tone: "bad" });
  }
}

function Choice(props: ExportMenuProps & { readonly format: ExportFormat }) {
  const { format, body } = props;
  const text = exportText.formats[format];
  if (body === undefined) return <a href={addressOf(props, format)} download>{text}</a>;
  return <button type="button" onClick={() => void download(props, format)}>{text}</button>;
}

export function ExportMenu(props: ExportMenuProps) {
  return (
    <ChipMenu
      label={exportText.title}
      className="chip-button"
      closes
      summary={
        <>
          <Icon name="download" />
          {exportText.title}
        </>
      }
    >
      {formats.map((format) => <Choice key={format} {...props} format={format} />)}
      <p class="hint">{exportText.hint}</p>
    </ChipMenu>
  );
}
