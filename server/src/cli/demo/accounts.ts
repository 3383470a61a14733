/** Creates accounts for the people and bots of the story. */
import { botTypes } from "@skein/api/bots.ts";
import { onboardingSteps } from "@skein/api/onboarding.ts";
import { fieldTypes } from "@skein/api/profile-fields.ts";
import { roles } from "@skein/api/users.ts";
import type { Context } from "../../context.ts";
import { storeAvatar } from "../../domain/people/avatars/file.ts";
import { setAvatar } from "../../domain/people/avatars/actions.ts";
import { createBot } from "../../domain/administration/bots/create.ts";
import { accessEmoji } from "../../domain/organization/emoji/which-emoji.ts";
import { addField } from "../../domain/people/profile-fields/definitions.ts";
import { updateProfileAs } from "../../domain/people/profile-fields/values.ts";
import { settingsForNewUser } from "../../domain/people/settings/state.ts";
import { updateStatus } from "../../domain/people/status/actions.ts";
import { createGroup } from "../../domain/administration/user-groups/create.ts";
import { accountById, type User } from "../../identity/account.ts";
import type { Db } from "../../platform/db/connect.ts";
import { transaction, type Tx } from "../../platform/db/transaction.ts";
import { Random } from "./random.ts";
import { drawFace } from "./drawings.ts";
import { bots, groups, owner as ownerInStory, people, type Person } from "./story/people.ts";

/** Accounts by their keys in the story. */
export type Cast = ReadonlyMap<string, User>;

export function member(cast: Cast, key: string): User {
  const user = cast.get(key);
  if (!user) throw new Error(`nobody is called ${key}`);
  return user;
}

const day = 24 * 60 * 60 * 1000;
const allPeople: [string, Person][] = [["olive", ownerInStory], ...Object.entries(people)];

/** Draws and stores avatars before the transaction, because that takes a while. */
export async function addPeople(ctx: Context, owner: User, now: Date): Promise<Map<string, number>> {
  const random = new Random(31);
  const faces = await Promise.all(
    allPeople.map(async ([key, person]): Promise<[string, Buffer]> => [key, await drawFace(person.name, random)]),
  );
  const avatarKeys = new Map<string, string>();
  for (const [key, bytes] of faces)
    avatarKeys.set(key, await storeAvatar(ctx.files, owner, [{ name: `${key}.png`, contentType: "image/png", bytes }]));
  return transaction(ctx.db, "add the people of the demo", async (tx) => {
    await renameOwner(tx, owner, avatarKeys.get("olive") ?? null);
    const { settings, ...shown } = settingsForNewUser(owner.realm);
    // All accounts share one password, so that you can sign in as two users in two browsers.
    const { password_hash } = await tx
      .selectFrom("users")
      .select("password_hash")
      .where("id", "=", owner.id)
      .executeTakeFirstOrThrow();
    const values = Object.entries(people).map(([key, person]) => ({
      realm_id: owner.realm_id,
      delivery_email: `${person.mail}@example.com`,
      full_name: person.name,
      password_hash,
      role: person.role ?? roles.member,
      timezone: person.timezone,
      date_joined: new Date(now.getTime() - random.between(40, 1200) * day),
      avatar_source: "U",
      avatar_key: avatarKeys.get(key) ?? null,
      settings: JSON.stringify(settings),
      ...shown,
    }));
    const rows = await tx.insertInto("users").values(values).returning(["id", "delivery_email"]).execute();
    const byMail = new Map(rows.map((row) => [row.delivery_email, row.id]));
    const ids = Object.entries(people).map(([key, { mail }]): [string, number] => [
      key,
      byMail.get(`${mail}@example.com`) ?? 0,
    ]);
    const everybody = new Map([["olive", owner.id], ...ids]);
    await finishOnboarding(tx, owner.realm_id, [...everybody.values()]);
    return everybody;
  });
}

/** Marks all onboarding hints as seen, since no user is new. */
async function finishOnboarding(tx: Tx, realm_id: number, userIds: readonly number[]): Promise<void> {
  const steps = userIds.flatMap((user_id) => onboardingSteps.map((step) => ({ user_id, realm_id, step })));
  await tx.insertInto("finished_onboarding_steps").values(steps).execute();
}

async function renameOwner(tx: Tx, owner: User, avatarKey: string | null): Promise<void> {
  await setAvatar(tx, owner, avatarKey);
  await tx
    .updateTable("users")
    .set({ full_name: ownerInStory.name, timezone: ownerInStory.timezone, date_joined: foundation })
    .where("id", "=", owner.id)
    .execute();
}

/** Ten years are celebrated soon. */
export const foundation = new Date("2017-02-01T09:00:00Z");

/** Reads the current accounts. */
export async function loadCast(db: Db, ids: ReadonlyMap<string, number>): Promise<Cast> {
  const cast = new Map<string, User>();
  for (const [key, id] of ids) {
    const user = await accountById(db, id);
    if (user) cast.set(key, user);
  }
  return cast;
}

/** Returns their ids. */
export async function addBots(tx: Tx, ctx: Context, cast: Cast): Promise<Map<string, number>> {
  const random = new Random(67);
  const ids = new Map<string, number>();
  for (const [key, bot] of Object.entries(bots)) {
    const bytes = await drawFace(bot.name, random);
    const file = { name: `${key}.png`, contentType: "image/png", bytes };
    const avatar_key = await storeAvatar(ctx.files, member(cast, bot.owner), [file]);
    const { user_id } = await createBot(tx, ctx.secretBox, member(cast, bot.owner), {
      full_name: bot.name,
      email: `${bot.mail}@example.com`,
      bot_type: botTypes.generic,
      payload_url: "",
      interface_type: 1,
      service_name: "",
      config_data: {},
      default_sending_stream: "",
      default_events_register_stream: "",
      default_all_public_streams: false,
      avatar_key,
    });
    ids.set(key, user_id);
  }
  return ids;
}

export async function addGroups(tx: Tx, cast: Cast): Promise<void> {
  for (const { name, description, members } of groups)
    await createGroup(tx, member(cast, "olive"), {
      name,
      description,
      members: members.map((key) => member(cast, key).id),
      subgroups: [],
      permissions: {},
    });
}

/** Fills in profiles and statuses. */
export async function introducePeople(tx: Tx, cast: Cast): Promise<void> {
  const olive = member(cast, "olive");
  const fields = {
    team: await addField(tx, olive, {
      field_type: fieldTypes.SHORT_TEXT.id,
      name: "Team",
      display_in_profile_summary: true,
    }),
    pronouns: await addField(tx, olive, { field_type: fieldTypes.PRONOUNS.id, name: "Pronouns" }),
    about: await addField(tx, olive, { field_type: fieldTypes.LONG_TEXT.id, name: "About me" }),
  };
  for (const [key, person] of allPeople) {
    const { team, pronouns, about, status } = person;
    const values = Object.entries({ team, pronouns, about }).flatMap(
      ([name, value]) => (value === undefined ? [] : [{ id: fields[name as keyof typeof fields], value }]), // the names of these very fields
    );
    const user = member(cast, key);
    await updateProfileAs(tx, olive, user, values);
    if (status) {
      const emoji = await accessEmoji(tx, user.realm_id, { emoji_name: status.emoji });
      await updateStatus(tx, user, { status_text: status.text, emoji });
    }
  }
}
