/**
 * Serves as the comparison for files: a handler in Deno that writes a body to a file, syncs it, and serves it back,
 * with the paths of the gateway. `deno run files_bare.ts <folder>` prints the port it listens on.
 */

const [folder = ""] = Deno.args;
let count = 0;

async function keep({ body }: Request): Promise<Response> {
  const id = `${++count}`;
  using file = await Deno.open(`${folder}/${id}`, { write: true, createNew: true });
  for await (const bytes of body ?? []) {
    for (let written = 0; written < bytes.length;) written += await file.write(bytes.subarray(written));
  }
  await file.sync();
  return Response.json({ id });
}

async function content(path: string): Promise<Response> {
  const file = await Deno.open(path);
  const { size } = await file.stat();
  return new Response(file.readable, { headers: { "content-length": `${size}` } });
}

async function answer(request: Request): Promise<Response> {
  if (request.method === "POST") return await keep(request);
  const [, id = ""] = /^\/v1\/files\/(\d+)/.exec(new URL(request.url).pathname) ?? [];
  if (request.method === "GET") return await content(`${folder}/${id}`);
  await Deno.remove(`${folder}/${id}`);
  return new Response(null, { status: 204 });
}

if (import.meta.main) {
  const onListen = ({ port }: Deno.NetAddr) => console.log(port);
  Deno.serve({ hostname: "127.0.0.1", port: 0, onListen }, answer);
}
