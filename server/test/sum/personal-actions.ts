import { addAlertWords, removeAlertWords } from "@skein/api/alert-words.ts";
import { createDrafts, deleteDraft, editDraft } from "@skein/api/drafts.ts";
import { muteUser, unmuteUser } from "@skein/api/muted-users.ts";
import {
  addNavigationView,
  builtInViews,
  editNavigationView,
  removeNavigationView,
} from "@skein/api/navigation-views.ts";
import { createReminder, deleteReminder } from "@skein/api/reminders.ts";
import { createSavedSnippet, deleteSavedSnippet, editSavedSnippet } from "@skein/api/saved-snippets.ts";
import {
  createScheduledMessage,
  deleteScheduledMessage,
  updateScheduledMessage,
} from "@skein/api/scheduled-messages.ts";
import { updateDisplaySettings, updateNotificationSettings, updateSettings } from "@skein/api/settings.ts";
import { finishOnboardingStep, onboardingSteps } from "@skein/api/onboarding.ts";
import { runSlashCommand } from "@skein/api/slash-commands.ts";
import { updateStatus, updateUserStatus } from "@skein/api/status.ts";
import { muteTopic, updateUserTopic } from "@skein/api/user-topics.ts";
import { act, type Action } from "./action.ts";
import { anyOf } from "./any-value.ts";
import type { Draw } from "./draw.ts";
import { content, place } from "./message-actions.ts";

/** Without the password and e-mail address: changing them would lock the user out or need mail. */
const apart = ["old_password", "new_password", "email", "timezone", "default_language", "target_users"];

/** Far in the future, or at once. */
const deliveryTime = ({ random }: Draw) =>
  Math.floor(Date.now() / 1000) + (random.chance(0.3) ? 1 : 3600 + random.below(3600));

const draft = (draw: Draw) => {
  const { channel, name } = draw.topic();
  const [type, to] = draw.random.oneOf([
    ["stream", [channel]],
    ["private", draw.people(2)],
    ["", []],
  ] as const);
  return { type, to: [...to], topic: name, content: draw.word(), timestamp: 1_700_000_000 + draw.random.below(1000) };
};

const ownView = ({ random, has, actor }: Draw): string =>
  random.oneOf(has.views.filter(({ user_id }) => user_id === actor.id))?.fragment ?? "inbox";

const timezone = ({ random }: Draw) => random.oneOf(["Europe/Vienna", "Asia/Tokyo", "UTC"]);

export const personalActions: Action[] = [
  act(createScheduledMessage, (draw) => ({
    ...place(draw),
    content: content(draw),
    scheduled_delivery_timestamp: deliveryTime(draw),
  })),
  act(updateScheduledMessage, (draw) => ({
    scheduled_message_id: draw.own(draw.has.scheduled),
    ...draw.maybe("content", () => content(draw)),
    ...draw.maybe("topic", draw.word),
    ...draw.maybe("scheduled_delivery_timestamp", () => deliveryTime(draw)),
  })),
  act(deleteScheduledMessage, ({ own, has }) => ({ scheduled_message_id: own(has.scheduled) })),
  act(createReminder, (draw) => ({
    message_id: draw.random.oneOf(draw.has.messages)?.id ?? 0,
    scheduled_delivery_timestamp: deliveryTime(draw),
    ...draw.maybe("note", draw.word),
  })),
  act(deleteReminder, ({ own, has }) => ({ reminder_id: own(has.reminders) })),
  act(addNavigationView, ({ random, word, yes }) =>
    yes()
      ? { fragment: random.oneOf(builtInViews), is_pinned: yes() }
      : { fragment: `narrow/search/${word()}`, is_pinned: yes(), name: word() },
  ),
  act(editNavigationView, (draw) => ({
    fragment: ownView(draw),
    ...draw.maybe("is_pinned", draw.yes),
    ...draw.maybe("name", draw.word),
  })),
  act(removeNavigationView, (draw) => ({ fragment: ownView(draw) })),
  act(updateSettings, (draw) => anyOf(updateSettings, draw, apart)),
  act(updateSettings, (draw) => ({ timezone: timezone(draw) })),
  act(updateSettings, (draw) => ({
    ...draw.maybe("full_name", draw.name),
    ...draw.maybe("email_address_visibility", () => draw.random.oneOf([1, 2, 3, 4, 5] as const)),
    ...draw.maybe("default_language", () => draw.random.oneOf(["de", "en", "fr"] as const)),
  })),
  act(updateSettings, (draw) => ({
    web_font_size_px: 10 + draw.random.below(10),
    enable_sounds: draw.yes(),
    target_users: { user_ids: [draw.person().id], group_ids: [], skip_if_already_edited: draw.yes() },
  })),
  act(updateDisplaySettings, (draw) => anyOf(updateDisplaySettings, draw, apart)),
  act(updateNotificationSettings, (draw) => anyOf(updateNotificationSettings, draw, apart)),
  act(addAlertWords, ({ word }) => ({ alert_words: [word(), word()] })),
  act(removeAlertWords, ({ word, has, random }) => ({
    alert_words: [random.oneOf(has.alertWords)?.word ?? word()],
  })),
  act(finishOnboardingStep, ({ random }) => ({ onboarding_step: random.oneOf(onboardingSteps) })),
  act(runSlashCommand, ({ random }) => ({
    command: random.oneOf(["/dark", "/light", "/fluid-width", "/fixed-width"]),
  })),
  act(createSavedSnippet, ({ name, word }) => ({ title: name(), content: word() })),
  act(editSavedSnippet, ({ own, has, word }) => ({ saved_snippet_id: own(has.snippets), content: word() })),
  act(deleteSavedSnippet, ({ own, has }) => ({ saved_snippet_id: own(has.snippets) })),
  act(muteUser, ({ person }) => ({ muted_user_id: person().id })),
  act(unmuteUser, ({ random, has, actor }) => ({
    muted_user_id: random.oneOf(has.muted.filter(({ user_id }) => user_id === actor.id))?.muted_user_id ?? 0,
  })),
  act(updateUserTopic, (draw) => {
    const { channel, name } = draw.topic();
    const topic = draw.yes() ? name : name.toUpperCase();
    return { stream_id: channel, topic, visibility_policy: draw.random.oneOf([0, 1, 2, 3] as const) };
  }),
  act(muteTopic, (draw) => {
    const { channel, name } = draw.topic();
    return { stream_id: channel, topic: name, op: draw.random.oneOf(["add", "remove"] as const) };
  }),
  act(updateUserStatus, ({ person, word }) => ({ user_id: person().id, status_text: word() })),
  act(updateStatus, ({ maybe, random, yes, word }) => ({
    ...maybe("status_text", () => random.oneOf(["", word()])),
    ...maybe("emoji_name", () => random.oneOf(["", "tada", "amber"])),
    ...maybe("away", yes),
  })),
  act(createDrafts, (draw) => ({ drafts: [draft(draw), draft(draw)] })),
  act(editDraft, (draw) => ({ draft_id: draw.own(draw.has.drafts), draft: draft(draw) })),
  act(deleteDraft, ({ own, has }) => ({ draft_id: own(has.drafts) })),
];
