/**
 * Environment variables that the keeper gets: where Deno finds its cache and its packages, and no secret of a
 * provider.
 */

const names = [
  "DENO_DIR",
  "HOME",
  "XDG_CACHE_HOME",
  "NPM_CONFIG_REGISTRY",
  "DENO_CERT",
  "DENO_TLS_CA_STORE",
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_DIR",
  "SSL_CERT_FILE",
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

/** Reads those of the variables that are set and may be read. */
export function keeperEnvironment(): Readonly<Record<string, string>> {
  return Object.fromEntries(names.flatMap((name) => {
    const mayRead = Deno.permissions.querySync({ name: "env", variable: name }).state === "granted";
    const value = mayRead ? Deno.env.get(name) : undefined;
    return value === undefined ? [] : [[name, value]];
  }));
}
