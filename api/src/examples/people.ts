import { channels, files, groups, people } from "./demo.ts";
import { act, type Examples, from, take } from "./example.ts";

const newUser = (name: string) =>
  take("user_id", "createUser", {
    email: `${name.toLowerCase()}@example.com`,
    full_name: `${name} Winters`,
    password: "four green watering cans",
  });

/** Signs in as somebody, which needs no password on a development server. */
const keyOf = (email: string) => take("api_key", "devFetchApiKey", { username: email });

/** Signs in as a bot of the demo, whose old key stops working. */
const buildBotKey = take("api_key", "regenerateBotApiKey", { bot_id: people.buildBot });
const asBuildBot = { as: { email: "build-bot@example.com", key: "api_key" } };

const group = (name: string) =>
  take(
    "user_group_id",
    "createUserGroup",
    { name, description: "Those who water the plants.", members: [people.owner, people.maya] },
    ".group_id",
  );
const field = (name: string) => take("field_id", "createProfileField", { field_type: 1, name }, ".id");
const bot = (short_name: string) =>
  take("bot_id", "createBot", { full_name: `Bot ${short_name}`, short_name, bot_type: 1 }, ".user_id");

export const users = {
  getUsers: { params: {} },
  createUser: {
    params: { email: "robin@example.com", full_name: "Robin Winters", password: "four green watering cans" },
  },
  getOwnUser: { params: {} },
  deactivateOwnUser: {
    first: [newUser("Nell"), keyOf("nell@example.com")],
    as: { email: "nell@example.com", key: "api_key" },
    params: {},
  },
  getUser: { params: { user_id: people.maya } },
  getUserByEmail: { params: { email: "maya@example.com" } },
  updateUser: { params: { user_id: people.arjun, role: 300 } },
  updateUserByEmail: { params: { email: "lucia@example.com", full_name: "Lucía Romero Vega" } },
  deactivateUser: { first: [newUser("Toby")], params: { user_id: from("user_id") } },
  reactivateUser: {
    first: [newUser("Ida"), act("deactivateUser", { user_id: from("user_id") })],
    params: { user_id: from("user_id") },
  },
  uploadOwnAvatar: { file: files.picture, params: {} },
  removeOwnAvatar: { params: {} },
  updateOwnProfile: { params: { data: [{ id: 1, value: "Watering" }] } },
  removeOwnProfile: { params: { data: [1] } },
  getProfileFields: { params: {} },
  createProfileField: { params: { field_type: 1, name: "Favorite vegetable", hint: "Potatoes count." } },
  reorderProfileFields: {
    first: [take("order", "getProfileFields", {}, ".custom_fields[].id")],
    params: { order: from("order") },
  },
  updateProfileField: {
    first: [field("Desk")],
    params: { field_id: from("field_id"), hint: "Where people can find you." },
  },
  removeProfileField: { first: [field("Locker")], params: { field_id: from("field_id") } },
  muteUser: { params: { muted_user_id: people.omar } },
  unmuteUser: {
    first: [act("muteUser", { muted_user_id: people.kofi })],
    params: { muted_user_id: people.kofi },
  },
  updateUserStatus: { params: { user_id: people.omar, status_text: "on leave" } },
  updateStatus: { params: { status_text: "in the greenhouse", emoji_name: "seedling" } },
  getUserStatus: { params: { user_id: people.maya } },
  updatePresence: { params: { status: "active", new_user_input: true, slim_presence: true, last_update_id: -1 } },
  getUserPresence: { params: { user_id_or_email: "maya@example.com" } },
  getPresence: { params: {} },
} satisfies Examples;

export const userGroups = {
  getUserGroups: { params: {} },
  createUserGroup: {
    params: { name: "gardeners", description: "Those who water the plants.", members: [people.owner, people.maya] },
  },
  updateUserGroup: {
    first: [group("beekeepers")],
    params: { user_group_id: from("user_group_id"), description: "Those with the white suits." },
  },
  deactivateUserGroup: { first: [group("summer interns")], params: { user_group_id: from("user_group_id") } },
  updateUserGroupMembers: {
    first: [group("cooks")],
    params: { user_group_id: from("user_group_id"), add: [people.arjun], delete: [people.maya] },
  },
  getUserGroupMembers: { params: { user_group_id: groups.backend } },
  getIsUserGroupMember: { params: { user_group_id: groups.backend, user_id: people.maya } },
  updateUserGroupSubgroups: {
    first: [group("developers")],
    params: { user_group_id: from("user_group_id"), add: [groups.backend, groups.frontend] },
  },
  getUserGroupSubgroups: { params: { user_group_id: groups.backend } },
} satisfies Examples;

export const bots = {
  getBots: { first: [bot("sower")], params: {} },
  createBot: { params: { full_name: "Weather", short_name: "weather", bot_type: 1 } },
  updateBot: { first: [bot("rake")], params: { bot_id: from("bot_id"), full_name: "Rake, the tidy bot" } },
  deactivateBot: { first: [bot("spade")], params: { bot_id: from("bot_id") } },
  getBotApiKey: { first: [bot("dibber")], params: { bot_id: from("bot_id") } },
  regenerateBotApiKey: { first: [bot("hoe")], params: { bot_id: from("bot_id") } },
  updateBotStorage: {
    first: [buildBotKey],
    ...asBuildBot,
    params: { storage: { last_build: "4711", state: "green" } },
  },
  getBotStorage: {
    first: [buildBotKey],
    ...asBuildBot,
    params: {},
  },
  removeBotStorage: {
    first: [buildBotKey, act("updateBotStorage", { storage: { color: "green" } }, asBuildBot)],
    ...asBuildBot,
    params: { keys: ["color"] },
  },
} satisfies Examples;

const invited = (address: string) => [
  act("sendInvitations", { invitee_emails: address, stream_ids: [channels.general] }),
  take("invite_id", "getInvitations", {}, ".invites[0].id"),
];

export const invitations = {
  getInvitations: {
    first: [act("createInvitationLink", { stream_ids: [channels.general] })],
    params: {},
  },
  sendInvitations: { params: { invitee_emails: "new.colleague@example.org", stream_ids: [channels.general] } },
  createInvitationLink: { params: { stream_ids: [channels.general], invite_expires_in_minutes: 1440 } },
  revokeInvitation: { first: invited("changed.mind@example.org"), params: { invite_id: from("invite_id") } },
  revokeInvitationLink: {
    first: [
      act("createInvitationLink", { stream_ids: [] }),
      take("invite_id", "getInvitations", {}, ".invites[-1].id"),
    ],
    params: { invite_id: from("invite_id") },
  },
  resendInvitation: { first: invited("lost.mail@example.org"), params: { invite_id: from("invite_id") } },
} satisfies Examples;
