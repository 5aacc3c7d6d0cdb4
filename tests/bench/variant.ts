/**
 * A gateway in memory, for what the product has no switch for: put together as boot does it, on a store that
 * writes nothing to a disk, with the ledger or without one. `deno run variant.ts <what as JSON>` prints its port.
 */

import * as z from "zod";
import { firstStart } from "../../server/management/keys/first_start.ts";
import { createApp } from "../../server/app.ts";
import { assemble } from "../../server/composition.ts";
import { doorOptions } from "../../server/start.ts";
import { catalogOf } from "../../server/catalog/catalog.ts";
import { installedSnapshot } from "../../server/catalog/snapshot.ts";
import { readConfig } from "../../server/config/config.ts";
import { listen } from "../../server/http_server/http_server.ts";
import type { Ledger } from "../../server/ledger/core/ledger.ts";
import { openLedger } from "../../server/ledger/core/ledger_instance.ts";
import { ledgerParts } from "../../server/ledger/projection/projection_parts.ts";
import { createLog } from "../../server/logger.ts";
import { providerSettings, providersFrom } from "../../server/providers/mod.ts";
import { memoryStore } from "../../server/stores/memory_store.ts";
import type { Store } from "../../server/stores/store.ts";
import { httpTransport } from "../../server/upstream/http_transport.ts";
import { realClock, realWorld, type World } from "../../server/runtime.ts";
import { freeLedger } from "./free_ledger.ts";

const wantedSchema = z.object({
  env: z.record(z.string(), z.string()),
  ledger: z.enum(["kept", "none"]),
});
export type Variant = z.infer<typeof wantedSchema>;

interface Kept {
  readonly store: Store;
  readonly world: World;
}

function ledgerOf({ ledger }: Variant, { store, world }: Kept): Ledger | Promise<Ledger> {
  if (ledger === "none") return freeLedger;
  return openLedger({ store, world, parts: ledgerParts(world), shared: false });
}

async function gatewayOf(wanted: Variant) {
  const source = {
    env: (name: string) => wanted.env[name],
    readFile: (path: string) => Deno.readTextFileSync(path),
    terminal: false,
  };
  const config = readConfig(source, providerSettings);
  const write = (line: string) => console.error(line);
  const world = realWorld(createLog({ ...config.log, now: realClock().now, write }));
  const store = memoryStore();
  const ledger = await ledgerOf(wanted, { store, world });
  const own = { api: config.apiKey, management: config.managementKey };
  await firstStart({ store, world, own, mayPrint: true });
  const providers = providersFrom(config, undefined);
  const app = createApp(
    await assemble({
      config,
      world,
      store,
      ledger,
      catalog: catalogOf({ config, providers, snapshot: await installedSnapshot(providers.providers) }),
      transport: httpTransport({ clock: world.clock, connectMs: config.limits.connectMs }),
      readiness: () => Promise.resolve({ ready: true, reasons: [] }),
    }),
  );
  return { app, config, world };
}

if (import.meta.main) {
  const { app, config, world } = await gatewayOf(wantedSchema.parse(JSON.parse(Deno.args[0] ?? "null")));
  const { addr } = listen({
    ...doorOptions(world, config.limits),
    hostname: "127.0.0.1",
    port: 0,
    answer: app.answer,
    refuse: app.refuse,
  });
  console.log(addr.port);
}
