/** Groupings of receipts. Apart from the schemas, so that the console can use them without those. */

/** Parts of which a receipt has one or none, so that the groups add up to all receipts. */
export const singleGroupings = ["user", "session_id", "app_title", "preset"] as const;
export type SingleGrouping = (typeof singleGroupings)[number];

/** Parts of a receipt by which `GET /receipts/groups` groups. A receipt counts for each of its tags. */
export const receiptGroupings = [...singleGroupings, "tag"] as const;
export type ReceiptGrouping = (typeof receiptGroupings)[number];
