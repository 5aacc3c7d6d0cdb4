/** Sort orders of lists of keys. Apart from the schemas, so that the console can use it without them. */

/** The youngest first, by name, or those that spent most this month first. */
export const keySorts = ["created", "name", "usage_monthly"] as const;
export type KeySort = (typeof keySorts)[number];
