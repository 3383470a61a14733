/** Messages: sending, fetching, editing, deleting, flags, reactions, files, previews. */
import { alertWordEndpoints } from "./alert-words/endpoints.ts";
import { alertFlags } from "./alert-words/on-send.ts";
import { alertWordState } from "./alert-words/state.ts";
import { callEndpoints } from "./calls.ts";
import { deletionShape } from "./delete-event.ts";
import { deleteSentMessages } from "./deletion/delete-sent.ts";
import { deletionEndpoints } from "./deletion/endpoints.ts";
import { draftEndpoints } from "./drafts/endpoints.ts";
import { draftState } from "./drafts/state.ts";
import { editEndpoints } from "./edits/endpoints.ts";
import { messageShape } from "./event.ts";
import { fetchEndpoints } from "./fetch/fetch-endpoints.ts";
import { flagEndpoints } from "./flags/endpoints.ts";
import { flagEventShapes } from "./flags/event-shapes.ts";
import { starredState, unreadState } from "./flags/state.ts";
import { mutedUserEndpoints } from "./muted-users/endpoints.ts";
import { mutedUserState } from "./muted-users/state.ts";
import { previewLinks } from "./previews/jobs.ts";
import { planLinkPreviews } from "./previews/on-send.ts";
import { previewPages } from "./previews/pages.ts";
import { trimming } from "./previews/plan-trimming.ts";
import { reactionEndpoints } from "./reactions/endpoints.ts";
import { reactionEventShapes } from "./reactions/event-shapes.ts";
import { readReceiptEndpoints } from "./read-receipts/endpoints.ts";
import { deliverReminder } from "./reminders/deliver.ts";
import { reminderEndpoints } from "./reminders/endpoints.ts";
import { reminderState } from "./reminders/state.ts";
import { reportEndpoints } from "./reports/endpoints.ts";
import { deliverScheduledMessage } from "./scheduled-messages/deliver.ts";
import { scheduledMessageEndpoints } from "./scheduled-messages/endpoints.ts";
import { scheduledMessageState } from "./scheduled-messages/state.ts";
import { indexMessages } from "./search/index-messages.ts";
import { stopWordState } from "./search/stop-words.ts";
import { mentionFlags } from "./send/mentions.ts";
import { sendEndpoints } from "./send/send-endpoints.ts";
import { slashCommandEndpoints } from "./slash-commands/endpoints.ts";
import { messageState, recentConversationState } from "./state.ts";
import { submessageEndpoints } from "./submessages/endpoints.ts";
import { storeWidget } from "./submessages/on-send.ts";
import { summaryEndpoints } from "./summaries.ts";
import { automaticVisibility } from "./topic-following/on-send.ts";
import { typingEndpoints } from "./typing/endpoints.ts";
import { typingEventShapes } from "./typing/event-shapes.ts";
import { updateShape } from "./update-event.ts";
import { uploadEndpoints } from "./uploads/endpoints.ts";
import { removeStored } from "./uploads/jobs.ts";
import { oldThumbnailPages } from "./uploads/old-thumbnails.ts";
import { claimFiles } from "./uploads/on-send.ts";
import { uploadPages } from "./uploads/pages.ts";
import { resumablePages } from "./uploads/resumable/pages.ts";
import type { Area } from "../../area.ts";

export const messages: Area = {
  endpoints: [
    ...alertWordEndpoints,
    ...callEndpoints,
    ...deletionEndpoints,
    ...editEndpoints,
    ...fetchEndpoints,
    ...draftEndpoints,
    ...flagEndpoints,
    ...reactionEndpoints,
    ...mutedUserEndpoints,
    ...readReceiptEndpoints,
    ...reminderEndpoints,
    ...reportEndpoints,
    ...scheduledMessageEndpoints,
    ...sendEndpoints,
    ...slashCommandEndpoints,
    ...submessageEndpoints,
    ...summaryEndpoints,
    ...typingEndpoints,
    ...uploadEndpoints,
  ],
  pages: (ctx) => [...previewPages(ctx), ...uploadPages(ctx), ...oldThumbnailPages, ...resumablePages(ctx)],
  eventShapes: () => [
    ["message", messageShape],
    ["update_message", updateShape],
    ["delete_message", deletionShape],
    ...flagEventShapes,
    ...reactionEventShapes,
    ...typingEventShapes,
  ],
  stateParts: [
    alertWordState,
    draftState,
    messageState,
    mutedUserState,
    recentConversationState,
    reminderState,
    scheduledMessageState,
    starredState,
    stopWordState,
    unreadState,
  ],
  jobs: [deleteSentMessages, deliverReminder, deliverScheduledMessage, previewLinks, trimming, removeStored],
  chores: [indexMessages],
  consequences: [mentionFlags, alertFlags, automaticVisibility, storeWidget, claimFiles, planLinkPreviews],
};
