/** docs/mcp.md. */

import { type HeldPage } from "./held_page.ts";

const TOOLS = "server/pipeline/tools/mcp";
const WEB = "server/web/mcp";
const RULES = "tests/mcp/rules_test.ts";
const APPROVALS = "tests/mcp/approvals_test.ts";

export const mcp: HeldPage = {
  rows: [
    [
      '`"always"` (the default)',
      APPROVALS,
      "require_approval names the tools that need one, and those that need none",
    ],
    ["`connector_id` is 400", RULES, "what a request may not ask for is 400 and names the field"],
    [
      "a tool that needs one is 400 there",
      RULES,
      "what a request may not ask for is 400 and names the field",
    ],
    ["or could not be reached (0)", `${WEB}/failed_request.ts`, 'type: "http_error", code: 0'],
    ["names of more than 64 characters are cut", `${TOOLS}/function_names.ts`, "const LONGEST = 64;"],
    [
      "with another server, name or other arguments it is 422",
      APPROVALS,
      "an approved call whose server, name or arguments were changed is 422",
    ],
    [
      "that `tools` does not name, is 400",
      APPROVALS,
      "an approval that is to nothing in the request is 400, and an old one does no harm",
    ],
    ["10 servers a request", `${TOOLS}/named_servers.ts`, "const MOST_SERVERS = 10;"],
    ["20 s to connect and list", `${WEB}/mcp_access.ts`, "const LIST_MS = 20_000;"],
    [
      "100 tools and 256 KiB of descriptions",
      `${TOOLS}/list_servers.ts`,
      "const MOST_TOOLS = 100;\nconst MOST_BYTES = 256 * 1024;",
    ],
    ["4 MiB an answer", `${WEB}/mcp_connection.ts`, "const MOST_BYTES = 4 * 1024 * 1024;"],
    ["64 KiB of a result for the model", `${TOOLS}/call_result.ts`, "const MOST = 64 * 1024;"],
    ["of the older protocols, for 10 minutes", `${WEB}/mcp_access.ts`, "const KEPT_MS = 10 * 60 * 1_000;"],
    ["is kept for 10 minutes", `${WEB}/mcp_access.ts`, "const KEPT_MS = 10 * 60 * 1_000;"],
  ],
};
