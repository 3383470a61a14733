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

const pixel = Buffer.from(
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
  await done(admin, "PATCH", `/streams/${court.id}`, { description: "For **everybody**", is_default_stream: true });

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
  await sendToChannel(admin, ruin, { topic: "stones", content: "old" });
  await done(admin, "DELETE", `/streams/${ruin.id}`);

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
  await done(hamlet, "POST", `/messages/${first}/reactions`, { emoji_name: "check" });
  await done(hamlet, "POST", "/messages/flags", { messages: [first], op: "add", flag: "starred" });
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
  await done(admin, "DELETE", `/users/${yorick.id}`);
  return people;
}

async function makeAccounts({ realm: { admin }, hamlet, horatio }: FullOrganization): Promise<void> {
  await done(admin, "POST", "/realm/filters", { pattern: "ACT(?P<id>[0-9]+)", url_template: "https://x.example/{id}" });
  const field = async (name: string, field_type: number, more: Record<string, unknown> = {}) =>
    Number((await done(admin, "POST", "/realm/profile_fields", { name, field_type, ...more }))["id"]);
  const data = [
    { id: await field("Motto", 1, { hint: "Few words" }), value: "words" },
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

async function makePersonal({ hamlet, horatio, ophelia }: FullOrganization, court: number): Promise<void> {
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
  await done(hamlet, "POST", "/saved_snippets", { title: "sigh", content: "alas" });
  await done(hamlet, "POST", "/drafts", { drafts: [{ type: "stream", to: [court], topic: "plans", content: "hm" }] });
}
