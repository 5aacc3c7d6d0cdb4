/** A menu to take what a view shows as a file: CSV, the same for Excel, or JSON lines. */

import { exportEnding, type ExportFormat } from "../../shared/management/lists/export_formats.ts";
import { queryOf } from "../api.ts";
import { app } from "../app.ts";
import { toError } from "../resource.ts";
import { exportText } from "../text/common.ts";
import { ChipMenu } from "./chip_menu.tsx";
import { Icon } from "./icon.tsx";

const formats: readonly ExportFormat[] = ["csv", "excel", "jsonl"];

/** One of the exports by POST; its answer is kept in the tab until it is whole. */
interface ExportPart {
  readonly text: string;
  readonly body: () => unknown;
}

interface ExportMenuProps {
  /** Below `/console/api`: `/keys/export`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>>;
  /** Exports by POST, each with its own choices; without them it is one by GET. */
  readonly parts?: readonly ExportPart[];
}

type ExportPlace = Pick<ExportMenuProps, "path" | "query">;

const addressOf = ({ path, query }: ExportPlace, format: ExportFormat) =>
  `/console/api${path}${queryOf({ ...query, format })}`;

/** `analytics-2026-11-25.csv`, as the gateway names what the browser downloads by itself. */
function fileName({ path }: ExportPlace, format: ExportFormat): string {
  const day = new Date(app.clock.now()).toISOString().slice(0, 10);
  return `${path.split("/")[1]}-${day}.${exportEnding(format)}`;
}

interface Wanted {
  readonly format: ExportFormat;
  readonly part: ExportPart;
}

async function download(place: ExportPlace, { format, part }: Wanted): Promise<void> {
  try {
    const answer = await app.api.send("POST", addressOf(place, format), { body: part.body() });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await answer.blob());
    link.download = fileName(place, format);
    link.click();
    URL.revokeObjectURL(link.href);
  } catch (error) {
    app.toasts.show(exportText.failed(toError(error).message), { tone: "bad" });
  }
}

function Choices({ parts, ...place }: ExportMenuProps) {
  if (parts === undefined) {
    return formats.map((format) => (
      <a key={format} href={addressOf(place, format)} download>{exportText.formats[format]}</a>
    ));
  }
  return parts.map((part) =>
    formats.map((format) => (
      <button
        key={`${part.text} ${format}`}
        type="button"
        onClick={() => void download(place, { format, part })}
      >
        {exportText.part(part.text, exportText.formats[format])}
      </button>
    ))
  );
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
      <Choices {...props} />
      <p class="hint">{exportText.hint}</p>
    </ChipMenu>
  );
}
