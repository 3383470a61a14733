/**
 * Alert words, muted people, saved snippets and personal settings. Whoever had an account before keeps their settings; the
 * rest is added to what they have.
 */
import { maxAlertWordLength } from "@skein/api/alert-words.ts";
import { maxMessageLength } from "@skein/api/messages.ts";
import { maxSnippetTitleLength } from "@skein/api/saved-snippets.ts";
import { settingNames, settingSchemas } from "@skein/api/settings.ts";
import { sql } from "kysely";
import type { User } from "../../../../../identity/account.ts";
import type { Tx } from "../../../../../platform/db/transaction.ts";
import { truncate } from "../../../../base/truncate.ts";
import { addAlertWords } from "../../../../messages/alert-words/actions.ts";
import { muteUser } from "../../../../messages/muted-users/actions.ts";
import { addSavedSnippet } from "../../../../people/saved-snippets/actions.ts";
import { settingsOf, toStored } from "../../../../people/settings/state.ts";
import type { SourceExtras, SourcePersonal } from "../../source.ts";
import { findAccount } from "../accounts.ts";
import type { Import } from "../import-context.ts";
import { recall } from "../map.ts";
import { findReferredIn, loadKnownIds } from "../references.ts";
import { toMarkdown, type Referred } from "../texts.ts";
import { storeOne } from "./store-one.ts";

export async function storePersonal(run: Import, extras: SourceExtras, checkpoint: number): Promise<void> {
  const ids = await loadKnownIds(run);
  const known = await recall(run.db, run, "personal");
  const newcomers = await listNewcomers(run);
  for await (const personal of extras.personal()) {
    const account = await findAccount(run, ids.people.get(personal.personId));
    if (!account || account.is_bot) continue;
    const texts = personal.snippets.map(({ text }) => text);
    const names = { people: ids.people, referred: await findReferredIn(run, ids, texts) };
    for (const { key, what, store } of thingsOf(account, personal, names, newcomers.has(personal.personId))) {
      if (known.has(key)) continue;
      await storeOne(run, { kind: "personal", key, what: `${what} of ${account.full_name}`, checkpoint }, store);
    }
  }
}

/** Accounts that this import created. */
export async function listNewcomers({ db, realmId }: Import): Promise<Set<string>> {
  const { rows } = await sql<{ source_id: string }>`
    select source_id from import_people where realm_id = ${realmId} and is_new`.execute(db);
  return new Set(rows.map((row) => row.source_id));
}

interface Thing {
  key: string;
  what: string;
  store: (tx: Tx) => Promise<number>;
}

function* thingsOf(
  account: User,
  { personId, alertWords, mutedPeople, snippets, settings }: SourcePersonal,
  { people, referred }: { people: ReadonlyMap<string, number>; referred: Referred },
  isNew: boolean,
): Generator<Thing> {
  for (const word of alertWords)
    yield {
      key: `${personId}/word/${word}`,
      what: "an alert word",
      store: async (tx) => {
        await addAlertWords(tx, account, [truncate(word, maxAlertWordLength, "")]);
        return account.id;
      },
    };
  for (const muted of mutedPeople) {
    const mutedId = people.get(muted);
    if (mutedId === undefined) continue;
    yield {
      key: `${personId}/muted/${muted}`,
      what: "a muted person",
      store: async (tx) => {
        await muteUser(tx, account, mutedId);
        return mutedId;
      },
    };
  }
  for (const { title, content, text, createdAt } of snippets)
    yield {
      key: `${personId}/snippet/${title}/${content}`,
      what: "a saved snippet",
      store: (tx) => {
        const place = { senderId: account.id, conversationId: 0 };
        const translated = toMarkdown(text, referred, place, () => undefined);
        return addSavedSnippet(tx, account, {
          title: truncate(title, maxSnippetTitleLength, "…"),
          content: truncate(translated, maxMessageLength, "…"),
          ...(createdAt === undefined ? {} : { date_created: new Date(Math.round(createdAt * 1000)) }),
        });
      },
    };
  if (isNew && Object.keys(settings).length > 0)
    yield { key: `${personId}/settings`, what: "settings", store: (tx) => storeSettings(tx, account, settings) };
}

/** Only values that the settings may have. Clients learn of them when they register anew. */
async function storeSettings(tx: Tx, account: User, given: SourcePersonal["settings"]): Promise<number> {
  const valid = Object.fromEntries(
    settingNames.flatMap((name) => {
      const parsed = settingSchemas[name].safeParse(given[name]);
      return name !== "email_address_visibility" && given[name] !== undefined && parsed.success
        ? [[name, parsed.data]]
        : [];
    }),
  );
  const { email_address_visibility: _, ...settings } = { ...settingsOf(account), ...valid };
  await tx
    .updateTable("users")
    .set({ settings: JSON.stringify(toStored(settings)) })
    .where("id", "=", account.id)
    .execute();
  return account.id;
}
