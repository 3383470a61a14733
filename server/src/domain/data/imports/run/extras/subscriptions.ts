/**
 * Colors, pins, muting and notifications of subscriptions that the import made: those in its new channels, and those of its
 * new accounts. Others stay as they are. Clients learn of them when they register anew.
 */
import { sql } from "kysely";
import { booleanArray, integerArray, textArray } from "../../../../../platform/db/binary-array.ts";
import type { SourceExtras, SourceSubscription } from "../../source.ts";
import type { Import } from "../import-context.ts";
import { listNewcomers } from "./personal.ts";

const batchSize = 500;
const isColor = (color: string): boolean => /^#[0-9a-f]{6}$/.test(color);

export async function storeSubscriptions(run: Import, extras: SourceExtras, checkpoint: number): Promise<void> {
  const newcomers = await listNewcomers(run);
  let batch: SourceSubscription[] = [];
  for await (const subscription of extras.subscriptions?.() ?? []) {
    batch.push(subscription);
    if (batch.length < batchSize) continue;
    await storeBatch(run, batch, newcomers, checkpoint);
    batch = [];
  }
  if (batch.length > 0) await storeBatch(run, batch, newcomers, checkpoint);
}

async function storeBatch(
  run: Import,
  batch: readonly SourceSubscription[],
  newcomers: ReadonlySet<string>,
  checkpoint: number,
): Promise<void> {
  const texts = (value: (one: SourceSubscription) => string | null) => textArray(batch.map(value));
  const facts = (value: (one: SourceSubscription) => boolean) => booleanArray(batch.map(value));
  const choices = (value: (one: SourceSubscription) => boolean | null) =>
    integerArray(batch.map((one) => (value(one) === null ? null : Number(value(one)))));
  const { realmId, source } = run;
  await run.batch("import subscriptions", checkpoint, (tx) =>
    sql`
      with given as (
        select g.*, g.person_id || '/' || g.channel_id as key, person.id as user_id, place.conversation_id
        from unnest(${texts(({ personId }) => personId)}::text[], ${texts(({ channelId }) => channelId)}::text[],
            ${texts(({ color }) => (isColor(color) ? color : null))}::text[],
            ${facts(({ personId }) => newcomers.has(personId))}::boolean[],
            ${facts(({ isMuted }) => isMuted)}::boolean[], ${facts(({ isPinned }) => isPinned)}::boolean[],
            ${choices(({ desktop }) => desktop)}::integer[], ${choices(({ audible }) => audible)}::integer[],
            ${choices(({ push }) => push)}::integer[], ${choices(({ email }) => email)}::integer[],
            ${choices(({ wildcardMentions }) => wildcardMentions)}::integer[])
            as g (person_id, channel_id, color, is_newcomer, is_muted, is_pinned, desktop, audible, push, email, wildcard)
          join import_map person on person.realm_id = ${realmId} and person.source = ${source.name}
            and person.kind = 'person' and person.source_id = g.person_id
          join import_places place on place.realm_id = ${realmId} and not place.is_direct
            and place.source_id = g.channel_id and place.conversation_id is not null
        where place.is_new or g.is_newcomer
      ), remembered as (
        insert into import_map (realm_id, source, kind, source_id, id)
        select ${realmId}, ${source.name}, 'subscription', key, conversation_id from given
        on conflict do nothing returning source_id
      )
      update subscriptions s set color = coalesce(given.color, s.color), is_muted = given.is_muted,
        pin_to_top = given.is_pinned, desktop_notifications = given.desktop::boolean,
        audible_notifications = given.audible::boolean, push_notifications = given.push::boolean,
        email_notifications = given.email::boolean, wildcard_mentions_notify = given.wildcard::boolean
      from given
      where s.user_id = given.user_id and s.channel_id = given.conversation_id
        and given.key in (select source_id from remembered)`.execute(tx),
  );
}
