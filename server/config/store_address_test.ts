import assert from "node:assert/strict";
import { parseStoreAddress } from "./store_address.ts";

Deno.test("parseStoreAddress takes an address apart", () => {
  assert.deepEqual(parseStoreAddress("postgres://me:pass@db.example.com/gate"), {
    value: {
      hosts: [{ host: "db.example.com", port: 5432 }],
      database: "gate",
      user: "me",
      password: "pass",
      tls: "prefer",
    },
  });
  assert.deepEqual(
    parseStoreAddress("postgresql://me:p%40s%2Fs@w:d@a:1,[::1]:2,c/my%20gate?sslmode=verify-full"),
    {
      value: {
        hosts: [{ host: "a", port: 1 }, { host: "::1", port: 2 }, { host: "c", port: 5432 }],
        database: "my gate",
        user: "me",
        password: "p@s/s@w:d",
        tls: "verify-full",
      },
    },
  );
});

Deno.test("parseStoreAddress says what is allowed instead of what is none", () => {
  const wrong = [
    "postgres://",
    "postgres://host/db",
    "postgres://me@host",
    "postgres://me@host/",
    "postgres://:pass@host/db",
    "postgres://me:pass@host:0/db",
    "postgres://me:pass@host:99999/db",
    "postgres://me:pass@a,,b/db",
    "postgres://me:%zz@host/db",
    "postgres://me:pass@%2Fvar%2Frun/db",
    "postgres://me:pass@host/db?sslmode=maybe",
    "postgres://me:pass@host/db?options=-c%20fsync%3Doff",
    "mysql://me:pass@host/db",
    "./data",
  ];
  for (const input of wrong) {
    const reading = parseStoreAddress(input);
    assert.ok("allowed" in reading, input);
    assert.match(reading.allowed, /^an address such as postgres:/);
    assert.doesNotMatch(reading.allowed, /me:pass/);
  }
});
