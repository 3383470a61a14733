/** Topics that people muted, unmuted or follow. Topics without messages in the export are left out. */
import { sql } from "kysely";
import { integerArray, textArray } from "../../../../../platform/db/binary-array.ts";
import type { SourceExtras } from "../../source.ts";
import type { Import } from "../import-context.ts";
import { topicKey } from "../topics.ts";

const batchSize = 500;

interface Policy {
  personId: string;
  topic: string;
  /** As the person wrote it. */
  name: string;
  policy: number;
}

export async function storeTopicVisibility(run: Import, extras: SourceExtras, checkpoint: number): Promise<void> {
  let batch: Policy[] = [];
  const store = async () => {
    const policies = batch;
    batch = [];
    await run.batch("import topics' visibility", checkpoint, async (tx, report) => {
      const { rows } = await sql<{ count: number }>`
        with given as (
          select distinct on (person.id, topic.id) person.id as user_id, topic.id as topic_id, policy,
            case when not c.history_public_to_subscribers and lower(g.name) = lower(topic.name) then nullif(g.name, topic.name) end
              as topic_spelling,
            g.person_id || '/' || g.topic as key
          from unnest(${textArray(policies.map(({ personId }) => personId))}::text[],
              ${textArray(policies.map(({ topic }) => topic))}::text[],
              ${integerArray(policies.map(({ policy }) => policy))}::integer[],
              ${textArray(policies.map(({ name }) => name))}::text[]) as g (person_id, topic, policy, name)
            join import_map person on person.realm_id = ${run.realmId} and person.source = ${run.source.name}
              and person.kind = 'person' and person.source_id = g.person_id
            join import_map known on known.realm_id = ${run.realmId} and known.source = ${run.source.name}
              and known.kind = 'topic' and known.source_id = g.topic
            join topics topic on topic.id = known.id
            join channels c on c.id = topic.channel_id
        ), remembered as (
          insert into import_map (realm_id, source, kind, source_id, id)
          select ${run.realmId}, ${run.source.name}, 'visibility', key, topic_id from given
          on conflict do nothing returning source_id
        ), stored as (
          insert into user_topics (user_id, topic_id, topic_spelling, realm_id, visibility_policy)
          select user_id, topic_id, topic_spelling, ${run.realmId}, policy from given
          where key in (select source_id from remembered) order by user_id, topic_id
          on conflict do nothing returning 1
        )
        select count(*) as count from stored`.execute(tx);
      report.imported.settings += rows[0]?.count ?? 0;
    });
  };
  for await (const { personId, channelId, topic, policy } of extras.topicVisibility()) {
    batch.push({ personId, topic: topicKey(channelId, topic), name: topic, policy });
    if (batch.length >= batchSize) await store();
  }
  if (batch.length > 0) await store();
}
