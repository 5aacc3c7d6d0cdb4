/** B3: what one of three gateways on one PostgreSQL is told of a caller holds for the next turn on the others. */

import { openPostgres } from "../../server/storage/stores/postgres/open_postgres.ts";
import { createClock, createRuntime } from "../../server/runtime.ts";
import type { Store } from "../../server/storage/stores/store.ts";
import { startGateway } from "../support/gateway.ts";
import { hasPostgres, sharedPostgres } from "../support/postgres.ts";
import { addressOf } from "../support/store_address.ts";
import { apiNames } from "../money/rig.ts";
import { assertEnded, callerChanges, HeldProvider, runThrough } from "./caller_changes.ts";
import { shiftedClock } from "../support/ticking_clock.ts";

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const onPostgres = (url: string): Promise<Store> =>
  openPostgres(addressOf(url), {
    runtime: { clock: createClock(), randomToken: createRuntime(silent).randomToken },
  });

Deno.test({
  name: "B3 every change of a caller holds for the next turn on three gateways over one PostgreSQL",
  ignore: !hasPostgres(),
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    const url = await (await sharedPostgres()).createDatabase();
    const provider = new HeldProvider();
    await using _upstream = provider.upstream;
    const time = { ahead: 0 };
    const start = async () =>
      await startGateway({
        ...provider.options,
        store: await onPostgres(url),
        shared: true,
        clock: shiftedClock(time),
      });
    await using told = await start();
    await using one = await start();
    await using other = await start();
    const keys = { managementKey: told.managementKey };
    const serving = [{ ...one, ...keys }, { ...other, ...keys }];
    for (const [name, change] of Object.entries(callerChanges)) {
      for (const api of apiNames) {
        for (const stream of [true, false]) {
          await t.step(`${name}: ${api}, ${stream ? "streamed" : "whole"}`, async () => {
            assertEnded(
              change,
              await runThrough(change, { provider, serving, told, time, api, stream }),
            );
          });
        }
      }
    }
  },
});
