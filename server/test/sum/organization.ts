/** An organization with objects of every kind, and users of every role. */
import { createBot } from "@skein/api/bots.ts";
import { archiveChannel } from "@skein/api/channels.ts";
import { addDefaultChannel, createDefaultChannelGroup } from "@skein/api/default-channels.ts";
import { addLinkifier } from "@skein/api/linkifiers.ts";
import { sendMessage } from "@skein/api/messages.ts";
import { createProfileField } from "@skein/api/profile-fields.ts";
import { addRealmDomain } from "@skein/api/realm-domains.ts";
import { createUserGroup } from "@skein/api/user-groups.ts";
import { newRealm, success, TestUser, type TestRealm } from "../realm.ts";
import { channelOf } from "../actions.ts";
import { picture } from "./picture.ts";

export interface Organization {
  realm: TestRealm;
  /** The users who act and follow. The first two have the most permissions. */
  cast: TestUser[];
}

export async function newOrganization(): Promise<Organization> {
  const realm = await newRealm();
  const owner = realm.admin;
  const administrator = await realm.user("administrator", { role: 200 });
  const moderator = await realm.user("moderator", { role: 300 });
  const member = await realm.user("member");
  const otherMember = await realm.user("other member");
  const guest = await realm.user("guest", { role: 600 });
  const spare = await realm.user("spare member");
  const spareGuest = await realm.user("spare guest", { role: 600 });
  const bot = await newBot(realm);
  const cast = [owner, administrator, moderator, member, otherMember, guest, bot];

  const open = await channelOf([owner, administrator, member, guest, spare], "open");
  const joined = await channelOf([member, otherMember, bot], "joined");
  const closed = await channelOf([owner, moderator, guest, spareGuest], "closed", { isPrivate: true });
  const discreet = await channelOf([administrator, otherMember], "discreet", {
    isPrivate: true,
    hasSharedHistory: false,
  });
  const past = await channelOf([owner, member], "past");
  for (const [user, channel] of [
    [owner, open],
    [member, joined],
    [guest, closed],
    [administrator, discreet],
    [member, past],
  ] as const)
    success(await user.call(sendMessage, { type: "channel", to: channel.id, topic: "amber", content: "words" }));
  success(await member.call(sendMessage, { type: "direct", to: [owner.id], content: "words" }));
  success(await owner.call(archiveChannel, { stream_id: past.id }));
  success(await owner.call(addDefaultChannel, { stream_id: joined.id }));
  const group = { group_name: "first", description: "", stream_names: ["open"] };
  success(await owner.call(createDefaultChannelGroup, group));

  success(await owner.call(createUserGroup, { name: "crew", description: "", members: [member.id, guest.id] }));
  success(await moderator.call(createUserGroup, { name: "staff", description: "", members: [moderator.id, spare.id] }));
  success(await owner.call(addLinkifier, { pattern: "#(?P<id>[0-9]+)", url_template: "https://example.com/{id}" }));
  success(await owner.call(addRealmDomain, { domain: "one.example.org", allow_subdomains: false }));
  for (const field_type of [1, 6] as const)
    success(await owner.call(createProfileField, { field_type, name: `field ${field_type}` }));
  await administrator.upload("/realm/emoji/amber", { "amber.png": picture });
  return { realm, cast };
}

async function newBot(realm: TestRealm): Promise<TestUser> {
  const made = success(await realm.admin.call(createBot, { full_name: "Bot", short_name: "acting" }));
  const { delivery_email } = await realm.ctx.db
    .selectFrom("users")
    .select("delivery_email")
    .where("id", "=", made.user_id)
    .executeTakeFirstOrThrow();
  return new TestUser(realm, made.user_id, delivery_email, "Bot", made.api_key);
}
