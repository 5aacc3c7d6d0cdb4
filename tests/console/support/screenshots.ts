/** Pictures of pages, to be looked at: both themes, both widths. They are no part of the repository. */

import type { Page } from "playwright-core";

/** `TOLLGATE_TEST_SCREENSHOTS`: the folder that pictures are written to; none are taken without it. */
export function screenshotFolder(): string | undefined {
  return Deno.env.get("TOLLGATE_TEST_SCREENSHOTS") || undefined;
}

/** Writes `NAME-THEME-WIDTH.png` for each theme and width; the page is then as before. */
export async function screenshots(
  page: Page,
  name: string,
  { folder = screenshotFolder() }: { readonly folder?: string } = {},
): Promise<void> {
  if (folder === undefined) return;
  const before = page.viewportSize();
  const theme = await page.evaluate<boolean>("matchMedia('(prefers-color-scheme: dark)').matches");
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: width === 360 ? 740 : 800 });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      const path = `${folder}/${name}-${colorScheme}-${width}.png`;
      await page.screenshot({ path, fullPage: true, animations: "disabled" });
    }
  }
  await page.emulateMedia({ colorScheme: theme ? "dark" : "light" });
  if (before !== null) await page.setViewportSize(before);
}
