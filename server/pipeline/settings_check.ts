/** How the settings of a server tool are judged, also those of a request that nobody sends. */

import type { JsonObject } from "../protocols/canonical/item.ts";
import type { ConfiguredEngine } from "../web/search/configured_engines.ts";

/** The parts of the gateway by which they are judged. */
export interface SettingsDeps {
  readonly web: { readonly engines: readonly ConfiguredEngine[] };
}

export interface SettingsOffer {
  readonly settings: JsonObject;
  readonly deps: SettingsDeps;
}
