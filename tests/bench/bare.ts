/**
 * The measure of all: a proxy in Deno that reads the body, fetches, and returns what comes, byte for byte.
 * `deno run bare.ts <upstream>` prints the port it listens on.
 */

const [upstream = ""] = Deno.args;

async function pass(request: Request): Promise<Response> {
  const body = await request.text();
  const answer = await fetch(upstream + new URL(request.url).pathname, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer bench" },
    body,
  });
  return new Response(answer.body, {
    status: answer.status,
    headers: { "content-type": answer.headers.get("content-type") ?? "application/json" },
  });
}

if (import.meta.main) {
  const onListen = ({ port }: Deno.NetAddr) => console.log(port);
  Deno.serve({ hostname: "127.0.0.1", port: 0, onListen }, pass);
}
