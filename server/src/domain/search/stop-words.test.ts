import { sql } from "kysely";
import { expect, test } from "vitest";
import { newRealm } from "../../../test/realm.ts";
import { englishStopWords } from "./stop-words.ts";

test("registration tells the words that searches pass over, and the search does", async () => {
  const realm = await newRealm();

  const { state } = await realm.admin.register([], ["stop_words"]);

  expect(state.stop_words).toEqual(englishStopWords);
  const { rows } = await sql<{ word: string }>`
    select word from unnest(${englishStopWords}::text[]) as word
    where to_tsvector('english', word) <> ''::tsvector`.execute(realm.ctx.db);
  expect(rows).toEqual([]);
});

test("of the words of another language nothing is told", async () => {
  const realm = await newRealm();
  await sql`update realms set search_language = 'german' where id = ${realm.id}`.execute(realm.ctx.db);

  expect((await realm.admin.register([], ["stop_words"])).state.stop_words).toEqual([]);
});
