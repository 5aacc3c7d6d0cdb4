/** Addresses of links and pictures as they are named in a text: absolute, and no scripts or data. */

import { linkAddress } from "../link_address.ts";

/** Links are relative to the page unless it says otherwise. An empty address of the page is not known. */
export function resolveAddresses(document: Document, url: string): void {
  const declared = document.querySelector("base[href]")?.getAttribute("href") ?? "";
  const base = (URL.parse(declared, url || undefined) ?? URL.parse(url))?.href;
  for (const link of document.querySelectorAll("a[href]")) {
    const href = link.getAttribute("href")?.trim() ?? "";
    const address = linkAddress(href, base);
    if (address === undefined) link.removeAttribute("href");
    else link.setAttribute("href", address);
  }
  for (const picture of document.querySelectorAll("img[src]")) {
    const address = linkAddress(picture.getAttribute("src")?.trim() ?? "", base);
    if (address === undefined) picture.replaceWith(picture.getAttribute("alt") ?? "");
    else picture.setAttribute("src", address);
  }
}
