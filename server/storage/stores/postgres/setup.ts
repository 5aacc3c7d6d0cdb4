/**
 * Sets up an empty database: a schema of its own with one table of keys and values, a sequence that versions are
 * drawn from, and the function that commits.
 */

import { inTransaction, type Sql } from "./postgres_client.ts";
import { StoreError } from "../store.ts";

/** One start at a time sets the database up; the numbers are random and only have to be the same everywhere. */
const SETUP_LOCK = 7_162_404_118;

/**
 * Sets the database up unless that has been done. Several instances may start at once. Throws a StoreError
 * `unavailable` for a database that cannot keep every text.
 */
export async function setUpPostgres(session: Sql): Promise<void> {
  await inTransaction(session, async (connection) => {
    await connection`select pg_advisory_xact_lock(${SETUP_LOCK})`;
    const [found] = await connection<readonly Found[]>`
      select current_setting('server_encoding') as encoding,
        to_regprocedure('tollgate.commit_1(bytea[],bigint[],bytea[],text[],bytea[],bytea[],text[])')
          is not null as done`;
    if (found?.encoding !== "UTF8") {
      throw new StoreError(
        "unavailable",
        `its encoding is ${found?.encoding}, UTF8 is needed: make the database with encoding 'UTF8'`,
      );
    }
    if (!found.done) await connection.unsafe(LAYOUT).simple();
  });
}

interface Found {
  readonly encoding: string;
  readonly done: boolean;
}

/**
 * A commit locks every key that it names, in their order, before it looks at versions: present keys by their
 * rows, absent ones by the rows that it puts there, or by rows of version 0 that others cannot see and that are
 * gone when it ends. So two commits
 * that check or write a common key happen one after the other, whether or not the key is there, and never wait
 * in a circle. A key that cannot hold is found before anything is locked.
 */
const LAYOUT = `
create schema if not exists tollgate;

create sequence if not exists tollgate.versions;

create table if not exists tollgate.records (
  key bytea primary key,
  version bigint not null,
  -- JSON, or null for bytes.
  json text,
  bytes bytea
);

create or replace function tollgate.commit_1(
  check_keys bytea[], check_versions bigint[],
  put_keys bytea[], put_json text[], put_bytes bytea[],
  delete_keys bytea[],
  topics text[]
) returns bigint language plpgsql as $$
declare
  drawn bigint;
begin
  if cardinality(check_keys) = 0 and cardinality(delete_keys) = 0 then
    drawn := nextval('tollgate.versions');
    insert into tollgate.records as r (key, version, json, bytes)
      select p.key, drawn, p.json, p.bytes
      from unnest(put_keys, put_json, put_bytes) as p (key, json, bytes) order by p.key
      on conflict (key) do update
        set version = excluded.version, json = excluded.json, bytes = excluded.bytes;
  else
    if exists (
      select from unnest(check_keys, check_versions) as c (key, version)
      left join tollgate.records r on r.key = c.key
      where coalesce(r.version, 0) <> c.version
    ) then
      return null;
    end if;
    drawn := nextval('tollgate.versions');
    insert into tollgate.records as r (key, version, json, bytes)
      select k.key, case when p.key is null then 0 else drawn end, p.json, p.bytes
      from (select distinct key from unnest(check_keys || put_keys || delete_keys) as u (key)) as k
      left join unnest(put_keys, put_json, put_bytes) as p (key, json, bytes) on p.key = k.key
      order by k.key
      on conflict (key) do update set version = 0 where false;
    if exists (
      select from unnest(check_keys, check_versions) as c (key, version)
      left join tollgate.records r on r.key = c.key
      -- What has the version that was just drawn was absent a moment ago.
      where coalesce(nullif(r.version, drawn), 0) <> c.version
    ) then
      raise exception 'a check does not hold' using errcode = 'TG001';
    end if;
    update tollgate.records r set version = drawn, json = p.json, bytes = p.bytes
      from unnest(put_keys, put_json, put_bytes) as p (key, json, bytes)
      where r.key = p.key and r.version <> drawn;
    delete from tollgate.records where key = any (delete_keys);
    delete from tollgate.records where key = any (check_keys) and version = 0;
  end if;
  perform pg_notify('tollgate', u.topic) from unnest(topics) as u (topic);
  return drawn;
end
$$;
`;
