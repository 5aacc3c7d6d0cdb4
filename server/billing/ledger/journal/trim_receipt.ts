/** Receipts that are too large to be stored whole. */

import { truncateStart } from "../../../../shared/util/text.ts";
import type { Receipt } from "../../../../shared/receipts.ts";

const MAX_TEXT = 200;
const MAX_ROWS = 40;

/** The receipt with its money and without what may be of any size: at most some 30,000 bytes. */
export function trimReceipt(receipt: Receipt): Receipt {
  return {
    ...receipt,
    requested_model: shortened(receipt.requested_model),
    upstream_id: shortened(receipt.upstream_id),
    error: receipt.error && { ...receipt.error, message: truncateStart(receipt.error.message, MAX_TEXT) },
    attempts: receipt.attempts.slice(0, 4).map((attempt) => ({
      ...attempt,
      why: attempt.why === undefined ? undefined : truncateStart(attempt.why, MAX_TEXT),
    })),
    usage: Object.fromEntries(Object.entries(receipt.usage).slice(0, MAX_ROWS)),
    lines: receipt.lines.slice(0, MAX_ROWS),
    user: shortened(receipt.user),
    session_id: shortened(receipt.session_id),
    external_user: shortened(receipt.external_user),
    http_referer: shortened(receipt.http_referer),
    app_title: shortened(receipt.app_title),
    user_agent: shortened(receipt.user_agent),
    trace: null,
  };
}

function shortened(text: string | null): string | null {
  return text === null ? null : truncateStart(text, MAX_TEXT);
}
