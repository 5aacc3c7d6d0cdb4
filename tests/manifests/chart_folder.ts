/** Files of the Helm chart, and values for it. */

import { fileURLToPath } from "node:url";
import { root } from "../support/task.ts";

export const chartFolder = fileURLToPath(new URL("deploy/helm/tollgate", root));

export type Values = Readonly<Record<string, unknown>>;

/** Text of a file of the chart. */
export const chartFile = (path: string): Promise<string> => Deno.readTextFile(`${chartFolder}/${path}`);
