/** An organization that holds one of every kind of thing that people can make, for tests of exports and imports. */
import type { Method } from "@skein/api/endpoint.ts";
import { channelOf, sendDirect, sendToChannel } from "./actions.ts";
import { uploadAs } from "./files.ts";
import { newRealm, type TestRealm, type TestUser } from "./realm.ts";

export interface FullOrganization {
  realm: TestRealm;
  hamlet: TestUser;
  horatio: TestUser;
  ophelia: TestUser;
}

/** A request that must succeed; whatever is not a text is sent as JSON. */
export async function done(
  user: TestUser,
  method: Method,
  path: string,
  form: Record<string, unknown> = {},
): Promise<Record<string, unknown>> {
  const texts = Object.entries(form).map(([name, value]): [string, string] => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  const answer = await user.request(method, path, Object.fromEntries(texts));
  if (answer["result"] !== "success") throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
  return answer;
}

export const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);

export async function fullOrganization(): Promise<FullOrganization> {
  const realm = await newRealm();
  const { admin } = realm;
  const hamlet = await realm.user("hamlet", { fullName: "Hamlet" });
  const horatio = await realm.user("horatio", { fullName: "Horatio", role: 300 });
  const ophelia = await realm.user("ophelia", { fullName: "Ophelia", role: 600 });
  const yorick = await realm.user("yorick", { fullName: "Yorick" });
  const people = { realm, hamlet, horatio, ophelia };
  await makeAccounts(people);
  await done(hamlet, "POST", "/bots", { full_name: "Ghost", short_name: "ghost", bot_type: 1 });
  await done(hamlet, "POST", "/bots", { full_name: "Herald", short_name: "herald", bot_type: 2 });
  await done(hamlet, "POST", "/bots", {
    full_name: "Echo",
    short_name: "echo",
    bot_type: 3,
    service_name: "cave",
    payload_url: '"https://cave.example/hook?key=1"',
    interface_type: 2,
  });
  await done(admin, "POST", "/user_groups/create", {
    name: "guard",
    description: "On the walls",
    members: [hamlet.id, horatio.id],
  });
  const watch = await done(admin, "POST", "/user_groups/create", {
    name: "watch",
    description: "",
    members: [horatio.id],
  });
  const groups = (await done(admin, "GET", "/user_groups"))["user_groups"] as { id: number; name: string }[];
  const guard = groups.find(({ name }) => name === "guard");
  await done(admin, "POST", `/user_groups/${String(watch["group_id"])}/subgroups`, { add: [guard?.id] });

  const court = await channelOf([hamlet, horatio, ophelia, yorick], "court");
  const closet = await channelOf([hamlet, horatio], "closet", { isPrivate: true });
  const chapel = await channelOf([horatio, hamlet], "chapel", { isPrivate: true, hasSharedHistory: false });
  const ruin = await channelOf([admin, hamlet], "ruin");
  await channelOf([admin, hamlet], "stage");
  await done(admin, "PATCH", `/streams/${court.id}`, { description: "For **everybody**", is_default_stream: true });
  const walls = await done(admin, "POST", "/user_groups/create", {
    name: "walls",
    description: "",
    members: [yorick.id],
  });
  const gate = await done(admin, "POST", "/user_groups/create", {
    name: "gate",
    description: "",
    members: [yorick.id],
  });
  const [gateId, wallsId, moderators] = [
    Number(gate["group_id"]),
    Number(walls["group_id"]),
    groups.find(({ name }) => name === "role:moderators")?.id ?? 0,
  ];
  await done(admin, "PATCH", `/user_groups/${wallsId}`, {
    can_add_members_group: { new: gateId },
    can_join_group: { new: { direct_members: [hamlet.id], direct_subgroups: [moderators] } },
    can_leave_group: { new: groups.find(({ name }) => name === "role:nobody")?.id },
    can_mention_group: { new: guard?.id },
  });
  await done(admin, "POST", `/user_groups/${wallsId}/subgroups`, { add: [moderators, gateId] });
  await done(admin, "PATCH", `/streams/${ruin.id}`, { can_remove_subscribers_group: { new: gateId } });
  const folder = await done(admin, "POST", "/channel_folders/create", { name: "Castle", description: "*Stones*" });
  await done(admin, "PATCH", `/streams/${court.id}`, {
    message_retention_days: 700,
    topics_policy: "allow_empty_topic",
    folder_id: folder["channel_folder_id"],
    can_resolve_topics_group: { new: moderators },
    can_send_message_group: {
      new: {
        direct_members: [admin.id, yorick.id],
        direct_subgroups: [groups.find(({ name }) => name === "role:everyone")?.id],
      },
    },
    can_remove_subscribers_group: { new: guard?.id },
    can_administer_channel_group: { new: { direct_members: [hamlet.id], direct_subgroups: [moderators] } },
  });

  const file = await uploadAs(hamlet, { name: "skull.txt", content: "alas" });
  const first = await sendToChannel(hamlet, court, { topic: "plans", content: "to be" });
  await sendToChannel(horatio, court, {
    topic: "plans",
    content: `@**Hamlet|${hamlet.id}** and @_**Ophelia**, see #**closet**, #**court>plans@${first}**, [there](#narrow/channel/${court.id}-court/topic/plans/near/${first}), [all](#narrow/channel/${court.id}-court) @*guard*`,
  });
  await sendToChannel(hamlet, court, { topic: "Skulls", content: `look: [skull.txt](${file}) and [again](${file})` });
  await sendToChannel(hamlet, closet, { topic: "secret", content: "behind the curtain" });
  await sendToChannel(horatio, chapel, { topic: "Prayer", content: "before" });
  await channelOf([horatio, ophelia], "chapel", { isPrivate: true, hasSharedHistory: false });
  await sendToChannel(horatio, chapel, { topic: "Prayer", content: "after" });
  await sendToChannel(ophelia, chapel, { topic: "prayer", content: "in small letters" });
  await done(ophelia, "POST", "/user_topics", { stream_id: chapel.id, topic: "PRAYER", visibility_policy: 3 });
  await sendToChannel(admin, ruin, { topic: "stones", content: "old" });
  await done(admin, "DELETE", `/streams/${ruin.id}`);
  for (const group of [wallsId, gateId]) await done(admin, "POST", `/user_groups/${group}/deactivate`);

  const edited = await sendToChannel(hamlet, court, { topic: "soliloquy", content: "to bee" });
  await done(hamlet, "PATCH", `/messages/${edited}`, { content: `to be, said @**Horatio|${horatio.id}**` });
  const moved = await sendToChannel(hamlet, court, { topic: "wrong", content: "a word" });
  await done(admin, "PATCH", `/messages/${moved}`, {
    topic: "right",
    propagate_mode: "change_one",
    send_notification_to_old_thread: false,
    send_notification_to_new_thread: false,
  });
  await sendToChannel(hamlet, court, { topic: "solved", content: "who did it?" });
  const resolved = await sendToChannel(horatio, court, { topic: "solved", content: "the uncle" });
  await done(admin, "PATCH", `/messages/${resolved}`, { topic: "✔ solved", propagate_mode: "change_all" });

  await admin.upload("/realm/emoji/crown", { "crown.png": pixel });
  await done(horatio, "POST", `/messages/${first}/reactions`, { emoji_name: "crown" });
  await done(hamlet, "POST", `/messages/${first}/reactions`, { emoji_name: "crown" });
  await done(admin, "DELETE", "/realm/emoji/crown");
  await admin.upload("/realm/emoji/crown", { "crown.png": pixel });
  await done(ophelia, "POST", `/messages/${first}/reactions`, { emoji_name: "crown" });
  await done(hamlet, "POST", `/messages/${first}/reactions`, { emoji_name: "check" });
  await done(hamlet, "POST", "/messages/flags", { messages: [first], op: "add", flag: "starred" });
  await done(horatio, "POST", "/messages/flags", { messages: [first], op: "add", flag: "collapsed" });
  const poll = await sendToChannel(hamlet, court, { topic: "vote", content: "/poll To be?\nyes\nno" });
  const submessage = { message_id: poll, msg_type: "widget" };
  await done(horatio, "POST", "/submessage", { ...submessage, content: '{"type":"vote","key":"canned,0","vote":1}' });

  await sendDirect(hamlet, [horatio], { content: "between us" });
  await sendDirect(horatio, [hamlet, ophelia], {
    content: `for three: [skull.txt](${await uploadAs(horatio, { name: "skull.txt", content: "three" })})`,
  });
  await sendDirect(hamlet, [hamlet], { content: "note to self" });
  await done(ophelia, "POST", "/mark_all_as_read");
  await sendToChannel(hamlet, court, { topic: "plans", content: "unread by most", readBySender: true });

  await makePersonal(people, court.id);
  await setUpOrganization(people, { court: court.id, closet: closet.id, guard: guard?.id ?? 0, yorick: yorick.id });
  await done(admin, "DELETE", `/users/${yorick.id}`);
  return people;
}

async function makeAccounts({ realm: { admin }, hamlet, horatio }: FullOrganization): Promise<void> {
  await done(admin, "POST", "/realm/filters", { pattern: "ACT(?P<id>[0-9]+)", url_template: "https://x.example/{id}" });
  const field = async (name: string, field_type: number, more: Record<string, unknown> = {}) =>
    Number((await done(admin, "POST", "/realm/profile_fields", { name, field_type, ...more }))["id"]);
  const data = [
    {
      id: await field("Motto", 1, { hint: "Few words", required: true, display_in_profile_summary: true }),
      value: "words",
    },
    { id: await field("", 7, { field_data: { subtype: "github" }, editable_by_user: true }), value: "hamlet" },
    { id: await field("Born", 4, { editable_by_user: true }), value: "1580-03-01" },
    { id: await field("Friends", 6), value: [horatio.id] },
    {
      id: await field("House", 3, { field_data: { "0": { text: "Elsinore", order: "1" } } }),
      value: "0",
    },
  ];
  await done(hamlet, "PATCH", "/users/me/profile_data", { data });
  await done(hamlet, "POST", "/users/me/status", { status_text: "melancholic", emoji_name: "tada" });
  await hamlet.upload("/users/me/avatar", { "face.png": pixel });
  await done(hamlet, "PATCH", "/settings", { timezone: "Europe/Copenhagen", twenty_four_hour_time: true });
}

async function makePersonal({ realm, hamlet, horatio, ophelia }: FullOrganization, court: number): Promise<void> {
  const due = Math.floor(Date.now() / 1000) + 86_400;
  const later = { type: "channel", to: court, topic: "plans", content: `later, @**Horatio|${horatio.id}**` };
  await done(hamlet, "POST", "/scheduled_messages", { ...later, scheduled_delivery_timestamp: due });
  const direct = { type: "direct", to: [ophelia.id], content: "later, too" };
  await done(hamlet, "POST", "/scheduled_messages", { ...direct, scheduled_delivery_timestamp: due });
  for (const [topic, visibility_policy] of [
    ["plans", 3],
    ["Skulls", 1],
  ] as const)
    await done(hamlet, "POST", "/user_topics", { stream_id: court, topic, visibility_policy });
  await done(hamlet, "POST", "/users/me/alert_words", { alert_words: ["skull"] });
  await done(hamlet, "POST", `/users/me/muted_users/${ophelia.id}`);
  await done(hamlet, "POST", "/saved_snippets", { title: "sigh", content: `alas, @**Horatio|${horatio.id}**` });
  const file = await uploadAs(hamlet, { name: "unsent.txt", content: "not yet" });
  await done(hamlet, "POST", "/drafts", {
    drafts: [
      { type: "stream", to: [court], topic: "plans", content: `hm, @**Horatio|${horatio.id}**: [this](${file})` },
      { type: "private", to: [horatio.id, ophelia.id], topic: "", content: "you two" },
      { type: "", to: [], topic: "", content: "whom?" },
    ],
  });
  const failed = { type: "channel", to: court, topic: "plans", content: `too late, @**Horatio|${horatio.id}**` };
  const { scheduled_message_id } = await done(hamlet, "POST", "/scheduled_messages", {
    ...failed,
    scheduled_delivery_timestamp: due,
  });
  await realm.ctx.db
    .updateTable("scheduled_messages")
    .set({ failed: true, deliver_at: new Date(Date.now() - 86_400_000) })
    .where("id", "=", Number(scheduled_message_id))
    .execute();
}

interface Places {
  court: number;
  closet: number;
  guard: number;
  yorick: number;
}

async function setUpOrganization(
  { realm: { admin }, hamlet, horatio }: FullOrganization,
  { court, closet, guard, yorick }: Places,
): Promise<void> {
  const { user_groups } = await done(admin, "GET", "/user_groups");
  const idOf = (name: string) => (user_groups as { id: number; name: string }[]).find((one) => one.name === name)?.id;
  const list = (direct_members: number[], direct_subgroups: number[] = []) => ({
    new: { direct_members, direct_subgroups },
  });
  await done(admin, "PATCH", "/realm", {
    name: "Elsinore",
    description: "A castle",
    org_type: 30,
    default_language: "de",
    enable_spectator_access: true,
    invite_required: false,
    emails_restricted_to_domains: true,
    waiting_period_threshold: 3,
    require_unique_names: true,
    name_changes_disabled: true,
    message_content_edit_limit_seconds: '"unlimited"',
    message_content_delete_limit_seconds: 60,
    message_retention_days: 3000,
    mandatory_topics: true,
    default_code_block_language: "python",
    jitsi_server_url: '"https://jitsi.example"',
    new_stream_announcements_stream_id: court,
    zulip_update_announcements_stream_id: -1,
    moderation_request_channel_id: closet,
    can_access_all_users_group: { new: idOf("role:members") },
    can_create_groups: { new: guard },
    can_create_public_channel_group: { new: idOf("role:nobody") },
    can_manage_all_groups: list([admin.id, horatio.id], [guard]),
    can_add_custom_emoji_group: list([hamlet.id, yorick], [idOf("role:moderators") ?? 0]),
    can_delete_any_message_group: list([yorick]),
  });
  await done(admin, "POST", "/realm/domains", { domain: "elsinore.example", allow_subdomains: true });
  await done(admin, "POST", "/realm/playgrounds", {
    name: "Try",
    pygments_language: "Python",
    url_template: "https://play.example/{code}",
  });
  await done(admin, "POST", "/default_stream_groups/create", {
    group_name: "stage",
    description: "For actors",
    stream_names: ["stage"],
  });
  await done(admin, "PATCH", "/realm/user_settings_defaults", { enter_sends: false, twenty_four_hour_time: true });
  await done(admin, "PATCH", `/streams/${court}`, { is_web_public: true });
  await done(hamlet, "POST", "/users/me/subscriptions/properties", {
    subscription_data: [
      { stream_id: court, property: "color", value: "#112233" },
      { stream_id: court, property: "pin_to_top", value: true },
      { stream_id: court, property: "is_muted", value: true },
      { stream_id: closet, property: "push_notifications", value: true },
      { stream_id: closet, property: "email_notifications", value: false },
    ],
  });
  await admin.upload("/realm/icon", { "icon.png": pixel });
  await admin.upload("/realm/logo", { "logo.png": pixel }, { night: "false" });
}
