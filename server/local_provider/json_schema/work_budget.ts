/** How much work one schema may cause. Schemas come from callers and may be hostile. */

export interface WorkBudget {
  /** Takes `steps` off; false once nothing is left. */
  spend(steps?: number): boolean;
}

export function createBudget(steps: number): WorkBudget {
  let left = steps;
  return {
    spend: (taken = 1) => {
      left -= taken;
      return left >= 0;
    },
  };
}
