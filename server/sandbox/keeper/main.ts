/**
 * The keeper: a small process that starts, watches and ends children for the gateway, which may start no programs
 * itself (SECURITY.md, The keeper). It obeys its standard input and nothing else; when that ends, so does everything.
 */

import { createClock } from "../../runtime.ts";
import { sandboxFoldersSchema } from "../bubblewrap/sandbox_folders.ts";
import { Children } from "./children.ts";
import { FrameReader, FrameWriter, streamReader } from "./frames.ts";
import { type KeeperRequest, keeperRequestSchema } from "./messages.ts";

/** A terminal and a service manager signal every process; the gateway may still have work for this one. */
const ignoredSignals = Deno.build.os === "windows"
  ? ["SIGINT", "SIGBREAK"] as const
  : ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Returns when the gateway has ended. Throws for what is no request of it. */
async function serve(children: Children): Promise<void> {
  const requests = new FrameReader(streamReader(Deno.stdin.readable));
  for (let frame = await requests.next(); frame !== undefined; frame = await requests.next()) {
    const request = keeperRequestSchema.parse(frame.header);
    handle(children, { request, body: frame.body });
  }
}

function handle(
  children: Children,
  { request, body }: { readonly request: KeeperRequest; readonly body: Uint8Array<ArrayBuffer> },
): void {
  const endKeeper = () => end(children, 0);
  switch (request.type) {
    case "run":
      children.run(request, body).catch(endKeeper);
      return;
    case "open":
      children.open(request).catch(endKeeper);
      return;
    case "send":
      return children.send(request, body);
    case "stop":
      return children.stop(request.id);
    default:
      request satisfies never;
  }
}

/** No child outlives the keeper. */
function end(children: Children, code: 0 | 1): never {
  children.stopAll();
  Deno.exit(code);
}

/**
 * The keeper has a session of its own, so that Linux shares the processor between it with all its children and the
 * gateway by halves, however nice each of them is. It must not be the last either: it watches and ends children.
 */
function yieldSession(): void {
  if (Deno.build.os !== "linux") return;
  try {
    Deno.writeTextFileSync("/proc/self/autogroup", String(SESSION_NICENESS));
  } catch (_error) {
    // This kernel groups no sessions.
  }
}

const SESSION_NICENESS = 10;

yieldSession();
for (const signal of ignoredSignals) Deno.addSignalListener(signal, () => {});
const events = new FrameWriter(Deno.stdout.writable);
const children = new Children({
  clock: createClock(),
  emit: (event, body) => events.write(event, body),
  folders: sandboxFoldersSchema.parse(JSON.parse(Deno.args[0] ?? "{}")),
});
try {
  await serve(children);
} catch (error) {
  console.error("The keeper ends, because it got what is no request:", error);
  end(children, 1);
}
end(children, 0);
