import { removeOwnAvatar, uploadOwnAvatar } from "@skein/api/avatars.ts";
import { removeBotStorage, updateBotStorage } from "@skein/api/bot-storage.ts";
import { createBot, deactivateBot, regenerateBotApiKey, updateBot } from "@skein/api/bots.ts";
import {
  createUserGroup,
  deactivateUserGroup,
  updateUserGroup,
  updateUserGroupMembers,
  updateUserGroupSubgroups,
} from "@skein/api/user-groups.ts";
import { createUser, deactivateUser, reactivateUser, updateUser, updateUserByEmail } from "@skein/api/users.ts";
import { act, actWithFile, type Action } from "./action.ts";
import type { Draw } from "./draw.ts";
import { profileValue } from "./organization-actions.ts";
import { picture } from "./picture.ts";

const roles = [100, 200, 300, 400, 600] as const;

const changes = (draw: Draw) => {
  const { random, name, maybe } = draw;
  return random.oneOf([
    () => ({ full_name: name() }),
    () => ({ role: random.oneOf(roles) }),
    () => ({ profile_data: [profileValue(draw)] }),
    () => ({ ...maybe("full_name", name), role: random.oneOf(roles) }),
  ])();
};
/** Any user except the owner, who must keep all permissions. */
const somebody = ({ random, has, actor }: Draw) =>
  random.oneOf(has.people.filter(({ id }) => id !== actor.realm.admin.id)) ?? { id: 0, email: "nobody@example.com" };
const otherBot = ({ random, spare }: Draw): number => random.oneOf(spare.filter(({ is_bot }) => is_bot))?.id ?? 0;

const groupPermissions = ({ maybe, groupValue }: Draw) => ({
  ...maybe("can_add_members_group", groupValue),
  ...maybe("can_join_group", groupValue),
  ...maybe("can_manage_group", groupValue),
  ...maybe("can_mention_group", groupValue),
});

export const peopleActions: Action[] = [
  act(createUser, ({ name, word, random }) => ({
    email: `${word()}-${random.below(1e9)}@example.com`,
    password: "a long and secret word",
    full_name: name(),
  })),
  act(updateUser, (draw) => ({ user_id: somebody(draw).id, ...changes(draw) })),
  act(updateUserByEmail, (draw) => ({ email: somebody(draw).email, ...changes(draw) })),
  // Acting users sign in by e-mail address, so it must not change.
  act(updateUser, ({ random, spare, word }) => ({
    user_id: random.oneOf(spare)?.id ?? 0,
    new_email: `${word()}-${random.below(1e9)}@example.com`,
  })),
  act(deactivateUser, ({ random, spare, yes }) => ({
    user_id: random.oneOf(spare)?.id ?? 0,
    actions: { delete_profile: yes() },
  })),
  act(reactivateUser, ({ random, spare }) => ({
    user_id: random.oneOf(spare.filter(({ is_active }) => !is_active))?.id ?? 0,
  })),
  actWithFile(uploadOwnAvatar, picture, () => ({})),
  act(removeOwnAvatar, () => ({})),
  act(createBot, ({ name, word, random, channel, yes, maybe }) => ({
    full_name: name(),
    short_name: `${word().toLowerCase()}${random.below(1e6)}`,
    bot_type: random.oneOf([1, 2, 3]),
    payload_url: "http://127.0.0.1:9/",
    ...maybe("default_sending_stream", () => channel().name),
    ...maybe("default_events_register_stream", () => channel().name),
    default_all_public_streams: yes(),
  })),
  act(updateBot, (draw) => ({
    bot_id: draw.bot().id,
    ...draw.maybe("full_name", draw.name),
    ...draw.maybe("default_sending_stream", () => draw.channel().name),
  })),
  // Not the acting bot, which must keep its key and its events: a role above its owner's would cost it the key.
  act(updateBot, (draw) => ({ bot_id: otherBot(draw), role: draw.random.oneOf(roles) })),
  act(updateBot, (draw) => ({ bot_id: otherBot(draw), bot_owner_id: draw.person().id })),
  act(updateBot, (draw) => ({
    bot_id: otherBot(draw),
    short_name: `${draw.word().toLowerCase()}${draw.random.below(1e6)}`,
  })),
  act(updateBot, (draw) => ({
    bot_id: otherBot(draw),
    ...draw.random.oneOf([
      () => ({ default_all_public_streams: draw.yes() }),
      () => ({ service_payload_url: "http://127.0.0.1:9/other" }),
      () => ({ service_interface: 2 }),
      () => ({ config_data: { key: "value" } }),
      () => ({ default_events_register_stream: draw.channel().name }),
    ])(),
  })),
  actWithFile(updateBot, picture, ({ bot }) => ({ bot_id: bot().id })),
  act(deactivateBot, (draw) => ({ bot_id: otherBot(draw) })),
  act(regenerateBotApiKey, (draw) => ({ bot_id: otherBot(draw) })),
  act(updateBotStorage, ({ word, text }) => ({ storage: { [word()]: text() } })),
  act(removeBotStorage, () => ({})),
  act(createUserGroup, (draw) => ({
    name: draw.name(),
    description: draw.text(),
    members: draw.people(),
    subgroups: draw.groups(1),
    ...groupPermissions(draw),
  })),
  act(updateUserGroup, (draw) => ({
    user_group_id: draw.ownGroup().id,
    ...draw.maybe("name", draw.name),
    ...draw.maybe("description", draw.text),
    ...(draw.random.chance(0.2) ? { deactivated: false as const } : {}),
    ...draw.maybe("can_add_members_group", draw.groupChange),
    ...draw.maybe("can_leave_group", draw.groupChange),
    ...draw.maybe("can_remove_members_group", draw.groupChange),
  })),
  act(deactivateUserGroup, ({ ownGroup }) => ({ user_group_id: ownGroup().id })),
  act(updateUserGroupMembers, (draw) => ({
    user_group_id: draw.ownGroup().id,
    ...draw.maybe("add", () => draw.people(2)),
    ...draw.maybe("delete", () => draw.people(1)),
    ...draw.maybe("add_subgroups", () => draw.groups(1)),
    ...draw.maybe("delete_subgroups", () => draw.groups(1)),
  })),
  act(updateUserGroupMembers, ({ ownGroup, actor }) => ({ user_group_id: ownGroup().id, add: [actor.id] })),
  act(updateUserGroupMembers, ({ ownGroup, actor }) => ({ user_group_id: ownGroup().id, delete: [actor.id] })),
  act(updateUserGroupMembers, ({ ownGroup, person }) => ({ user_group_id: ownGroup().id, add: [person().id] })),
  act(updateUserGroupSubgroups, ({ ownGroup, group, maybe }) => ({
    user_group_id: ownGroup().id,
    ...maybe("add", () => [group().id]),
    ...maybe("delete", () => [ownGroup().id]),
  })),
];
