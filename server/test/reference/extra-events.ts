/** Causes of events that no example causes, by the operation that is called. */
import { channels, files, groups, people } from "@skein/api/examples/demo.ts";
import type { ParamsFor, RouteName } from "@skein/api/examples/example.ts";
import type { Account, Answer, Performer } from "./perform.ts";
import type { Others } from "./probe.ts";

const none = new Map<string, unknown>();

export async function send<N extends RouteName>(
  performer: Performer,
  call: N,
  params: ParamsFor<N>,
  { account = performer.owner, file }: { account?: Account; file?: string } = {},
): Promise<Answer["body"]> {
  const { status, body } = await performer.send(
    { call, params, ...(file === undefined ? {} : { file }) },
    none,
    account,
  );
  if (status !== 200) throw new Error(`${call}: ${JSON.stringify(body)}`);
  return body;
}

const newMessage = async (performer: Performer, content = "One more thing."): Promise<number> => {
  const message = { type: "channel", to: channels.engineering, topic: "API examples", content } as const;
  return (await send(performer, "sendMessage", message))["id"] as number; // as documented
};

/** Somebody who has just joined, for what happens only once. */
export type WithNewcomer = Others & { newcomer: Account };

/** Creates the account without examples noticing: they are done. */
export async function makeNewcomer(performer: Performer): Promise<Account> {
  const email = "tamsin@example.com";
  await send(performer, "createUser", { email, full_name: "Tamsin Hale", password: "four ripe medlars" });
  const { api_key } = await send(performer, "devFetchApiKey", { username: email });
  return { email, key: String(api_key) };
}

export const extraEvents: [
  operation: string,
  cause: (performer: Performer, others: WithNewcomer) => Promise<unknown>,
][] = [
  [
    "update-message-flags",
    async (performer) => {
      const messages = [await newMessage(performer)];
      await send(performer, "updateMessageFlags", { messages, op: "add", flag: "starred" });
      await send(performer, "updateMessageFlags", { messages, op: "remove", flag: "starred" });
    },
  ],
  [
    "set-typing-status",
    async (performer) => {
      await send(performer, "setTypingStatus", { op: "start", to: [people.maya] });
      await send(performer, "setTypingStatus", { op: "stop", to: [people.maya] });
    },
  ],
  [
    "set-typing-status-for-message-edit",
    async (performer) => {
      const message_id = await newMessage(performer);
      await send(performer, "setEditTypingStatus", { message_id, op: "start" });
      await send(performer, "setEditTypingStatus", { message_id, op: "stop" });
    },
  ],
  [
    "send-message",
    async (performer) => {
      const { url } = await send(performer, "uploadFile", {}, { file: files.document });
      await newMessage(performer, `[notes](${String(url)})`);
    },
  ],
  [
    "update-user-group-subgroups",
    async (performer) => {
      const group = { name: "all developers", description: "", members: [], subgroups: [groups.backend] };
      const user_group_id = (await send(performer, "createUserGroup", group))["group_id"] as number;
      await send(performer, "updateUserGroupSubgroups", { user_group_id, delete: [groups.backend] });
    },
  ],
  [
    "update-bot",
    async (performer, { member }) => {
      const bot = { full_name: "Trowel", short_name: "trowel", bot_type: 1 } as const;
      const made = await send(performer, "createBot", bot, { account: member });
      await send(performer, "updateBot", { bot_id: made["user_id"] as number, bot_owner_id: people.owner });
    },
  ],
  [
    "finish-onboarding-step",
    (performer, { newcomer }) =>
      send(performer, "finishOnboardingStep", { onboarding_step: "intro_resolve_topic" }, { account: newcomer }),
  ],
  // The last one: afterwards guests see nobody whom they share no channel with.
  ["update-realm", (performer) => send(performer, "updateRealm", { can_access_all_users_group: { new: 6 } })],
];
