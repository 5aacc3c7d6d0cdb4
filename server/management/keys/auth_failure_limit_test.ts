import assert from "node:assert/strict";
import { memoryClock } from "../../../tests/support/clock.ts";
import { AuthFailureLimit, networkPrefix } from "./auth_failure_limit.ts";
import { GenerationalCache } from "../core/generational_cache.ts";

const direct = (address: string) => ({ address, isForwarded: false });

Deno.test("AuthFailureLimit tells an address to wait once it has failed too often in a minute", async () => {
  const clock = memoryClock();
  const limit = new AuthFailureLimit({ clock, perMinute: () => 3 });
  for (let at = 0; at < 3; at++) assert.equal(limit.failed(direct("192.0.2.1")), undefined);
  await clock.advance(15_500);
  assert.equal(limit.failed(direct("192.0.2.1")), 45);
  assert.equal(limit.failed(direct("192.0.2.2")), undefined);
  await clock.advance(44_500);
  assert.equal(limit.failed(direct("192.0.2.1")), undefined);
});

Deno.test("AuthFailureLimit leaves loopback alone", () => {
  const limit = new AuthFailureLimit({ clock: memoryClock(), perMinute: () => 0 });
  for (const address of ["127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1"]) {
    assert.equal(limit.failed(direct(address)), undefined);
  }
  assert.equal(limit.failed(direct("10.0.0.1")), 60);
});

Deno.test("AuthFailureLimit counts a loopback address that a header claims", () => {
  const limit = new AuthFailureLimit({ clock: memoryClock(), perMinute: () => 0 });
  assert.equal(limit.failed({ address: "127.0.0.1", isForwarded: true }), 60);
  assert.equal(limit.failed({ address: "::1", isForwarded: true }), 60);
});

Deno.test("AuthFailureLimit counts the addresses of one IPv6 network together", () => {
  const limit = new AuthFailureLimit({ clock: memoryClock(), perMinute: () => 1 });
  assert.equal(limit.failed(direct("2001:db8::1")), undefined);
  assert.equal(limit.failed(direct("2001:0DB8:0:0:ffff::2")), 60);
  assert.equal(limit.failed(direct("2001:db8:0:1::1")), undefined);
});

Deno.test("networkPrefix names an IPv4 host and an IPv6 network", () => {
  assert.equal(networkPrefix("192.0.2.7"), "192.0.2.7");
  assert.equal(networkPrefix("::ffff:192.0.2.7"), "192.0.2.7");
  assert.equal(networkPrefix("2001:DB8::1"), "2001:db8:0:0::/64");
  assert.equal(networkPrefix("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
  assert.equal(networkPrefix("::2"), "0:0:0:0::/64");
});

Deno.test("AuthFailureLimit forgets the address counted longest when there are too many", () => {
  const limit = new AuthFailureLimit({ clock: memoryClock(), perMinute: () => 1, maxAddresses: 2 });
  limit.failed(direct("192.0.2.1"));
  limit.failed(direct("192.0.2.2"));
  limit.failed(direct("192.0.2.3"));
  assert.equal(limit.failed(direct("192.0.2.3")), 60);
  assert.equal(limit.failed(direct("192.0.2.1")), undefined);
});

Deno.test("GenerationalCache keeps what is used and forgets the rest", () => {
  const cache = new GenerationalCache<number>(10);
  cache.set("used", 1);
  for (let at = 0; at < 100; at++) {
    cache.set(`k${at}`, at);
    assert.equal(cache.get("used"), 1);
    assert.ok(cache.size <= 10);
  }
  assert.equal(cache.get("k99"), 99);
  assert.equal(cache.get("k0"), undefined);
  cache.delete("used");
  assert.equal(cache.get("used"), undefined);
  cache.clear();
  assert.equal(cache.size, 0);
});
