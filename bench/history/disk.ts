/** The disk space of a message, including all indexes, with few and with many recipients. */
import { addChannels, addUsers, makeRealm, subscribe } from "../organization.ts";
import type { Stage } from "../stage.ts";
import { figure } from "../statistics.ts";
import { fillTo, type History } from "./fill.ts";

export interface DiskUse {
  subscribers: number;
  bytesPerMessage: number;
}

const concerned = ["messages", "message_search", "message_flags", "subscriptions", "topics"];

/** Uses an organization with one channel, whose subscribers have all read everything. */
export async function measureDisk(stage: Stage, subscribers: number): Promise<DiskUse> {
  const messages = stage.isQuick ? 20_000 : 500_000;
  const realm = await makeRealm(stage, `disk-${subscribers}`);
  const users = await addUsers(stage, realm, subscribers);
  const channels = await addChannels(stage, realm, 1);
  const [reader] = users;
  const [channel] = channels;
  if (!reader || channel === undefined) throw new Error("there is one of each");
  await subscribe(stage, realm, users, channels);
  const { pool } = stage;
  const { rows } = await pool.query<{ id: number }>(
    "insert into topics (realm_id, channel_id, name) values ($1, $2, 'about 1') returning id",
    [realm, channel],
  );
  const topic = rows[0]?.id ?? 0;
  await pool.query("truncate bench_places, bench_directs");
  await pool.query("insert into bench_places values (0, $1, $2)", [channel, topic]);
  await pool.query("insert into bench_directs values (0, $1, $2)", [channel, reader.id]);
  const history: History = {
    realm,
    reader,
    channels,
    broadChannel: channel,
    topics: [],
    longTopic: { channel, topic },
    partners: [],
    messages: 0,
  };
  const before = await bytes(stage);
  await fillTo(stage, history, messages);
  await pool.query("update subscriptions set read = received where realm_id = $1", [realm]);
  await pool.query("vacuum analyze subscriptions");
  const bytesPerMessage = ((await bytes(stage)) - before) / messages;
  stage.say(`${figure(subscribers)} subscribers: ${figure(bytesPerMessage)} bytes a message`);
  return { subscribers, bytesPerMessage };
}

async function bytes({ pool }: Stage): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>(
    "select sum(pg_total_relation_size(name::regclass)) as bytes from unnest($1::text[]) name",
    [concerned],
  );
  return Number(rows[0]?.bytes);
}
