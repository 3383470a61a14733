/** The header of a conversation: its name, and actions on the whole of it. */
import { addressOf, channelAddress, closePanel, openPanel, panel } from "../navigation/router.ts";
import { PageHeader } from "../parts/page-header.tsx";
import { openFloat } from "../commands/floats.ts";
import { narrowOf, type Conversation, type TopicConversation } from "../store/conversations.ts";
import { openList } from "../store/lists.ts";
import { findMessage } from "../store/messages.ts";
import { ownId } from "../store/state.ts";
import { Status } from "../parts/status.tsx";
import { findPerson } from "../store/people.ts";
import { mayMoveToTopic, mayResolve } from "../store/permissions.ts";
import { presenceOf } from "../store/presence.ts";
import { markConversationRead } from "../store/reading.ts";
import { resolveTopic } from "../store/topic-changes.ts";
import { unreadIn } from "../store/unread.ts";
import { isResolvedTopic } from "../text/names.ts";
import { t } from "../text/t.ts";
import { Avatar } from "../ui/avatar.tsx";
import { IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { MenuButton, type MenuEntry } from "../ui/menu.tsx";
import { toast } from "../store/toasts.ts";
import { ChannelName, TopicName } from "../parts/conversation-name.tsx";
import { peopleNames } from "../store/conversation-title.ts";
import { VisibilityMenu } from "../parts/visibility-menu.tsx";
import styles from "./conversation-header.module.css";
import { visibilityMenu } from "../commands/selection.ts";

export function ConversationHeader({ conversation }: { conversation: Conversation }) {
  if (conversation.kind === "direct") return <DirectHeader userIds={conversation.userIds} />;
  const resolved = isResolvedTopic(conversation.topic);
  return (
    <PageHeader
      title={
        <div class={styles.crumbs}>
          <a class={styles.channel} href={channelAddress(conversation.channelId)}>
            <ChannelName channelId={conversation.channelId} />
          </a>
          <Icon name="chevron-right" size={14} class={styles.separator} />
          <h1 class={styles.topic}>
            <TopicName topic={conversation.topic} />
          </h1>
        </div>
      }
      actions={
        <>
          <span
            ref={(element) => {
              visibilityMenu.current = element;
            }}
          >
            <VisibilityMenu topic={conversation} keys="Shift+M" />
          </span>
          {mayResolve(conversation.channelId) && (
            <IconButton
              class={styles.wide}
              icon={resolved ? "circle-check" : "check"}
              label={t(resolved ? "topic.unresolve" : "topic.resolve")}
              pressed={resolved}
              onClick={() => resolveTopic(conversation, !resolved)}
            />
          )}
          <PeopleButton class={styles.wide} />
          <MenuButton icon="ellipsis" label={t("conversation.more")} entries={() => moreEntries(conversation)} />
        </>
      }
    />
  );
}

function DirectHeader({ userIds }: { userIds: readonly number[] }) {
  const [only] = userIds;
  const person = userIds.length === 1 && only !== undefined ? findPerson(only) : undefined;
  return (
    <PageHeader
      title={
        <>
          {person && (
            <Avatar
              name={person.full_name}
              src={person.avatar_url ?? `/avatar/${person.user_id}`}
              size={24}
              presence={presenceOf(person.user_id)}
            />
          )}
          {userIds.length > 1 && <Icon name="users" class={styles.separator} />}
          <h1 class={styles.topic}>{peopleNames(userIds)}</h1>
          {person && (
            <span class={styles.status}>
              <Status userId={person.user_id} />
            </span>
          )}
        </>
      }
      actions={<PeopleButton />}
    />
  );
}

const PeopleButton = ({ class: className }: { class?: string | undefined }) => (
  <IconButton
    class={className}
    icon="panel-right"
    label={t("panel.details")}
    keys="w"
    pressed={panel.value?.kind === "details"}
    onClick={() => (panel.peek()?.kind === "details" ? closePanel() : openPanel({ kind: "details", tab: "people" }))}
  />
);

const moreEntries = (conversation: TopicConversation): MenuEntry[] => [
  {
    label: t("panel.details"),
    icon: "panel-right",
    keys: "w",
    onSelect: () => openPanel({ kind: "details", tab: "people" }),
  },
  ...renameEntries(conversation),
  ...(mayResolve(conversation.channelId) ? [resolveEntry(conversation, isResolvedTopic(conversation.topic))] : []),
  {
    label: t("conversation.markRead"),
    icon: "check-check",
    disabled: unreadIn(conversation) === undefined,
    onSelect: () => markConversationRead(conversation),
  },
  {
    label: t("conversation.copyLink"),
    icon: "link",
    onSelect: () => {
      const link = `${location.origin}/${addressOf({ kind: "conversation", conversation })}`;
      void navigator.clipboard.writeText(link).then(() => toast(t("conversation.linkCopied")));
    },
  },
];

/** The newest message stands for its topic. */
function renameEntries(conversation: TopicConversation): MenuEntry[] {
  const id = openList(narrowOf(conversation, ownId.peek())).runs.peek().at(-1)?.ids.at(-1);
  const message = id === undefined ? undefined : findMessage(id)?.peek();
  if (!message || !mayMoveToTopic(message)) return [];
  return [{ label: t("topic.rename"), icon: "pencil", onSelect: () => openFloat("rename", message.id) }];
}

const resolveEntry = (conversation: TopicConversation, isResolved: boolean): MenuEntry => ({
  label: t(isResolved ? "topic.unresolve" : "topic.resolve"),
  icon: isResolved ? "circle-check" : "check",
  onSelect: () => resolveTopic(conversation, !isResolved),
});
