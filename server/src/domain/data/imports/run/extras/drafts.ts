/** Messages that people have begun to write. One whose channel is not imported has no address. */
import { maxMessageLength, maxTopicLength } from "@skein/api/messages.ts";
import { truncate } from "../../../../base/truncate.ts";
import type { DraftFields } from "../../../../messages/drafts/access.ts";
import { insertDrafts } from "../../../../messages/drafts/actions.ts";
import type { SourceDraft, SourceExtras } from "../../source.ts";
import { findAccount } from "../accounts.ts";
import type { Import } from "../import-context.ts";
import { recall } from "../map.ts";
import { findReferredIn, loadKnownIds, type KnownIds } from "../references.ts";
import { toMarkdown } from "../texts.ts";
import { storeOne } from "./store-one.ts";

export async function storeDrafts(run: Import, extras: SourceExtras, checkpoint: number): Promise<void> {
  const done = await recall(run.db, run, "draft");
  const known = await loadKnownIds(run);
  for await (const draft of extras.drafts?.() ?? []) {
    const account = done.has(draft.id) ? undefined : await findAccount(run, known.people.get(draft.personId));
    if (!account) continue;
    const referred = await findReferredIn(run, known, [draft.text]);
    const address = addressOf(draft, known);
    const place = {
      senderId: account.id,
      conversationId: address.type === "stream" ? (address.recipients[0] ?? 0) : 0,
    };
    const content = truncate(
      toMarkdown(draft.text, referred, place, () => undefined),
      maxMessageLength,
      "…",
    );
    const item = { kind: "draft", key: draft.id, what: `a draft of ${account.full_name}`, checkpoint } as const;
    await storeOne(run, item, async (tx) => {
      const fields = { ...address, content, edited_at: new Date(Math.floor(draft.at / 1000)) };
      const [id = 0] = await insertDrafts(tx, account, [fields]);
      return id;
    });
  }
}

function addressOf(
  { channelId, topic = "", people }: SourceDraft,
  known: KnownIds,
): Pick<DraftFields, "type" | "recipients" | "topic"> {
  const channel = channelId === undefined ? undefined : known.channels.get(channelId);
  if (channel !== undefined)
    return { type: "stream", recipients: [channel], topic: truncate(topic, maxTopicLength, "...") };
  const recipients = (people ?? []).flatMap((id) => known.people.get(id) ?? []);
  return { type: people ? "private" : "", recipients: [...new Set(recipients)], topic: "" };
}
