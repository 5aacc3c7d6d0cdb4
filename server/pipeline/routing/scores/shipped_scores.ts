/** The scores that came with this version (shipped/NOTICE.md has their licences). */

import { type ScoreFile, scoreFilesSchema } from "../../../../shared/routing/scores.ts";

/** Imported, not read as files, so that they need no permission; of two releases the newer one is preferred. */
export async function loadShippedScores(): Promise<readonly ScoreFile[]> {
  const json = { with: { type: "json" } } as const;
  const files = await Promise.all([
    import("./shipped/livebench-2026-06-25.json", json),
    import("./shipped/livebench-2026-01-08.json", json),
    import("./shipped/bfcl-v4.json", json),
    import("./shipped/vectara-summaries.json", json),
  ]);
  return scoreFilesSchema.parse(files.map(({ default: file }) => file));
}
