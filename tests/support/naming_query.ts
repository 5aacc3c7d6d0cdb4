/** Queries without which the path of an operation means something else. */

const queries = new Map([["models.list", "?workspace_id=00000000-0000-4000-8000-000000000000"]]);

/** The query that an operation's path needs to be that operation; empty for most. */
export const namingQuery = (id: string): string => queries.get(id) ?? "";
