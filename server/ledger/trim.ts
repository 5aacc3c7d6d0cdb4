/** Receipts that are too large to be stored whole. */

import type { Receipt } from "../../shared/receipts.ts";

const MAX_TEXT = 200;
const MAX_ROWS = 40;

/** The receipt with its money and without what may be of any size: at most some 30,000 bytes. */
export function trimmed(receipt: Receipt): Receipt {
  return {
    ...receipt,
    requested_model: cut(receipt.requested_model),
    upstream_id: cut(receipt.upstream_id),
    error: receipt.error && { ...receipt.error, message: receipt.error.message.slice(0, MAX_TEXT) },
    attempts: receipt.attempts.slice(0, 4).map((attempt) => ({
      ...attempt,
      why: attempt.why?.slice(0, MAX_TEXT),
    })),
    usage: Object.fromEntries(Object.entries(receipt.usage).slice(0, MAX_ROWS)),
    lines: receipt.lines.slice(0, MAX_ROWS),
    user: cut(receipt.user),
    session_id: cut(receipt.session_id),
    external_user: cut(receipt.external_user),
    http_referer: cut(receipt.http_referer),
    app_title: cut(receipt.app_title),
    user_agent: cut(receipt.user_agent),
    trace: null,
  };
}

function cut(text: string | null): string | null {
  return text === null ? null : text.slice(0, MAX_TEXT);
}
