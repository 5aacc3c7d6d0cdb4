/** Addresses of links and pictures as they are named in a text: absolute, and no scripts or data. */

/** Links are relative to the page unless it says otherwise. An empty address of the page is not known. */
export function resolveAddresses(document: Document, url: string): void {
  const declared = document.querySelector("base[href]")?.getAttribute("href") ?? "";
  const base = (URL.parse(declared, url || undefined) ?? URL.parse(url))?.href;
  for (const link of document.querySelectorAll("a[href]")) {
    const href = link.getAttribute("href")?.trim() ?? "";
    const address = resolved(href, base);
    if (address === undefined) link.removeAttribute("href");
    else link.setAttribute("href", address);
  }
  for (const picture of document.querySelectorAll("img[src]")) {
    const address = resolved(picture.getAttribute("src")?.trim() ?? "", base);
    if (address === undefined) picture.replaceWith(picture.getAttribute("alt") ?? "");
    else picture.setAttribute("src", address);
  }
}

/** Places within the page stay as they are. Undefined for what nobody can follow. */
function resolved(address: string, base: string | undefined): string | undefined {
  if (address.startsWith("#")) return address;
  const url = URL.parse(address, base);
  if (url === null) return /^[a-z][a-z\d+.-]*:/i.test(address) ? undefined : address;
  return /^(?:javascript|data|vbscript|blob):$/.test(url.protocol) ? undefined : url.href;
}
