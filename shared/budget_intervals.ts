/** The intervals of budgets. Apart from the schemas, so that the console can use them without. */

/** From the narrowest to the broadest: limits rise strictly in this order. */
export const budgetIntervals = ["daily", "weekly", "monthly", "lifetime"] as const;
export type BudgetInterval = (typeof budgetIntervals)[number];
