/** What of the environment the keeper gets: where Deno finds its cache and its packages, and no secret of a provider. */

const names = [
  "DENO_DIR",
  "HOME",
  "XDG_CACHE_HOME",
  "NPM_CONFIG_REGISTRY",
  "DENO_CERT",
  "DENO_TLS_CA_STORE",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  // Windows.
  "LOCALAPPDATA",
  "SYSTEMROOT",
  "USERPROFILE",
] as const;

export function keeperEnvironment(env: (name: string) => string | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(names.flatMap((name) => {
    const value = env(name);
    return value === undefined ? [] : [[name, value]];
  }));
}
