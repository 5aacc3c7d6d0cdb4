/** Puts the app together so that a reload can exchange it: what lasts once, and what the settings make each time. */

import { pause } from "../../../shared/util/pause.ts";
import type { Config } from "../../config/config.ts";
import type { LocalProvider } from "../../local_provider/local_provider.ts";
import { installationCollection } from "../../management/core/installation.ts";
import { replaceConfiguredKeys } from "../../management/keys/replace_configured_keys.ts";
import type { Runtime } from "../../runtime.ts";
import { type App, createApp } from "../app.ts";
import type { Readiness } from "../readiness_reply.ts";
import { composeLasting, type LastingParts } from "../compose/lasting.ts";
import { composeApp } from "../composition.ts";
import type { OpenedParts } from "../composition_parts.ts";
import type { InForce, Settings } from "./in_force.ts";
import { openSettings } from "./open_settings.ts";
import { Reloader } from "./reloader.ts";

interface ReloadableOptions {
  /** Reads the settings again. Throws a ConfigError. Undefined: they cannot be. */
  readonly read: (() => Config) | undefined;
  readonly local: LocalProvider | undefined;
  readonly readiness: (inForce: InForce) => Promise<Readiness>;
  /** Hands all requests from now on to an app that a reload has made. */
  readonly serve: (app: App) => void;
  readonly isStopping: () => boolean;
}

/** The app of the first settings, and what makes those of later ones. */
export async function composeReloadable(
  parts: OpenedParts,
  { read, local, readiness, serve, isStopping }: ReloadableOptions,
) {
  const { runtime } = parts;
  const lasting = await composeLasting(parts);
  const { inForce } = lasting;
  const compose = (settings: Settings) =>
    composeApp({
      ...parts,
      ...settings,
      readiness: () => readiness(inForce),
      reload: (by) => reloader.run(by),
    }, lasting);
  const prepare = async (config: Config) => {
    const settings = await openSettings({ config, runtime, local });
    await pause();
    const app = createApp(await compose(settings));
    await replaceKeys(config, { runtime, lasting });
    const start = () => {
      // Kept responses name endpoints of the settings before: none of them would be found any more.
      lasting.responseCache.clear();
      return serve(app);
    };
    return { ...settings, serve: start };
  };
  const reloader = new Reloader({ ...lasting, read, prepare, log: runtime.log, isStopping });
  return { lasting, reloader, deps: await compose(parts) };
}

interface KeyParts {
  readonly runtime: Runtime;
  readonly lasting: LastingParts;
}

/** Puts other keys of the settings in the place of those before, as a start does. */
async function replaceKeys(
  { managementKey, apiKey }: Config,
  { runtime, lasting: { inForce, store, cacheVersions } }: KeyParts,
): Promise<void> {
  const { config } = inForce;
  if (managementKey === config.managementKey && apiKey === config.apiKey) return;
  const configuredKeys = { management: managementKey, api: apiKey };
  const installed = installationCollection(store);
  await replaceConfiguredKeys({ store, runtime, configuredKeys, mayPrint: false, installed });
  cacheVersions.changed("keys");
}
