/** A picture of the gateway's own file store, which managers may read. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { operation } from "../../api.ts";
import { app } from "../../app.ts";
import { Icon } from "../../components/icon.tsx";
import { filePreview, type Preview, previewKind, releasePreview } from "../../models/file_preview.ts";
import { chosenWorkspace, workspaces } from "../../workspaces.ts";

const getFile = operation<"files.get">("GET", "/files/:file_id");

/** The id of a file of the gateway that an address names; undefined for any other address. */
export function fileIdOf(href: string): string | undefined {
  return /^(?:file:|(?:\/api)?\/v1\/files\/)?(tg_file_[0-9a-f]{32})(?:\/content)?$/.exec(href)?.[1];
}

/** Undefined for what is no picture, and for a file that is not there. */
async function readPicture(id: string, signal: AbortSignal): Promise<Preview | undefined> {
  const workspaceId = (chosenWorkspace.peek() ?? workspaces.data.peek()?.[0])?.id ?? "";
  const input = { params: { file_id: id }, query: { workspace_id: workspaceId }, signal };
  const file = await app.api.call(getFile, input);
  if (file._shape !== "openrouter" || previewKind(file) !== "image") return undefined;
  const preview = filePreview({ api: app.api, file: { ...file, workspace_id: workspaceId } });
  await preview.load();
  return preview.data.peek();
}

export function FileImage({ id, alt }: { readonly id: string; readonly alt: string }) {
  const picture = useSignal<Preview | undefined>(undefined);
  useEffect(() => {
    if (!app.session.isManager.peek()) return;
    const abort = new AbortController();
    readPicture(id, abort.signal).then((found) => {
      if (abort.signal.aborted) releasePreview(found);
      else picture.value = found;
    }, (error) => console.debug(error));
    return () => {
      abort.abort();
      releasePreview(picture.peek());
    };
  }, [id]);
  if (picture.value?.kind === "image") return <img class="prose-image" src={picture.value.url} alt={alt} />;
  return (
    <span class="picture-elsewhere">
      <Icon name="image" />
      <bdi>{alt === "" ? id : alt}</bdi>
    </span>
  );
}
