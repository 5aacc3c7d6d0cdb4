/** Groupings of receipts. Apart from the schemas, so that the console can use them without those. */

/** Parts of a receipt by which `GET /receipts/groups` groups. */
export const receiptGroupings = ["user", "session_id", "app_title"] as const;
export type ReceiptGrouping = (typeof receiptGroupings)[number];
