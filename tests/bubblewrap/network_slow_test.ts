/** Containers with an allow list: what programs reach by the proxy, what nobody reaches, and how connections end. */

import assert from "node:assert/strict";
import { MAX_OPENED } from "../../server/sandbox/bubblewrap/network/box_network.ts";
import { parseProxy } from "../../server/config/proxies.ts";
import type { FindProxy } from "../../server/providers/upstream/proxy_rules.ts";
import { hasBubblewrap } from "../support/bubblewrap.ts";
import { commandEnds } from "../support/command_ends.ts";
import { runIn, type SandboxRig, sandboxRig, shown } from "../support/sandbox.ts";
import { sandboxNetwork } from "../support/sandbox_network.ts";
import { tickingClock } from "../support/ticking_clock.ts";
import { hasTinyproxy, startTinyproxy } from "../support/tinyproxy.ts";
import { makeCertificates } from "../support/upstream_certificates.ts";
import { answer, type UpstreamConnection, upstreamServer } from "../support/upstream_server.ts";
import { patiently, until } from "../support/until.ts";

const allowlist = (...domains: readonly string[]) => ({ type: "allowlist", domains }) as const;
const OTHER = allowlist("other.example");

const REFS = `${"1".repeat(40)}\trefs/heads/main\n`;

/** Serves a repository of git, an endless page, and how a page was asked for. */
async function serve(connection: UpstreamConnection): Promise<void> {
  for (
    let request = await connection.request();
    request !== undefined;
    request = await connection.request()
  ) {
    const [line = ""] = request.split("\r\n");
    if (line.includes("/endless")) {
      await connection.write("HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n");
      for (;;) await connection.write(new Uint8Array(64 * 1024));
    }
    if (line.includes("/silent")) continue;
    await connection.write(line.includes("info/refs") ? answer(REFS) : answer(`${line}\n`));
  }
}

interface NetworkRig extends AsyncDisposable {
  readonly rig: SandboxRig;
  readonly server: ReturnType<typeof upstreamServer>;
  readonly network: ReturnType<typeof sandboxNetwork>;
  /** Writes the certificate of the server's authority. */
  readonly trust: string;
}

async function networkRig(findProxy?: FindProxy): Promise<NetworkRig> {
  const certificates = await makeCertificates();
  assert(certificates !== undefined);
  const server = upstreamServer(serve, { tls: certificates.elsewhere });
  const clock = tickingClock();
  const network = sandboxNetwork({ clock, port: server.port, caCerts: [certificates.authority], findProxy });
  const rig = sandboxRig({ engine: "bubblewrap", ...network });
  return {
    rig,
    server,
    network,
    trust:
      `cat > ca.pem <<'END'\n${certificates.authority}END\nexport CURL_CA_BUNDLE=~/ca.pem GIT_SSL_CAINFO=~/ca.pem\n`,
    [Symbol.asyncDispose]: async () => {
      await rig[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const py = (code: string) => `python3 - <<'END' 2>&1 | tail -n 3\n${code}\nEND\n`;
const patient = { timeoutMs: 60_000 };

/** A program, and what it shows. */
const programs: Readonly<Record<string, readonly [code: string, shows: RegExp]>> = {
  curl: ["curl -sS https://other.example/a?b=c", /^GET \/a\?b=c HTTP\/1\.1\n$/],
  "curl with another method": ["curl -sS -X DELETE https://other.example/", /^DELETE \/ HTTP\/1\.1\n$/],
  "a page without a tunnel": [
    `printf 'GET https://other.example/x HTTP/1.0\\r\\n\\r\\n' > /dev/tcp/127.0.0.1/3128;
    exec 5<>/dev/tcp/127.0.0.1/3128; printf 'HEAD https://other.example/y HTTP/1.0\\r\\n\\r\\n' >&5; head -1 <&5`,
    /^HTTP\/1\.1 200 \r\n$/,
  ],
  git: ["git ls-remote https://other.example/repo.git", /^1{40}\trefs\/heads\/main\n$/],
  urllib: [
    py(
      "import ssl, urllib.request\n" +
        "print(urllib.request.urlopen('https://other.example/p', context=ssl.create_default_context(cafile='ca.pem')).read())",
    ),
    /^b'GET \/p HTTP\/1\.1\\n'\n$/,
  ],
  "another domain": [
    py("import urllib.request\nurllib.request.urlopen('https://evil.example/')"),
    /Tunnel connection failed: 403 The request does not allow evil\.example\.[^]*network: The request does not allow evil/,
  ],
  "another server through the tunnel": [
    "curl -sSk --connect-to evil.example:443:other.example:443 https://evil.example/",
    /network: Only TLS to other\.example may pass through its tunnel: another server is named\.\n/,
  ],
  "no TLS through the tunnel": [
    "curl -sS --proxytunnel http://other.example:443/",
    /network: Only TLS to other\.example may pass through its tunnel: it is no TLS\.\n/,
  ],
  "a page without an end": [
    "curl -s https://other.example/endless | wc -c | sed 's/10[0-9]*/ten million/'",
    /^ten million\nnetwork: A connection carries 10 MiB: it was closed\.\n$/,
  ],
  "an eleventh request": [
    "for i in 1 2 3 4 5 6 7 8 9 10 11; do curl -s https://other.example/$i > /dev/null || echo $i; done",
    /^11\nnetwork: A command may make 10 requests\.\n$/,
  ],
};

/** Places that no program reaches, with and without the proxy; `HOST` is a port of the machine. */
const closed: Readonly<Record<string, readonly [code: string, shows: RegExp]>> = {
  "the machine": ["exec 3<>/dev/tcp/127.0.0.1/HOST", /Connection refused/],
  "the machine by the proxy": [
    "curl -sS --noproxy '' https://127.0.0.1:HOST/ https://127.0.0.1/",
    /Only port 443[^]*127\.0\.0\.1 is not on the public Internet/,
  ],
  "the machine by its name": [
    "curl -sS --noproxy '' https://localhost/",
    /localhost is not on the public/,
  ],
  "metadata of a cloud": ["curl -sS -m 9 http://169.254.169.254/", /Only https URLs can be fetched/],
  "metadata without the proxy": [
    "curl -sS -m 9 --noproxy '*' http://169.254.169.254/",
    /Couldn't connect|unreachable/,
  ],
  "an address outside": ["exec 3<>/dev/tcp/1.1.1.1/443", /unreachable/],
  "names": ["getent hosts other.example; echo $?", /^2\n$/],
};

if (hasBubblewrap()) {
  Deno.test("programs of a container reach what its policy allows, and nothing else", async (t) => {
    await using ready = await networkRig();
    const { rig, trust } = ready;
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const used = await rig.open({ network: OTHER });
    const outcome = await runIn(used, trust, patient);
    const environment = outcome.type === "ended" ? outcome.environment : {};
    assert.doesNotMatch(Object.keys(environment).join(), /proxy/i);
    for (const [what, [code, shows]] of Object.entries({ ...programs, ...closed })) {
      await t.step(what, async () => {
        const own = code.replaceAll("HOST", String((listener.addr as Deno.NetAddr).port));
        assert.match(shown(await runIn(used, own, { ...patient, environment })), shows);
      });
    }
    used.release(undefined);
    await t.step("in a new container", async () => {
      const fresh = await rig.open({ container: "fresh", network: OTHER });
      assert.match(
        shown(await runIn(fresh, `${trust}curl -sS https://other.example/`, patient)),
        /^GET \/ HTTP/,
      );
      fresh.release(undefined);
    });
    await t.step("each by its own policy, at the same time", async () => {
      const outcomes = ["other.example", "evil.example"].map(async (domain) => {
        const process = await rig.open({ container: domain, network: allowlist(domain) });
        const shows = shown(await runIn(process, `${trust}curl -sS https://other.example/`, patient));
        process.release(undefined);
        return shows;
      });
      const [allowed, refused] = await Promise.all(outcomes);
      assert.match(allowed ?? "", /^GET \/ HTTP/);
      assert.match(refused ?? "", /network: The request does not allow other\.example\.\n/);
    });
    await t.step("a container without a policy has none", async () => {
      const without = await rig.open({ container: "without" });
      assert.match(
        shown(await runIn(without, "exec 3<>/dev/tcp/127.0.0.1/3128", patient)),
        /Connection refused/,
      );
      without.release(undefined);
    });
    listener.close();
  });

  Deno.test("the interpreter that lasts has a network too, with requests of each call's own", async () => {
    await using ready = await networkRig();
    const { rig, trust } = ready;
    const notebook = await rig.open({ container: "notebook", network: OTHER });
    await runIn(notebook, trust, patient);
    const setUp = "import ssl, urllib.request\n" +
      "context = ssl.create_default_context(cafile='/home/user/ca.pem')\n" +
      "def ask(n): return urllib.request.urlopen(f'https://other.example/{n}', context=context).read()\n" +
      "ask(0)";
    for (const code of [setUp, "ask(0)"]) {
      const cell = { ...patient, language: "python" } as const;
      assert.equal(shown(await runIn(notebook, code, cell)), "b'GET /0 HTTP/1.1\\n'\n");
      assert.match(
        shown(await runIn(notebook, "for n in range(11): ask(n)", cell)),
        /Tunnel connection failed: 403 A command may make 10 requests/,
      );
    }
    notebook.release(undefined);
  });

  Deno.test("what no program reaches would be seen if a wall were open", async () => {
    await using ready = await networkRig();
    const { server, network } = ready;
    const allowedHosts = [`127.0.0.1:${server.port}`];
    const open = sandboxNetwork({ clock: tickingClock(), port: server.port, policy: { allowedHosts } });
    await using rig = sandboxRig({ engine: "bubblewrap", ...open });
    const process = await rig.open({ network: allowlist("127.0.0.1") });
    const code = `curl -sSk --noproxy '' https://127.0.0.1:${server.port}/`;
    assert.equal(shown(await runIn(process, code, patient)), "GET / HTTP/1.1\n");
    assert.equal(network.connected.length, 0);
    process.release(undefined);
  });

  Deno.test("a flood of connections is cut off, and the next command connects", async () => {
    await using ready = await networkRig();
    const { rig, trust, network } = ready;
    const process = await rig.open({ network: OTHER });
    const flood = py(
      "import socket\ncount = 0\n" +
        `for i in range(${3 * MAX_OPENED}):\n` +
        "  try:\n    s = socket.create_connection(('127.0.0.1', 3128), 9)\n" +
        "    s.send(b'GET / HTTP/1.0\\r\\n\\r\\n'); s.recv(9999); s.close(); count += 1\n" +
        "  except OSError: pass\nprint(count)",
    );
    const [count = ""] = shown(await runIn(process, flood, patient)).split("\n");
    assert(Number(count) >= MAX_OPENED && Number(count) < 2 * MAX_OPENED, count);
    assert.equal(network.connected.length, 0);
    assert.match(
      shown(await runIn(process, `${trust}curl -sS https://other.example/`, patient)),
      /^GET \/ HTTP/,
    );
    process.release(undefined);
  });
}

if (hasBubblewrap()) {
  Deno.test("connections end with their command", async (t) => {
    for (const [name, end] of commandEnds) {
      await t.step(name, async () => {
        await using ready = await networkRig();
        const { rig, trust, server } = ready;
        const process = await rig.open({ network: OTHER });
        const stop = new AbortController();
        const running = runIn(process, `${trust}curl -s https://other.example/silent`, {
          ...patient,
          signal: stop.signal,
        });
        await until(() => server.requests === 1, { what: "the request" });
        await end(rig, stop);
        await patiently(running).catch((error: unknown) => assert.equal(error, stop.signal.reason));
        await server.connections[0]?.gone();
        process.release(undefined);
      });
    }

    await t.step("a program that is left behind", async () => {
      await using ready = await networkRig();
      const { rig, trust, server } = ready;
      const process = await rig.open({ network: OTHER });
      const code = `${trust}setsid curl -s https://other.example/silent &
        until grep -q ':01BB\\|:0C38 01' /proc/net/tcp; do sleep 0.05; done; sleep 0.5; echo done`;
      assert.equal(shown(await runIn(process, code, patient)), "done\n");
      for (const connection of server.connections) await connection.gone();
      assert.equal(shown(await runIn(process, "grep -c ' 01 ' /proc/net/tcp", patient)), "0\n[1]");
      process.release(undefined);
    });
  });
}

if (hasBubblewrap() && hasTinyproxy()) {
  Deno.test("tunnels of a container lead through the proxy of the settings, and say so where it is away", async () => {
    await using proxy = await startTinyproxy({ credentials: "user:secret" });
    const parsed = parseProxy(`http://user:secret@127.0.0.1:${proxy.port}`);
    assert("value" in parsed);
    await using ready = await networkRig(() => parsed.value);
    const { rig, trust, server, network } = ready;
    const process = await rig.open({ network: OTHER });
    const get = `${trust}curl -sS https://other.example/a`;
    assert.equal(shown(await runIn(process, get, patient)), "GET /a HTTP/1.1\n");
    assert.deepEqual(network.connected.map(({ hostname, port }) => `${hostname}:${port}`), [
      "other.example:443",
    ]);
    assert.match(await proxy.log(), new RegExp(`CONNECT 127\\.0\\.0\\.1:${server.port} `));
    // Its rules hold before the proxy is asked.
    assert.match(
      shown(await runIn(process, `${trust}curl -sS https://evil.example/`, patient)),
      /does not allow evil/,
    );
    await proxy.stop();
    const away = shown(await runIn(process, get, patient));
    assert.match(away, /CONNECT tunnel failed|HTTP code 50\d/);
    assert(!away.includes("secret"));
    assert.equal(server.requests, 1);
    process.release(undefined);
  });
}
