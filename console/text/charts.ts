/** Texts of charts. */

export const chartText = {
  shownAs: "Shown as",
  chart: "Chart",
  table: "Table",
  asTable: (title: string) => `${title}, as a table`,
  together: "Together",
  behind: "The same data stands behind the Table switch.",
} as const;
