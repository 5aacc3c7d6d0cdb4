/** Waits for a state of a page. */

import type { Page } from "playwright-core";
import { until } from "../../support/until.ts";

/**
 * Waits until an expression is true in the page. A wait of Playwright's own has the page evaluate it once it was false,
 * which the console's policy forbids.
 */
export function untilInPage(page: Page, expression: string): Promise<void> {
  return until(async () => Boolean(await page.evaluate(expression)), { what: expression });
}
