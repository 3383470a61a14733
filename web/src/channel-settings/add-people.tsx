/** Adds people to a channel: single ones, groups, or everyone of another channel. */
import "../text/chunks/channel-settings.ts";
import { useState } from "preact/hooks";
import { elementId } from "../descriptors/setting.ts";
import { toChip } from "../parts/people-chips.ts";
import { channelMatcher } from "../store/channel-matcher.ts";
import type { Channel } from "../store/channels.ts";
import { everyoneIn, findGroup, groupName, nobodyGroup } from "../store/group-settings.ts";
import { peopleMatcher } from "../store/people-matcher.ts";
import { findKnownPerson } from "../store/people.ts";
import { reasonOf } from "../store/reasons.ts";
import { part } from "../store/state.ts";
import { addSubscribers, subscribersOf } from "../store/subscribers.ts";
import { Matcher } from "../text/matching.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { ChipsField, type Chip } from "../ui/chips.tsx";
import styles from "./add-people.module.css";

const most = 8;
const some = 3;

const isActive = (id: number): boolean => findKnownPerson(id)?.isActive === true;

/** Undefined while the subscribers of a channel are being fetched. */
function peopleOf({ key }: Chip): ReadonlySet<number> | undefined {
  const [kind, text] = key.split(" ");
  const id = Number(text);
  if (kind === "person") return new Set([id]);
  return kind === "group" ? everyoneIn(id) : subscribersOf(id).ids.value;
}

function groupChips(query: string): Chip[] {
  const groups = (part("realm_user_groups").value ?? []).filter(
    ({ name, deactivated }) => !deactivated && name !== nobodyGroup && name !== "role:internet",
  );
  return new Matcher(groups, groupName).find(query, some).map(({ id }) => {
    const group = findGroup(id);
    return {
      key: `group ${id}`,
      label: group ? groupName(group) : "",
      detail: t("channelSettings.members", { count: everyoneIn(id).size }),
      icon: "users",
    };
  });
}

function channelChips(query: string, except: number): Chip[] {
  const found = channelMatcher.value.find(query, some + 1, ({ isSubscribed }) => Number(isSubscribed));
  return found
    .filter(({ stream_id }) => stream_id !== except)
    .slice(0, some)
    .map(({ stream_id, name, invite_only }) => ({
      key: `channel ${stream_id}`,
      label: t("channelSettings.everyoneIn", { name }),
      icon: invite_only ? "lock" : "hash",
    }));
}

function suggest(query: string, channelId: number, subscribed: ReadonlySet<number>): Chip[] {
  const typed = query.replace(/^[#@]/, "");
  const channels = typed === "" ? [] : channelChips(typed, channelId);
  if (query.startsWith("#")) return channels;
  const people = peopleMatcher.value
    // Those who are not subscribed come first among equally good matches.
    .find(typed, 4 * most, ({ user_id, is_bot }) => Number(!subscribed.has(user_id)) * 2 + Number(!is_bot))
    .filter(({ user_id }) => !subscribed.has(user_id))
    .slice(0, most);
  const others = [...groupChips(typed), ...channels];
  const persons = people.map((person): Chip => ({ ...toChip(person), key: `person ${person.user_id}` }));
  return [...persons.slice(0, Math.max(some, most - others.length)), ...others].slice(0, most);
}

export function AddPeople({ channel: { stream_id } }: { channel: Channel }) {
  const [chips, setChips] = useState<Chip[]>([]);
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState("");
  const subscribed = subscribersOf(stream_id).ids.value ?? new Set();
  const sets = chips.map(peopleOf);
  const isKnown = sets.every((ids) => ids !== undefined);
  const chosen = sets.reduce<ReadonlySet<number>>((all, ids) => all.union(ids ?? new Set()), new Set());
  const fresh = [...chosen.difference(subscribed)].filter(isActive);
  const add = async (): Promise<void> => {
    if (isBusy || !isKnown || fresh.length === 0) return;
    setBusy(true);
    setError(undefined);
    try {
      const added = await addSubscribers(stream_id, fresh);
      setChips([]);
      setOutcome(t("channelSettings.added", { count: added.length }));
    } catch (failure) {
      setError(reasonOf(failure));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      id={elementId("add")}
      class={styles.add}
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <ChipsField
        label={t("channelSettings.add")}
        hint={t("channelSettings.addHint")}
        error={error}
        chips={chips}
        onChange={(next) => {
          setChips(next);
          setOutcome("");
          setError(undefined);
        }}
        suggest={(query) => suggest(query, stream_id, subscribed)}
      />
      <Button kind="primary" type="submit" busy={isBusy} aria-disabled={fresh.length === 0 || !isKnown}>
        {t("channelSettings.addNow")}
      </Button>
      <p class={styles.outcome} role="status">
        {chips.length === 0 ? outcome : isKnown ? preview(fresh.length) : t("ui.loading")}
      </p>
    </form>
  );
}

const preview = (count: number): string =>
  count === 0 ? t("channelSettings.willAddNobody") : t("channelSettings.willAdd", { count });
