/** A picture of the gateway's own file store, which managers may read. */

import { useEffect } from "preact/hooks";
import { useSignal } from "@preact/signals";
import { queryOf } from "../../api.ts";
import { app } from "../../app.ts";
import { Icon } from "../../components/icon.tsx";
import { chosenWorkspace, workspaces } from "../../workspaces.ts";

const images: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** The id of a file of the gateway that an address names; undefined for any other address. */
export function fileIdOf(href: string): string | undefined {
  return /^(?:file:|(?:\/api)?\/v1\/files\/)?(tg_file_[0-9a-f]{32})(?:\/content)?$/.exec(href)?.[1];
}

async function readPicture(id: string, signal: AbortSignal): Promise<string | undefined> {
  const workspace_id = (chosenWorkspace.peek() ?? workspaces.data.peek()?.[0])?.id;
  const about = await app.api.send("GET", `/console/api/files/${id}${queryOf({ workspace_id })}`, { signal });
  const type = String(Object(await about.json()).mime_type);
  if (!images.has(type)) return undefined;
  const address = `/console/api/files/${id}/content${queryOf({ workspace_id })}`;
  const content = await app.api.send("GET", address, { signal });
  return URL.createObjectURL(new Blob([await content.arrayBuffer()], { type }));
}

export function FileImage({ id, alt }: { readonly id: string; readonly alt: string }) {
  const url = useSignal<string | undefined>(undefined);
  useEffect(() => {
    const abort = new AbortController();
    readPicture(id, abort.signal).then((found) => {
      url.value = found;
    }, (error) => console.debug(error));
    return () => {
      abort.abort();
      if (url.peek() !== undefined) URL.revokeObjectURL(url.peek() ?? "");
    };
  }, [id]);
  if (url.value !== undefined) return <img class="prose-image" src={url.value} alt={alt} />;
  return (
    <span class="picture-elsewhere">
      <Icon name="image" />
      <bdi>{alt === "" ? id : alt}</bdi>
    </span>
  );
}
