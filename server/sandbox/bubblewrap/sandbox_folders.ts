/** Folders of the settings that sandboxes are made of, as the keeper gets them when it starts. */

import * as z from "zod";

export const sandboxFoldersSchema = z.strictObject({
  /** Has the root file system whose programs run; absent: this system's own. */
  root: z.string().optional(),
  /** Has packages of Python, unpacked; absent: there are none. */
  packages: z.string().optional(),
});

export type SandboxFolders = Readonly<z.output<typeof sandboxFoldersSchema>>;
