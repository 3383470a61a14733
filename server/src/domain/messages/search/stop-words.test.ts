import { sql } from "kysely";
import { expect, test } from "vitest";
import { newRealm } from "../../../../test/realm.ts";
import { englishStopWords } from "./stop-words.ts";

test("registration lists the words a search ignores, and the search does ignore them", async () => {
  const realm = await newRealm();

  const { state } = await realm.admin.register([], ["stop_words"]);

  expect(state.stop_words).toEqual(englishStopWords);
  const { rows } = await sql<{ word: string }>`
    select word from unnest(${englishStopWords}::text[]) as word
    where to_tsvector('english', word) <> ''::tsvector`.execute(realm.ctx.db);
  expect(rows).toEqual([]);
});

test("there is no list for other languages", async () => {
  const realm = await newRealm();
  await sql`update realms set search_language = 'german' where id = ${realm.id}`.execute(realm.ctx.db);

  expect((await realm.admin.register([], ["stop_words"])).state.stop_words).toEqual([]);
});
