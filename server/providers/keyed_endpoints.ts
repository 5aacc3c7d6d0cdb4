/** An endpoint whose provider has several keys, once for each of them: one key may rest while the others go on. */

import type { Endpoint, Provider } from "./endpoint.ts";

const KEY_MARK = "|key:";

/** The id of the endpoint itself, whichever of its provider's keys it is called with. */
export function sharedEndpointId(id: string): string {
  const at = id.indexOf(KEY_MARK);
  return at === -1 ? id : id.slice(0, at);
}

/** Name of the variable that has the key with which an endpoint is called; undefined where there is one key only. */
export function keyNameOf(id: string): string | undefined {
  const at = id.indexOf(KEY_MARK);
  return at === -1 ? undefined : id.slice(at + KEY_MARK.length);
}

/** The id of an endpoint when it is called with the key of that variable. */
export const keyedEndpointId = (id: string, name: string): string => `${id}${KEY_MARK}${name}`;

/** Ids of the endpoint with every key of its provider, which meet the same server at the same price; none for a single key. */
export function eachKeyOf(
  { id, provider: { keys = [] } }: Pick<Endpoint, "id" | "provider">,
): readonly string[] {
  const shared = sharedEndpointId(id);
  return shared === id ? [] : keys.map(({ name }) => keyedEndpointId(shared, name));
}

const known = new WeakMap<Endpoint, readonly Endpoint[]>();

/**
 * The endpoint once for each key of its provider, in the order of the settings: the same objects for the same endpoint.
 * Undefined for one that has a single key, or is called with one of the caller's own.
 */
export function keyedEndpoints(endpoint: Endpoint): readonly Endpoint[] | undefined {
  const { provider: { keys }, byok } = endpoint;
  if (keys === undefined || byok === true) return undefined;
  const found = known.get(endpoint);
  if (found !== undefined) return found;
  const made = keys.map(({ name, headers }): Endpoint => ({
    ...endpoint,
    id: keyedEndpointId(endpoint.id, name),
    provider: providerWith(endpoint.provider, headers),
  }));
  known.set(endpoint, made);
  return made;
}

const providers = new WeakMap<Provider["headers"], Provider>();

/** One object for all endpoints: what is remembered of a provider is remembered by it. */
function providerWith(provider: Provider, headers: Provider["headers"]): Provider {
  const found = providers.get(headers);
  if (found !== undefined) return found;
  const made = { ...provider, headers };
  providers.set(headers, made);
  return made;
}
