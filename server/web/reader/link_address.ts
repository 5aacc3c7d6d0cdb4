/** Addresses of links and pictures as they are named in a text. */

/** Absolute, where that can be. Places within the page stay as they are. Undefined for what nobody can follow. */
export function linkAddress(address: string, base: string | undefined): string | undefined {
  if (address.startsWith("#")) return address;
  const url = URL.parse(address, base);
  if (url === null) return /^[a-z][a-z\d+.-]*:/i.test(address) ? undefined : address;
  return /^(?:javascript|data|vbscript|blob):$/.test(url.protocol) ? undefined : url.href;
}
