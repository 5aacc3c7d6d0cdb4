/**
 * A gateway in memory, for what the product has no switch for: put together as boot does it, on a store that
 * writes nothing to a disk, with the ledger or without one. `deno run variant.ts <what as JSON>` prints its port.
 */

import * as z from "zod";
import { runFirstStart } from "../../server/management/keys/first_start.ts";
import { createApp } from "../../server/app/app.ts";
import { composeApp } from "../../server/app/composition.ts";
import { composeLasting } from "../../server/app/compose/lasting.ts";
import { httpServerOptions } from "../../server/http/http_server/default_options.ts";
import { buildCatalog } from "../../server/providers/catalog/catalog.ts";
import { loadSnapshot } from "../../server/providers/catalog/snapshot.ts";
import { readConfig } from "../../server/config/config.ts";
import { listen } from "../../server/http/http_server/http_server.ts";
import type { Ledger } from "../../server/billing/ledger/core/ledger.ts";
import { openLedger } from "../../server/billing/ledger/core/open_ledger.ts";
import { createProjectionParts } from "../../server/billing/ledger/projection/projection_parts.ts";
import { createLogger } from "../../server/logger.ts";
import { createProviders, providerSettings } from "../../server/providers/mod.ts";
import { memoryStore } from "../../server/storage/stores/memory_store.ts";
import type { Store } from "../../server/storage/stores/store.ts";
import { httpTransport } from "../../server/providers/upstream/http_transport.ts";
import { SingleUseOrigins } from "../../server/providers/upstream/connections/single_use_origins.ts";
import { createClock, createRuntime, type Runtime } from "../../server/runtime.ts";
import { freeLedger } from "./free_ledger.ts";

const wantedSchema = z.object({
  env: z.record(z.string(), z.string()),
  ledger: z.enum(["kept", "none"]),
});
export type Variant = z.infer<typeof wantedSchema>;

interface Kept {
  readonly store: Store;
  readonly runtime: Runtime;
}

function ledgerOf({ ledger }: Variant, { store, runtime }: Kept): Ledger | Promise<Ledger> {
  if (ledger === "none") return freeLedger;
  return openLedger({ store, runtime, projectionParts: createProjectionParts(runtime), isShared: false });
}

async function gatewayOf(wanted: Variant) {
  const source = {
    env: (name: string) => wanted.env[name],
    readFile: (path: string) => Deno.readTextFileSync(path),
    terminal: false,
  };
  const config = readConfig(source, providerSettings);
  const write = (line: string) => console.error(line);
  const runtime = createRuntime(createLogger({ ...config.log, now: createClock().now, write }));
  const store = memoryStore();
  const ledger = await ledgerOf(wanted, { store, runtime });
  const own = { api: config.apiKey, management: config.managementKey };
  await runFirstStart({ store, runtime, configuredKeys: own, mayPrint: true });
  const providers = createProviders(config, undefined);
  const singleUse = new SingleUseOrigins(runtime);
  const parts = {
    config,
    runtime,
    store,
    ledger,
    catalog: buildCatalog({ config, providers, snapshot: await loadSnapshot(providers.providers) }),
    transport: httpTransport({ clock: runtime.clock, singleUse, connectMs: config.limits.connectMs }),
    singleUse,
  };
  const readiness = () => Promise.resolve({ ready: true, reasons: [] });
  const reload = () => Promise.reject(new Error("There is nothing to read again"));
  const app = createApp(await composeApp({ ...parts, readiness, reload }, await composeLasting(parts)));
  return { app, config, world: runtime };
}

if (import.meta.main) {
  const { app, config, world: runtime } = await gatewayOf(
    wantedSchema.parse(JSON.parse(Deno.args[0] ?? "null")),
  );
  const { addr } = listen({
    ...httpServerOptions(runtime, config.limits),
    hostname: "127.0.0.1",
    port: 0,
    handle: app.handle,
    protocolError: app.renderProtocolError,
  });
  console.log(addr.port);
}
