/** Moves one message, it and everything after it, or the whole topic to another topic or channel. */
import "../text/chunks/fields.ts";
import "../text/chunks/message-actions.ts";
import type { PropagateMode } from "@skein/api/message-updates.ts";
import { useMemo, useState } from "preact/hooks";
import { Matcher } from "../text/matching.ts";
import { channelsById, findChannel, type Channel } from "../store/channels.ts";
import { isSameConversation, topicConversation } from "../store/conversations.ts";
import type { Message } from "../store/messages.ts";
import { move } from "../store/moving.ts";
import { reasonOf } from "../store/reasons.ts";
import { mayMoveToChannel, mayMoveToTopic, mayWriteIn } from "../store/permissions.ts";
import { part } from "../store/state.ts";
import { subscribersOf } from "../store/subscribers.ts";
import { topicList } from "../store/topics.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { ChipsField, type Chip } from "../ui/chips.tsx";
import { CheckField, RadioField } from "../ui/choices.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { FieldError, TextField } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import styles from "./dialogs.module.css";

interface MoveDialogProps {
  message: Message;
  /** The name of the whole topic is changed. */
  isRenaming?: boolean;
  onClose: () => void;
}

const modes = { change_one: "single", change_later: "later", change_all: "all" } as const;
const maxSuggestions = 8;
const maxSimilar = 4;

const toChip = ({ stream_id, name, invite_only }: Channel): Chip => ({
  key: String(stream_id),
  label: name,
  icon: invite_only ? "lock" : "hash",
});

export function MoveDialog({ message, isRenaming = false, onClose }: MoveDialogProps) {
  const from = topicConversation(message.stream_id ?? 0, message.subject);
  const [mode, setMode] = useState<PropagateMode>(isRenaming ? "change_all" : "change_later");
  const [channelId, setChannelId] = useState<number | undefined>(from.channelId);
  const [topic, setTopic] = useState(from.topic);
  const [tellsOld, setTellsOld] = useState(false);
  const [tellsNew, setTellsNew] = useState(!isRenaming);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const channel = channelId === undefined ? undefined : findChannel(channelId);
  const to = channelId === undefined ? undefined : topicConversation(channelId, topic.trim());
  const isElsewhere = to !== undefined && (!isSameConversation(to, from) || to.topic !== from.topic);

  const submit = async (): Promise<void> => {
    if (!to || !isElsewhere || isBusy) return;
    setBusy(true);
    setError(undefined);
    try {
      await move({ message, mode, to, notices: { old: tellsOld, new: tellsNew } });
      onClose();
    } catch (failure) {
      setError(reasonOf(failure));
      setBusy(false);
    }
  };

  return (
    <Dialog
      title={t(isRenaming ? "topic.rename" : "move.title")}
      onClose={onClose}
      keepsOnOutsidePress
      onSubmit={() => void submit()}
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="primary" type="submit" busy={isBusy} aria-disabled={!isElsewhere}>
            {t(isRenaming ? "topic.renameNow" : "move.submit")}
          </Button>
        </>
      }
    >
      {!isRenaming && (
        <RadioField
          label={t("move.what")}
          value={mode}
          options={Object.entries(modes).map(([value, name]) => ({ value, label: t(`move.${name}`) }))}
          onChange={(value) => setMode(value as PropagateMode)} // one of those above
        />
      )}
      {!isRenaming && mayMoveToChannel(message) && (
        <ChannelField channel={channel} onChange={(id) => setChannelId(id)} />
      )}
      {mayMoveToTopic(message) && (
        <TextField
          label={t("channel.topic")}
          value={topic}
          maxLength={part("max_topic_length").value ?? 60}
          autocomplete="off"
          autofocus
          onInput={(event) => setTopic(event.currentTarget.value)}
        />
      )}
      {channelId !== undefined && <SimilarTopics channelId={channelId} topic={topic} onChoose={setTopic} />}
      {!isRenaming && channel && <Audience channel={channel} />}
      {!isRenaming && <CheckField label={t("move.tellOld")} checked={tellsOld} onChange={setTellsOld} />}
      <CheckField label={t("move.tellNew")} checked={tellsNew} onChange={setTellsNew} />
      <FieldError id="move-error" error={error} />
    </Dialog>
  );
}

interface ChannelFieldProps {
  channel: Channel | undefined;
  onChange: (channelId: number | undefined) => void;
}

function ChannelField({ channel, onChange }: ChannelFieldProps) {
  const matcher = useMemo(
    () => new Matcher([...channelsById.value.values()].filter(isTarget), ({ name }) => name),
    [channelsById.value],
  );
  return (
    <ChipsField
      label={t("move.channel")}
      chips={channel ? [toChip(channel)] : []}
      suggest={(query) => matcher.find(query, maxSuggestions, ({ isSubscribed }) => Number(isSubscribed)).map(toChip)}
      onChange={(chips) => {
        const last = chips.at(-1);
        onChange(last && Number(last.key));
      }}
    />
  );
}

const isTarget = ({ stream_id }: Channel): boolean => mayWriteIn(stream_id);

interface SimilarTopicsProps {
  channelId: number;
  topic: string;
  onChoose: (topic: string) => void;
}

/** Existing topics to choose from. */
function SimilarTopics({ channelId, topic, onChoose }: SimilarTopicsProps) {
  const topics = topicList(channelId).topics.value ?? [];
  const matcher = useMemo(() => new Matcher(topics, ({ name }) => name), [topics]);
  const similar = matcher.find(topic.trim(), maxSimilar).filter(({ name }) => name !== topic && name !== "");
  if (similar.length === 0) return null;
  return (
    <div class={styles.suggestions} role="group" aria-label={t("move.existing")}>
      {similar.map(({ name }) => (
        <button key={name} type="button" class={styles.suggestion} onClick={() => onChoose(name)}>
          {name}
        </button>
      ))}
    </div>
  );
}

/** Who will see the moved messages. */
function Audience({ channel }: { channel: Channel }) {
  const count = subscribersOf(channel.stream_id).ids.value?.size;
  return (
    <p class={styles.audience}>
      <Icon name={channel.invite_only ? "lock" : "users"} size={14} />
      {count === undefined
        ? t(channel.invite_only ? "move.seenByMembers" : "move.seenByAll")
        : t(channel.invite_only ? "move.seenByCount" : "move.seenByAllCount", { count, name: channel.name })}
    </p>
  );
}
