/**
 * Statements of the documents, each with what holds it: numbers, defaults, limits, times, sizes and statuses.
 * Quoted texts and names are looked up in the product's sources by tests of their own.
 */

import { alerts } from "./held/alerts.ts";
import { autoRouting } from "./held/auto_routing.ts";
import { containers } from "./held/containers.ts";
import { denoDeploy } from "./held/deno_deploy.ts";
import { destinations } from "./held/destinations.ts";
import { errors } from "./held/errors.ts";
import { files } from "./held/files.ts";
import { fusion } from "./held/fusion.ts";
import { guardrails } from "./held/guardrails.ts";
import type { HeldPage } from "./held/held_page.ts";
import * as internals from "./held/internals.ts";
import { creditsAndBudgets, keysAndWorkspaces } from "./held/keys_and_credits.ts";
import { limitsAndBilling } from "./held/limits_and_billing.ts";
import { mcp } from "./held/mcp.ts";
import { metrics } from "./held/metrics.ts";
import { migrating } from "./held/migrating.ts";
import { operations } from "./held/operations.ts";
import { plugins } from "./held/plugins.ts";
import { presets } from "./held/presets.ts";
import { responseCache } from "./held/response_cache.ts";
import { providers } from "./held/providers.ts";
import { serverTools } from "./held/server_tools.ts";
import * as root from "./held/root_pages.ts";
import { settings } from "./held/settings.ts";
import * as short from "./held/short_pages.ts";
import { simulator } from "./held/simulator.ts";
import { tags } from "./held/tags.ts";
import { troubleshooting } from "./held/troubleshooting.ts";

/** By the page's name, without its folder and ending. */
export const heldPages: ReadonlyMap<string, HeldPage> = new Map(Object.entries({
  "agents": short.agents,
  alerts,
  "auto-routing": autoRouting,
  "behind-a-proxy": short.behindAProxy,
  "clients": short.clients,
  "console": short.consolePage,
  containers,
  "credits-and-budgets": creditsAndBudgets,
  "deno-deploy": denoDeploy,
  destinations,
  errors,
  files,
  "frameworks": short.frameworks,
  fusion,
  guardrails,
  "hosts": short.hosts,
  "install": short.install,
  "internals/data": internals.data,
  "internals/dependencies": internals.dependencies,
  "internals/isolation": internals.isolation,
  "internals/network": internals.network,
  "internals/task_classifier": internals.taskClassifier,
  "internals/testing": internals.testing,
  "keys-and-workspaces": keysAndWorkspaces,
  "limits-and-billing": limitsAndBilling,
  mcp,
  metrics,
  migrating,
  operations,
  plugins,
  presets,
  "response-cache": responseCache,
  providers,
  "README": root.readme,
  "rotate-keys": short.rotateKeys,
  "routing": short.routing,
  "SECURITY": root.security,
  "server-tools": serverTools,
  settings,
  "simulator-and-fault-lab": simulator,
  "speech": short.speech,
  tags,
  troubleshooting,
}));
