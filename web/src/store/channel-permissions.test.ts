import { beforeEach, expect, test } from "vitest";
import type { FollowedState } from "@skein/api/state/followed-state.ts";
import {
  initialPermission,
  lockOn,
  mayAddPeople,
  mayAdminister,
  mayGiveAccess,
  mayJoin,
  mayRead,
  mayRemovePeople,
} from "./channel-permissions.ts";
import type { Channel } from "./channels.ts";
import { replaceState } from "./state.ts";

const reader = 5;
const nobody = 11;
const everybody = 12;

const group = (id: number, name: string, members: number[]) => ({
  id,
  name,
  members,
  direct_subgroup_ids: [],
  is_system_group: true,
  deactivated: false,
});

function be(role: number, settings: Partial<FollowedState> = {}): void {
  replaceState({
    user_id: reader,
    realm_users: [{ user_id: reader, full_name: "Ada", role }] as never, // the fields in use
    realm_user_groups: [group(nobody, "role:nobody", []), group(everybody, "role:everyone", [reader])] as never, // as above
    realm_can_add_subscribers_group: nobody,
    server_supported_permission_settings: {
      realm: {},
      group: {},
      stream: {
        can_send_message_group: { default_group_name: "role:everyone" },
        can_administer_channel_group: { default_group_name: "channel_creator" },
      },
    } as never, // as above
    ...settings,
  });
}

const channel = (about: Partial<Channel> = {}): Channel =>
  ({
    stream_id: 7,
    isSubscribed: false,
    invite_only: false,
    is_web_public: false,
    is_archived: false,
    can_add_subscribers_group: nobody,
    can_administer_channel_group: nobody,
    can_remove_subscribers_group: nobody,
    can_subscribe_group: nobody,
    ...about,
  }) as Channel; // the fields in use

const [administrator, member, guest] = [200, 400, 600];

beforeEach(() => be(member));

test("members read public channels, subscribers read theirs, and so does who may join or add people", () => {
  expect(mayRead(channel())).toBe(true);
  expect(mayRead(channel({ invite_only: true }))).toBe(false);
  expect(mayRead(channel({ invite_only: true, isSubscribed: true }))).toBe(true);
  expect(mayRead(channel({ invite_only: true, can_subscribe_group: everybody }))).toBe(true);
  expect(mayRead(channel({ invite_only: true, can_add_subscribers_group: everybody }))).toBe(true);
});

test("guests read what they are subscribed to, and what is web-public", () => {
  be(guest);

  expect(mayRead(channel())).toBe(false);
  expect(mayRead(channel({ can_subscribe_group: everybody }))).toBe(false);
  expect(mayRead(channel({ isSubscribed: true }))).toBe(true);
  expect(mayRead(channel({ is_web_public: true }))).toBe(true);
  expect(mayJoin(channel({ is_web_public: true }))).toBe(false);
  expect(mayRemovePeople(channel({ isSubscribed: true, can_remove_subscribers_group: everybody }))).toBe(false);
});

test("an administrator without access changes settings, but gives nobody access", () => {
  be(administrator);
  const closed = channel({ invite_only: true });

  expect(mayAdminister(closed)).toBe(true);
  expect(mayRemovePeople(closed)).toBe(true);
  expect(mayRead(closed)).toBe(false);
  expect(mayGiveAccess(closed)).toBe(false);
  expect(mayAddPeople(closed)).toBe(false);
  expect(mayJoin(closed)).toBe(false);
});

test("members add people by the channel's permission or the organization's, unless it is archived", () => {
  expect(mayAddPeople(channel())).toBe(false);
  expect(mayAddPeople(channel({ can_add_subscribers_group: everybody }))).toBe(true);
  expect(mayAddPeople(channel({ can_administer_channel_group: everybody }))).toBe(true);

  be(member, { realm_can_add_subscribers_group: everybody });
  expect(mayAddPeople(channel())).toBe(true);
  expect(mayAddPeople(channel({ invite_only: true }))).toBe(false);
  expect(mayAddPeople(channel({ is_archived: true }))).toBe(false);
  expect(mayJoin(channel({ is_archived: true }))).toBe(false);
});

test("a new channel starts with the server's defaults, and is administered by its creator", () => {
  expect(initialPermission("can_send_message_group")).toBe(everybody);
  expect(initialPermission("can_administer_channel_group")).toEqual({ direct_members: [reader], direct_subgroups: [] });
});

test("who decides about deletion and topics is the organization's choice; protected history leaves topics to everyone", () => {
  const names = [
    "can_delete_any_message_group",
    "can_delete_own_message_group",
    "topics_policy",
    "can_create_topic_group",
  ];
  const locks = (history_public_to_subscribers = true) =>
    names.map((name) => lockOn(name, { history_public_to_subscribers }));
  const lock = "organizationLock";

  be(member);
  expect(locks()).toEqual([lock, lock, lock, undefined]);
  be(member, { realm_can_set_delete_message_policy_group: everybody, realm_can_set_topics_policy_group: everybody });
  expect(locks()).toEqual([undefined, undefined, undefined, undefined]);
  expect(locks(false)).toEqual([undefined, undefined, undefined, "protectedLock"]);
  be(administrator, { realm_can_set_delete_message_policy_group: nobody, realm_can_set_topics_policy_group: nobody });
  expect(locks()).toEqual([lock, lock, undefined, undefined]);
  expect(lockOn("can_send_message_group", channel())).toBeUndefined();
});
