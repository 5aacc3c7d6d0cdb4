/** A conversation as it is kept in the tab. Nothing of it is kept on the server. */

import type { UserMessage } from "./request_body.ts";
import type { StoredRun } from "./run.ts";
import { firstSettings, type StoredSettings } from "./settings.ts";

interface StoredChat {
  readonly settings: StoredSettings;
  /** The message that is not sent yet. */
  readonly draft: string;
  readonly turns: readonly { readonly message: UserMessage; readonly runs: readonly StoredRun[] }[];
}

/** One entry of the browser's storage. */
export interface ChatStorage {
  read(): string | null;
  /** Throws where there is no room. */
  write(text: string): void;
}

/** The entry of a key's holder in this tab: another key that signs in does not see it. */
export function browserStorage(keyHash: string): ChatStorage {
  const name = `playground ${keyHash}`;
  return {
    read: () => sessionStorage.getItem(name),
    write: (text) => sessionStorage.setItem(name, text),
  };
}

/** This page has written it, perhaps in an earlier version, which had fewer fields. */
function toStored(text: string): StoredChat {
  const stored = JSON.parse(text) as StoredChat;
  const { draft = "", turns } = stored;
  return { settings: { ...firstSettings, ...stored.settings }, draft, turns };
}

/** Undefined where there is none, or none that can be read. */
export function readChat(storage: ChatStorage): StoredChat | undefined {
  const text = storage.read();
  if (text === null) return undefined;
  try {
    return toStored(text);
  } catch (error) {
    console.warn(error);
    return undefined;
  }
}

const withoutFiles = (chat: StoredChat): StoredChat => ({
  ...chat,
  turns: chat.turns.map(({ message, runs }) => ({
    message: { ...message, attachments: message.attachments.map((one) => ({ ...one, data: "" })) },
    runs,
  })),
});

/** Without the bytes of files where there is no room for them. False where there is none at all. */
export function writeChat(storage: ChatStorage, chat: StoredChat): boolean {
  for (const one of [chat, withoutFiles(chat)]) {
    try {
      storage.write(JSON.stringify(one));
      return true;
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
    }
  }
  return false;
}
