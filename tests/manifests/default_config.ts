/** The configuration of a gateway for which nothing is set. */

import { readConfig } from "../../server/config/config.ts";

export const defaultConfig = readConfig(
  {
    env: () => undefined,
    readFile: (path) => {
      throw new Error(`Nothing names ${path}`);
    },
    terminal: false,
  },
  [],
);
