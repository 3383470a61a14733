/** Direct conversations, latest first. */
import { addressOf, conversationAddress, place } from "../navigation/router.ts";
import { openDialog } from "../navigation/dialogs.ts";
import { peopleNames } from "../store/conversation-title.ts";
import { conversationKey, isSameConversation } from "../store/conversations.ts";
import { directConversations } from "../store/direct.ts";
import { draftOf } from "../store/drafts.ts";
import { isWithMutedPerson } from "../store/muted-people.ts";
import { findPerson } from "../store/people.ts";
import { presenceOf } from "../store/presence.ts";
import { unreadIn } from "../store/unread.ts";
import { t } from "../text/t.ts";
import { Avatar } from "../ui/avatar.tsx";
import { IconButton } from "../ui/button.tsx";
import { Section } from "./section.tsx";
import { SidebarRow } from "./sidebar-row.tsx";

const most = 8;

export function DirectSection({ filter }: { filter: string }) {
  const wanted = filter.trim().toLowerCase();
  const { value: at } = place;
  const all = directConversations.value.filter((conversation) => !isWithMutedPerson(conversation));
  const shown = wanted === "" ? all : all.filter(({ userIds }) => peopleNames(userIds).toLowerCase().includes(wanted));
  const isOpen = (index: number, key: string): boolean =>
    index < most || (at.kind === "conversation" && conversationKey(at.conversation) === key);
  const rows = shown.filter(
    (conversation, index) => isOpen(index, conversationKey(conversation)) || unreadIn(conversation),
  );
  return (
    <Section
      name="direct"
      title={t("sidebar.direct")}
      unread={() => ({ count: all.reduce((sum, each) => sum + (unreadIn(each)?.ids.length ?? 0), 0), isLoud: true })}
      actions={
        <IconButton icon="plus" size={16} label={t("direct.new")} keys="X" onClick={() => openDialog("new-direct")} />
      }
    >
      {rows.map((conversation) => {
        const [only] = conversation.userIds;
        const person = findPerson(only ?? 0);
        const isGroup = conversation.userIds.length > 1;
        return (
          <SidebarRow
            key={conversationKey(conversation)}
            icon={isGroup ? "users" : conversation.userIds.length === 0 ? "pencil" : undefined}
            picture={
              isGroup || only === undefined ? undefined : (
                <Avatar
                  name={person.full_name}
                  src={person.avatar_url ?? `/avatar/${only}`}
                  size={20}
                  presence={presenceOf(only)}
                />
              )
            }
            label={peopleNames(conversation.userIds)}
            address={conversationAddress(conversation)}
            isCurrent={at.kind === "conversation" && isSameConversation(at.conversation, conversation)}
            count={unreadIn(conversation)?.ids.length ?? 0}
            isLoud
            hasDraft={draftOf(conversation) !== undefined}
            isMatch={wanted !== ""}
          />
        );
      })}
      {wanted === "" && shown.length > rows.length && (
        <SidebarRow label={t("direct.all")} address={addressOf({ kind: "direct-messages" })} icon="ellipsis" />
      )}
    </Section>
  );
}
