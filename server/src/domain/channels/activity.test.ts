import { getChannel } from "@skein/api/channels.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { newRealm, success, type TestUser } from "../../../test/realm.ts";
import { channelOf, sendToChannel, type TestChannel } from "../../../test/actions.ts";
import { dayLength, refreshActivity } from "./activity.ts";
import { refreshChannelActivity } from "./jobs.ts";

const shown = async (user: TestUser, channel: TestChannel) =>
  success(await user.call(getChannel, { stream_id: channel.id })).stream;

// spec 2.2: stream_weekly_traffic, is_recently_active
test("traffic and recent activity are updated daily, and users with access to the channel receive events", async () => {
  const realm = await newRealm();
  const [hamlet, stranger] = [await realm.user("hamlet"), await realm.user("stranger")];
  const channel = await channelOf([hamlet], "closet", { isPrivate: true });
  for (let i = 0; i < 8; i++) await sendToChannel(hamlet, channel);
  const [queue, silent] = [await hamlet.register(["stream"]), await stranger.register(["stream"])];
  const refresh = (days: number) => refreshActivity(realm.ctx, realm.id, Date.now() + days * dayLength);

  await refresh(6);
  expect(await shown(hamlet, channel)).toMatchObject({ stream_weekly_traffic: null, is_recently_active: true });
  await refresh(15);
  await refresh(15);
  expect(await shown(hamlet, channel)).toMatchObject({ stream_weekly_traffic: 4, is_recently_active: true });
  await refresh(179);
  expect(await shown(hamlet, channel)).toMatchObject({ stream_weekly_traffic: 0, is_recently_active: true });
  await refresh(182);
  expect(await shown(hamlet, channel)).toMatchObject({ stream_weekly_traffic: 0, is_recently_active: false });
  await sendToChannel(hamlet, channel);
  expect(await shown(hamlet, channel)).toMatchObject({ is_recently_active: true });

  const about = { type: "stream", op: "update", stream_id: channel.id, name: "closet" };
  expect([await queue.next(), await queue.next(), await queue.next(), await queue.next()]).toEqual([
    { ...about, property: "stream_weekly_traffic", value: 4 },
    { ...about, property: "stream_weekly_traffic", value: 0 },
    { ...about, property: "is_recently_active", value: false },
    { ...about, property: "is_recently_active", value: true },
  ]);
  expect(await silent.all()).toEqual([]);
});

test("creating the first channel schedules the daily job, and each run schedules the next", async () => {
  const realm = await newRealm();
  await channelOf([realm.admin], "court");
  await channelOf([realm.admin], "yard");
  const planned = async () => {
    const { rows } = await sql<{ run_at: Date }>`
      select run_at from graphile_worker.jobs where key = ${`${refreshChannelActivity.name} ${realm.id}`}`.execute(
      realm.ctx.db,
    );
    return rows.map(({ run_at }) => run_at.getTime() % dayLength);
  };

  expect(await planned()).toEqual([0]);
  await sql`select graphile_worker.remove_job(${`${refreshChannelActivity.name} ${realm.id}`})`.execute(realm.ctx.db);
  expect(await planned()).toEqual([]);
  await refreshChannelActivity.run(realm.ctx, { realmId: realm.id }, { attempt: 1, maxAttempts: 12 });
  expect(await planned()).toEqual([0]);
});
