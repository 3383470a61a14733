/**
 * Resolves what the terms of a narrow refer to: channels, people, a message. One statement finds all of it. A channel
 * or person the reader cannot see is treated as nonexistent.
 */
import type { Context } from "../../../context.ts";
import { StaleSession } from "../../../identity/sessions.ts";
import type { User } from "../../../identity/account.ts";
import { queryPage } from "../../../platform/db/connect.ts";
import { metadataAccessSql } from "../../channels/access.ts";
import { caller, isCurrent, isReadable, readerJoins } from "../access.ts";
import { directKey } from "../send/recipients.ts";
import { realmHost } from "../../organization/realm/address.ts";
import { canSeeAddress, placeholderUserId, type Addressed } from "../../people/users/email.ts";
import { visibilityFor } from "../../people/users/guest-view.ts";
import { Parameters } from "./parameters.ts";
import { badNarrow, type Meaning, type PersonTarget, type Term } from "./terms.ts";

/** The conversation and topic of a message. */
export interface Place {
  conversationId: number;
  /** Undefined for direct messages. */
  topicId: number | undefined;
}

type Resolved =
  | Exclude<Meaning, { kind: "channel" | "dm" | "dm-including" | "group-dm-with" | "sender" | "mentions" | "with" }>
  | { kind: "channel"; channelId: number }
  | { kind: "dm"; directKey: string | undefined }
  | { kind: "dm-including"; userId: number }
  | { kind: "group-dm-with"; userId: number }
  | { kind: "sender"; userId: number }
  | { kind: "mentions"; userId: number }
  | { kind: "place"; place: Place };

export type ResolvedTerm = Resolved & { negated: boolean };

interface ResolvedReferences {
  is_current: boolean;
  /** Each with the name it was requested by, if it was requested by name. */
  channels: { id: number; requested: string | null }[] | null;
  people: Addressed[] | null;
  place: { conversation_id: number; topic_id: number | null } | null;
}

export async function resolveTerms(ctx: Context, user: User, terms: Term[]): Promise<ResolvedTerm[]> {
  const named = terms.flatMap(peopleIn);
  const channels = terms.flatMap((term) => (term.kind === "channel" ? [term.channel] : []));
  const withId = terms.find((term) => term.kind === "with")?.id;
  const host = realmHost(ctx.config, user.realm);
  const hasNoReferences = named.length === 0 && channels.length === 0 && withId === undefined;
  const found = hasNoReferences
    ? nothingFound
    : await find(ctx, user, {
        channelIds: channels.flatMap((target) => ("id" in target ? target.id : [])),
        channelNames: channels.flatMap((target) => ("name" in target ? target.name : [])),
        userIds: named.flatMap((person) =>
          "id" in person ? person.id : (placeholderUserId(person.email, host) ?? []),
        ),
        emails: named.flatMap((person) => ("email" in person ? person.email.toLowerCase() : [])),
        messageId: withId,
      });
  const people = named.length > 0 ? (found.people ?? []).filter(await visibilityFor(ctx.db, user)) : [];
  const personFor = (target: PersonTarget, operator: string): number => {
    const matches = (candidate: Addressed) =>
      "id" in target
        ? candidate.id === target.id
        : (candidate.delivery_email.toLowerCase() === target.email.toLowerCase() && canSeeAddress(user, candidate)) ||
          candidate.id === placeholderUserId(target.email, host);
    const person = people.find(matches);
    if (!person) throw badNarrow(`unknown user in ${operator}`);
    return person.id;
  };
  const toResolved = (term: Exclude<Term, { kind: "with" }>): ResolvedTerm => {
    const { kind, negated } = term;
    switch (kind) {
      case "channel": {
        const { channel: target } = term;
        const channel = found.channels?.find(({ id, requested }) =>
          "id" in target ? id === target.id : requested === target.name,
        );
        if (!channel) throw badNarrow("unknown channel");
        return { kind, negated, channelId: channel.id };
      }
      case "dm": {
        const others = term.people.map((person) => personFor(person, "dm"));
        const parties = [...new Set([...others, user.id])].toSorted((a, b) => a - b);
        return { kind, negated, directKey: others.length > 0 ? directKey(parties) : undefined };
      }
      case "dm-including":
      case "group-dm-with":
      case "sender":
      case "mentions":
        return { kind, negated, userId: personFor(term.person, kind) };
      default:
        return term;
    }
  };
  return placed(terms, found.place).map((term) => (term.kind === "place" ? term : toResolved(term)));
}

/** The message of a `with` term determines the conversation; if the reader cannot read it, the other terms do. */
function placed(
  terms: Term[],
  place: ResolvedReferences["place"],
): (Exclude<Term, { kind: "with" }> | Extract<ResolvedTerm, { kind: "place" }>)[] {
  const rest = terms.filter((term) => term.kind !== "with");
  if (rest.length === terms.length) return rest;
  const has = (kind: Term["kind"]) => rest.some((term) => term.kind === kind && !term.negated);
  if (place)
    return [
      ...rest.filter(({ kind, negated }) => negated || (kind !== "channel" && kind !== "topic" && kind !== "dm")),
      {
        kind: "place",
        negated: false,
        place: { conversationId: place.conversation_id, topicId: place.topic_id ?? undefined },
      },
    ];
  if (!has("dm") && !(has("channel") && has("topic"))) throw badNarrow("Invalid 'with' operator");
  return rest;
}

function peopleIn(term: Term): PersonTarget[] {
  switch (term.kind) {
    case "dm":
      return term.people;
    case "dm-including":
    case "group-dm-with":
    case "sender":
    case "mentions":
      return [term.person];
    default:
      return [];
  }
}

interface References {
  channelIds: number[];
  channelNames: string[];
  userIds: number[];
  emails: string[];
  messageId: number | undefined;
}

const nothingFound: ResolvedReferences = { is_current: true, channels: null, people: null, place: null };

async function find(ctx: Context, user: User, requested: References): Promise<ResolvedReferences> {
  const params = new Parameters(user);
  const text = `select ${isCurrent} as is_current,
    (
      select json_agg(json_build_object('id', c.id, 'requested', w.name))
      from (
          select id, null as name from unnest(${params.add(requested.channelIds, "bigint[]")}) as id
          union all
          select (select named.id from channels named
            where named.realm_id = ${caller.realm} and lower(named.name) = lower(given.name)), given.name
          from unnest(${params.add(requested.channelNames, "text[]")}) as given (name)
        ) as w
        join channels c on c.id = w.id
        left join subscriptions s on s.channel_id = c.id and s.user_id = ${caller.id}
      where c.realm_id = ${caller.realm} and ${metadataAccessSql({ channel: "c", subscription: "s", reader: caller })}
    ) as channels,
    (
      select json_agg(json_build_object('id', u.id, 'delivery_email', u.delivery_email, 'is_bot', u.is_bot,
        'email_address_visibility', u.email_address_visibility)) from users u
      where u.realm_id = ${caller.realm} and (u.id = any(${params.add(requested.userIds, "bigint[]")})
        or lower(u.delivery_email) = any(${params.add(requested.emails, "text[]")}))) as people,
    (
      select json_build_object('conversation_id', m.conversation_id, 'topic_id', m.topic_id)
      from messages m ${readerJoins(caller)}
      where m.id = ${params.add(requested.messageId ?? null, "bigint")} and m.realm_id = ${caller.realm}
        and ${isReadable(caller)}) as place`;
  const [row] = await queryPage<ResolvedReferences>(ctx.db, text, params.values, true);
  if (!row?.is_current) throw new StaleSession();
  return row;
}
