/** Style sheets that stand in an address. */

/** Undefined for what is no address of a style sheet. */
export function textOfDataUrl(address: string): string | undefined {
  const [, type, isBase64, data] = /^data:([^,;]*)(?:;[^,;]*?)*?(;base64)?,([^]*)$/i.exec(address.trim()) ??
    [];
  if (data === undefined || !/^(?:text\/css)?$/i.test(type ?? "")) return undefined;
  try {
    const text = decodeURIComponent(data.replaceAll(/%(?![\da-f]{2})/gi, "%25"));
    if (isBase64 === undefined) return text;
    return new TextDecoder().decode(Uint8Array.fromBase64(text.replaceAll(/\s/g, "")));
  } catch (_error) {
    // Escapes or letters that stand for no bytes: no sheet.
    return undefined;
  }
}
