/**
 * `browse.ts <job as JSON>`: people who use a gateway's console all the time. Each reads the views of its pages one
 * after another, with a pause between two, until the process is ended; its first line is the
 * port, once all views were read.
 */

import { browseJob } from "./job.ts";

const HOUR_MS = 3_600_000;

interface Session {
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function signIn(port: number, key: string): Promise<Session> {
  const base = `http://127.0.0.1:${port}/console`;
  const origin = `http://127.0.0.1:${port}`;
  const response = await fetch(`${base}/session`, {
    method: "POST",
    headers: { origin, "content-type": "application/json" },
    body: JSON.stringify({ key }),
  });
  const body = await response.json();
  if (!response.ok) throw new Error(`Cannot sign in: the answer was ${response.status}`);
  const [cookie = ""] = (response.headers.get("set-cookie") ?? "").split(";");
  return { base, headers: { origin, cookie, "x-csrf": String(body.data.csrf) } };
}

interface Call {
  /** Below `/console/api`. */
  readonly path: string;
  /** Sent as JSON; without one it is a `GET`. */
  readonly body?: unknown;
}

async function read({ base, headers }: Session, { path, body }: Call): Promise<void> {
  const response = await fetch(`${base}/api${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: body === undefined ? headers : { ...headers, "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${text}`);
}

const query = (metrics: readonly string[], dimensions: readonly string[]) => {
  const end = Date.now();
  const time_range = {
    start: new Date(end - 24 * HOUR_MS).toISOString(),
    end: new Date(end).toISOString(),
  };
  return { metrics, dimensions, granularity: "hour", time_range };
};

/** Requests of the pages. */
const views: readonly ((session: Session) => Promise<unknown>)[] = [
  (session) =>
    Promise.all([
      read(session, { path: "/status" }),
      read(session, { path: "/analytics/query", body: query(["total_usage"], ["model"]) }),
      read(session, { path: "/analytics/query", body: query(["request_count", "tokens_prompt"], []) }),
      read(session, { path: "/keys?sort=usage_monthly&limit=10&workspace_id=all" }),
    ]),
  (session) => read(session, { path: "/keys?limit=25&workspace_id=all" }),
  (session) => read(session, { path: "/keys?limit=25&workspace_id=all&q=research" }),
  (session) => read(session, { path: "/keys?limit=25&workspace_id=all&sort=name" }),
  (session) => read(session, { path: "/workspaces?limit=100" }),
  (session) => read(session, { path: "/files?limit=50" }),
  (session) => read(session, { path: "/receipts?limit=20" }),
];

if (import.meta.main) {
  const { port, managementKey, sessions, pauseMs } = browseJob.parse(JSON.parse(Deno.args[0] ?? ""));
  const session = await signIn(port, managementKey);
  for (const view of views) await view(session);
  console.log(port);
  await Promise.all(Array.from({ length: sessions }, async (_, at) => {
    for (let view = at;; view++) {
      await views[view % views.length]?.(session);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }));
}
