/** The organization's own emoji: everyone sees them, those who may add and deactivate them. */
import "../text/chunks/emoji.ts";
import "../text/chunks/organization.ts";
import "../text/chunks/organization-lists.ts";
import type { CustomEmoji } from "@skein/api/emoji.ts";
import { deactivateCustomEmoji } from "@skein/api/routes/emoji.ts";
import { useState } from "preact/hooks";
import { call } from "../api/call.ts";
import { DangerDialog } from "../controls/danger-dialog.tsx";
import { ItemList } from "../controls/item-list.tsx";
import { elementId } from "../descriptors/setting.ts";
import { mayAddEmoji, mayDeactivateEmoji } from "../store/organization.ts";
import { findPerson } from "../store/people.ts";
import { part } from "../store/state.ts";
import { t } from "../text/t.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { FilterField } from "../ui/filter-field.tsx";
import styles from "./emoji.module.css";
import { EmojiDialog } from "./emoji-dialog.tsx";
import lists from "./lists.module.css";

/** More than this many get a filter. */
const few = 8;

const byName = (a: CustomEmoji, b: CustomEmoji): number => a.name.localeCompare(b.name);

export default function OwnEmoji() {
  const [query, setQuery] = useState("");
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<CustomEmoji>();
  const all = Object.values(part("realm_emoji").value ?? {})
    .filter(({ deactivated }) => !deactivated)
    .toSorted(byName);
  const shown = all.filter(({ name }) => name.includes(query.trim().toLowerCase().replaceAll(" ", "_")));
  return (
    <>
      {mayAddEmoji() ? (
        <div id={elementId("add-emoji")} class={lists.add}>
          <Button icon="plus" onClick={() => setAdding(true)}>
            {t("organization.emoji.add")}
          </Button>
        </div>
      ) : (
        <p class={lists.note}>{t("organization.emoji.mayNot")}</p>
      )}
      {all.length > few && <FilterField label={t("organization.emoji.filter")} value={query} onChange={setQuery} />}
      {all.length === 0 ? (
        <Empty icon="smile" title={t("organization.emoji.none")}>
          {mayAddEmoji() && <p>{t("organization.emoji.none.hint")}</p>}
        </Empty>
      ) : shown.length === 0 ? (
        <p class={lists.note}>{t("emoji.none", { query })}</p>
      ) : (
        <ItemList
          label={t("organization.emoji")}
          items={shown}
          keyOf={({ id }) => id}
          nameOf={({ name }) => name}
          render={(emoji) => <Row emoji={emoji} />}
          actions={(emoji) =>
            mayDeactivateEmoji(emoji) && (
              <IconButton
                icon="trash-2"
                label={t("organization.emoji.deactivate", { name: emoji.name })}
                onClick={() => setRemoved(emoji)}
              />
            )
          }
        />
      )}
      {isAdding && <EmojiDialog onClose={() => setAdding(false)} />}
      {removed && (
        <DangerDialog
          title={t("organization.emoji.deactivate", { name: removed.name })}
          action={t("organization.emoji.deactivate.action")}
          run={() => call(deactivateCustomEmoji, { emoji_name: removed.name })}
          onClose={() => setRemoved(undefined)}
        >
          <p>{t("organization.emoji.deactivate.text")}</p>
        </DangerDialog>
      )}
    </>
  );
}

function Row({ emoji: { name, source_url, author_id } }: { emoji: CustomEmoji }) {
  const author = author_id === null ? undefined : findPerson(author_id);
  return (
    <div class={lists.row}>
      <img class={styles.picture} src={source_url} alt="" loading="lazy" />
      <div>
        <div class={lists.name}>:{name}:</div>
        {author && (
          <div class={styles.by}>
            <Avatar name={author.full_name} src={author.avatar_url ?? `/avatar/${author.user_id}`} size={16} />
            {t("organization.emoji.by", { name: author.full_name })}
          </div>
        )}
      </div>
    </div>
  );
}
