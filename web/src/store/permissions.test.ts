import { beforeEach, expect, test } from "vitest";
import type { FollowedState } from "@skein/api/state/followed-state.ts";
import type { Message } from "./messages.ts";
import { topicConversation } from "./conversations.ts";
import {
  editableUntil,
  mayDelete,
  mayEdit,
  mayMoveToChannel,
  mayMoveToTopic,
  mayResolve,
  maySeeHistory,
  topicProblem,
} from "./permissions.ts";
import { replaceState } from "./state.ts";

const everybody = 11;
const administrators = 12;
const now = () => Math.floor(Date.now() / 1000);

const group = (id: number, members: number[]) => ({ id, members, direct_subgroup_ids: [] });

function organization(settings: Partial<FollowedState>): void {
  replaceState({
    user_id: 5,
    realm_allow_message_editing: true,
    realm_message_content_edit_limit_seconds: null,
    realm_can_delete_any_message_group: administrators,
    realm_can_delete_own_message_group: everybody,
    realm_can_move_messages_between_topics_group: everybody,
    realm_move_messages_within_stream_limit_seconds: 3600,
    ...settings,
    realm_user_groups: [group(everybody, [5, 6]), group(administrators, [])] as never, // the fields in use
  });
}

const message = (about: Partial<Message> = {}): Message =>
  ({ id: 1, sender_id: 5, stream_id: 7, timestamp: now() - 100, submessages: [], flags: [], ...about }) as Message; // as above

beforeEach(() => organization({}));

test("users edit their own messages within the time limit", () => {
  expect(mayEdit(message())).toBe(true);
  expect(editableUntil(message())).toBe(Infinity);
  expect(mayEdit(message({ sender_id: 6 }))).toBe(false);

  organization({ realm_message_content_edit_limit_seconds: 60 });
  expect(mayEdit(message())).toBe(false);
  expect(mayEdit(message({ timestamp: now() - 10 }))).toBe(true);
  organization({ realm_allow_message_editing: false });
  expect(mayEdit(message())).toBe(false);
});

test("a poll cannot be edited", () => {
  expect(
    mayEdit(message({ submessages: [{ id: 1, message_id: 1, sender_id: 5, msg_type: "widget", content: "" }] })),
  ).toBe(false);
});

test("users delete their own messages within the time limit; those who may delete any message delete others'", () => {
  organization({ realm_message_content_delete_limit_seconds: 60 });
  expect(mayDelete(message())).toBe(false);
  expect(mayDelete(message({ timestamp: now() }))).toBe(true);
  expect(mayDelete(message({ sender_id: 6 }))).toBe(false);

  organization({ realm_can_delete_any_message_group: everybody });
  expect(mayDelete(message({ sender_id: 6 }))).toBe(true);
});

test("messages are moved within the time limit; moderators have none", () => {
  const old = message({ timestamp: now() - 7200 });
  expect(mayMoveToTopic(message())).toBe(true);
  expect(mayMoveToTopic(old)).toBe(false);

  organization({ realm_users: [{ user_id: 5, full_name: "Ada", role: 300 }] as never }); // the fields in use
  expect(mayMoveToTopic(old)).toBe(true);
  const { stream_id: _channel, ...direct } = message();
  expect(mayMoveToTopic(direct as Message)).toBe(false); // a direct message has no channel
});

test("a channel permits more than the organization does", () => {
  const foreign = message({ sender_id: 6 });
  const nobody = { direct_members: [], direct_subgroups: [] };
  const strict = {
    realm_can_delete_own_message_group: nobody,
    realm_can_move_messages_between_topics_group: nobody,
    realm_can_move_messages_between_channels_group: nobody,
    realm_can_resolve_topics_group: nobody,
  };
  const permitted = (permission?: string) => {
    const channel = { stream_id: 7, name: "design", ...(permission === undefined ? {} : { [permission]: everybody }) };
    organization({ ...strict, subscriptions: [channel] as never }); // the fields in use
    return [
      mayMoveToTopic(foreign),
      mayMoveToChannel(foreign),
      mayResolve(7),
      mayDelete(message()),
      mayDelete(foreign),
    ];
  };

  expect(permitted()).toEqual([false, false, false, false, false]);
  expect(permitted("can_move_messages_within_channel_group")).toEqual([true, false, false, false, false]);
  expect(permitted("can_move_messages_out_of_channel_group")).toEqual([false, true, false, false, false]);
  expect(permitted("can_administer_channel_group")).toEqual([true, true, false, false, false]);
  expect(permitted("can_resolve_topics_group")).toEqual([false, false, true, false, false]);
  expect(permitted("can_delete_own_message_group")).toEqual([false, false, false, true, false]);
  expect(permitted("can_delete_any_message_group")).toEqual([false, false, false, true, true]);
  expect(mayResolve(8)).toBe(false);
});

test("a channel says whether messages have topics; if it does not, the organization does", () => {
  const problems = (topics_policy: string, realm_mandatory_topics: boolean) => {
    organization({ realm_mandatory_topics, subscriptions: [{ stream_id: 7, name: "design", topics_policy }] as never }); // as above
    return ["", "logo"].map((topic) => topicProblem(topicConversation(7, topic)));
  };

  expect(problems("inherit", true)).toEqual(["topicNeeded", undefined]);
  expect(problems("inherit", false)).toEqual([undefined, undefined]);
  expect(problems("allow_empty_topic", true)).toEqual([undefined, undefined]);
  expect(problems("disable_empty_topic", false)).toEqual(["topicNeeded", undefined]);
  expect(problems("empty_topic_only", true)).toEqual([undefined, "noTopics"]);
});

test("the organization decides who may see edit history", () => {
  const edited = message({ last_edit_timestamp: 1 });
  const moved = message({ last_moved_timestamp: 1 });
  const seen = (policy: "all" | "moves" | "none") => {
    organization({ realm_message_edit_history_visibility_policy: policy });
    return [maySeeHistory(message()), maySeeHistory(edited), maySeeHistory(moved)];
  };

  expect(seen("all")).toEqual([false, true, true]);
  expect(seen("moves")).toEqual([false, false, true]);
  expect(seen("none")).toEqual([false, false, false]);
});
