/** Attempts of a request on one line of time. */

import { axisTop } from "../../charts/chart_shape.ts";
import { Swatch } from "../../charts/plot.tsx";
import { formatMs } from "../../format.ts";
import type { ReceiptRecord } from "../../../shared/management/receipts.ts";
import { type FallRow, waterfall } from "../../models/requests/receipt.ts";
import { receiptText } from "../../text/receipt.ts";

const hues = { failed: "f-bad", waiting: "f2", streaming: "f1" } as const;
const legend = ["failed", "waiting", "streaming"] as const;
const PARTS = 3;

/** `429 rate_limited`, or that no answer came. */
function outcome({ status, code, isByok }: FallRow): string {
  const said = status === 0 ? receiptText.noStatus : String(status);
  const words = code === undefined || code === said ? said : `${said} ${code}`;
  return isByok ? `${words}, ${receiptText.byok}` : words;
}

function Row({ row, top }: { readonly row: FallRow; readonly top: number }) {
  const what = outcome(row);
  const percent = (ms: number) => `${(100 * ms / top).toFixed(2)}%`;
  return (
    <div class="fall-row">
      <div>
        <div class="cut" title={row.provider}>
          <bdi>{row.provider}</bdi>
        </div>
        <div class="sub cut" title={what}>
          <bdi>{what}</bdi>
        </div>
      </div>
      <svg role="img" aria-label={receiptText.fall(row.provider, `${what}, ${formatMs(row.ms)}`)}>
        {Array.from(
          { length: PARTS + 1 },
          (_, at) => (
            <line
              key={at}
              class="grid-line"
              x1={percent(top * at / PARTS)}
              x2={percent(top * at / PARTS)}
              y1="-8"
              y2="28"
            />
          ),
        )}
        {row.spans.map(({ tone, from, to }) => (
          <rect
            key={tone}
            class={hues[tone]}
            x={percent(from)}
            width={percent(Math.max(to - from, top / 150))}
            y="5"
            height="10"
            rx="2"
          />
        ))}
      </svg>
      <span class="num">{formatMs(row.ms)}</span>
    </div>
  );
}

export function Waterfall({ receipt }: { readonly receipt: ReceiptRecord }) {
  const rows = waterfall(receipt);
  if (rows.length === 0) return null;
  const top = axisTop(Math.max(1, ...rows.flatMap(({ spans }) => spans.map(({ to }) => to))), {
    parts: PARTS,
  });
  const tones = legend.filter((tone) => rows.some(({ spans }) => spans.some((span) => span.tone === tone)));
  const isAnswered = rows.some((row) => row.isAnswer);
  return (
    <section aria-label={receiptText.attempts}>
      <div class="section-head">
        <h3>{receiptText.attempts}</h3>
        <span class="small faint">{receiptText.attemptsNote(rows.length, isAnswered)}</span>
      </div>
      <div class="fall">
        <div class="fall-row fall-axis" aria-hidden="true">
          <span />
          <div class="plot-x">
            {Array.from(
              { length: PARTS + 1 },
              (_, at) => <span key={at}>{formatMs(top * at / PARTS, top < 4 * PARTS ? 1 : 0)}</span>,
            )}
          </div>
          <span />
        </div>
        {rows.map((row, at) => <Row key={at} row={row} top={top} />)}
      </div>
      <ul class="legend">
        {tones.map((tone) => (
          <li key={tone}>
            <Swatch hue={hues[tone]} />
            <span>{receiptText.legend[tone]}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
