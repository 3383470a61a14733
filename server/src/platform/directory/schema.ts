/** The directory's own tables. Each step is applied once, in this order; a step never changes. */
import pg from "pg";
import { lockKeys } from "../db/advisory-locks.ts";

export const channel = "skein_directory";

const steps: readonly string[] = [
  `create table cells (
    number integer primary key check (number between 0 and 8191),
    name text not null unique check (name ~ '^[a-z0-9-]{1,40}$'),
    -- URLs of its nodes, or of a load balancer in front of them.
    addresses text[] not null check (cardinality(addresses) > 0),
    added_at timestamptz not null default now()
  );
  create table organizations (
    -- In lowercase; '*' for the organization that serves all other host names.
    host text primary key,
    cell integer not null references cells (number),
    -- Set while it is being moved there.
    moving_to integer references cells (number),
    changed_at timestamptz not null default now()
  );
  create function announce_change() returns trigger language plpgsql as $$
  begin
    perform pg_notify('${channel}', '');
    return null;
  end $$;
  create trigger cells_changed after insert or update or delete on cells
    for each statement execute function announce_change();
  create trigger organizations_changed after insert or update or delete on organizations
    for each statement execute function announce_change();`,
];

/** Creates or completes the tables. Safe to repeat, and for several processes at once. */
export async function prepareDirectory(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: "skein directory" });
  await client.connect();
  try {
    await client.query("begin");
    await client.query("select pg_advisory_xact_lock($1)", [lockKeys.directory]);
    await client.query("create table if not exists directory_steps (number integer primary key)");
    const { rows } = await client.query<{ number: number }>("select number from directory_steps");
    for (const [number, step] of steps.entries()) {
      if (rows.some((row) => row.number === number)) continue;
      await client.query(step);
      await client.query("insert into directory_steps values ($1)", [number]);
    }
    await client.query("commit");
  } finally {
    await client.end();
  }
}
