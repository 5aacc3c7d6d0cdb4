/** Files inside a request: data URLs, or base64 whose type its name or its first bytes tell. */

const mediaTypes: ReadonlyMap<string, string> = new Map([
  ["pdf", "application/pdf"],
  ["txt", "text/plain"],
  ["md", "text/markdown"],
  ["csv", "text/csv"],
  ["html", "text/html"],
  ["json", "application/json"],
  ["xml", "application/xml"],
]);

/** Providers want the media type in front; callers may send the base64 alone. */
export function toDataUrl(data: string, filename = ""): string {
  if (data.startsWith("data:")) return data;
  return `data:${mediaType(data, filename)};base64,${data}`;
}

function mediaType(data: string, filename: string): string {
  // "%PDF-" in base64.
  if (data.startsWith("JVBERi0")) return "application/pdf";
  return mediaTypeByName(filename) ?? "application/octet-stream";
}

/** The media type that a file's name or the path of its URL ends in. */
export function mediaTypeByName(name: string): string | undefined {
  const ending = name.split(".").at(-1)?.toLowerCase() ?? "";
  return mediaTypes.get(ending);
}
