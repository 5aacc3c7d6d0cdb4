/** The canonical request that asks for nothing: what the gateway asks itself begins with it. */

import type { ModelRequest } from "./request.ts";

export const emptyRequest: ModelRequest = {
  models: [],
  input: [],
  tools: [],
  sampling: {},
  format: { type: "text" },
  stream: false,
  include: [],
  endUser: {},
  plugins: [],
  echoUpstreamBody: false,
  dropped: [],
};
