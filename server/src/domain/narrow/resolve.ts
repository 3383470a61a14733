/**
 * What the terms of a narrow refer to: channels, people, a message. All of it is found by one statement. A channel the
 * reader does not know of is no channel, and a person they do not see is nobody.
 */
import type { Context } from "../../context.ts";
import { StaleSession, type User } from "../../http/sessions.ts";
import { pageOf } from "../../platform/db/connect.ts";
import { metadataAccessSql } from "../channels/access.ts";
import { asker, isCurrent, isReadable, readerJoins } from "../messages/access.ts";
import { directKey } from "../messages/recipients.ts";
import { realmHost } from "../realm/address.ts";
import { canSeeAddress, standInUserId, type Addressed } from "../users/email.ts";
import { sightOf } from "../users/guest-view.ts";
import { Parameters } from "./parameters.ts";
import { badNarrow, type Meaning, type PersonTarget, type Term } from "./terms.ts";

/** Where a message stands. */
export interface Place {
  conversationId: number;
  /** Undefined for direct messages. */
  topicId: number | undefined;
}

type Resolved =
  | Exclude<Meaning, { kind: "channel" | "dm" | "dm-including" | "group-dm-with" | "sender" | "with" }>
  | { kind: "channel"; channelId: number }
  | { kind: "dm"; directKey: string | undefined }
  | { kind: "dm-including"; userId: number }
  | { kind: "group-dm-with"; userId: number }
  | { kind: "sender"; userId: number }
  | { kind: "place"; place: Place };

export type ResolvedTerm = Resolved & { negated: boolean };

interface Found {
  is_current: boolean;
  /** Each beside the name it was asked for by, if it was by name. */
  channels: { id: number; wanted: string | null }[] | null;
  people: Addressed[] | null;
  place: { conversation_id: number; topic_id: number | null } | null;
}

export async function resolveTerms(ctx: Context, user: User, terms: Term[]): Promise<ResolvedTerm[]> {
  const named = terms.flatMap(peopleIn);
  const channels = terms.flatMap((term) => (term.kind === "channel" ? [term.channel] : []));
  const withId = terms.find((term) => term.kind === "with")?.id;
  const host = realmHost(ctx.config, user.realm);
  const isAboutNothing = named.length === 0 && channels.length === 0 && withId === undefined;
  const found = isAboutNothing
    ? nothingFound
    : await find(ctx, user, {
        channelIds: channels.flatMap((target) => ("id" in target ? target.id : [])),
        channelNames: channels.flatMap((target) => ("name" in target ? target.name : [])),
        userIds: named.flatMap((person) => ("id" in person ? person.id : (standInUserId(person.email, host) ?? []))),
        emails: named.flatMap((person) => ("email" in person ? person.email.toLowerCase() : [])),
        messageId: withId,
      });
  const people = named.length > 0 ? (found.people ?? []).filter(await sightOf(ctx.db, user)) : [];
  const personFor = (target: PersonTarget, operator: string): number => {
    const isIt = (candidate: Addressed) =>
      "id" in target
        ? candidate.id === target.id
        : (candidate.delivery_email.toLowerCase() === target.email.toLowerCase() && canSeeAddress(user, candidate)) ||
          candidate.id === standInUserId(target.email, host);
    const person = people.find(isIt);
    if (!person) throw badNarrow(`unknown user in ${operator}`);
    return person.id;
  };
  const toResolved = (term: Exclude<Term, { kind: "with" }>): ResolvedTerm => {
    const { kind, negated } = term;
    switch (kind) {
      case "channel": {
        const { channel: target } = term;
        const channel = found.channels?.find(({ id, wanted }) =>
          "id" in target ? id === target.id : wanted === target.name,
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
        return { kind, negated, userId: personFor(term.person, kind) };
      default:
        return term;
    }
  };
  return placed(terms, found.place).map((term) => (term.kind === "place" ? term : toResolved(term)));
}

/** The message of a `with` says which conversation is meant; where it cannot be read, the other terms do. */
function placed(
  terms: Term[],
  place: Found["place"],
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
      return [term.person];
    default:
      return [];
  }
}

interface Wanted {
  channelIds: number[];
  channelNames: string[];
  userIds: number[];
  emails: string[];
  messageId: number | undefined;
}

const nothingFound: Found = { is_current: true, channels: null, people: null, place: null };

async function find(ctx: Context, user: User, wanted: Wanted): Promise<Found> {
  const params = new Parameters(user);
  const text = `select ${isCurrent} as is_current,
    (
      select json_agg(json_build_object('id', c.id, 'wanted', w.name))
      from (
          select id, null as name from unnest(${params.add(wanted.channelIds, "bigint[]")}) as id
          union all
          select (select named.id from channels named
            where named.realm_id = ${asker.realm} and lower(named.name) = lower(given.name)), given.name
          from unnest(${params.add(wanted.channelNames, "text[]")}) as given (name)
        ) as w
        join channels c on c.id = w.id
        left join subscriptions s on s.channel_id = c.id and s.user_id = ${asker.id}
      where c.realm_id = ${asker.realm} and ${metadataAccessSql({ channel: "c", subscription: "s", reader: asker })}
    ) as channels,
    (
      select json_agg(json_build_object('id', u.id, 'delivery_email', u.delivery_email, 'is_bot', u.is_bot,
        'email_address_visibility', u.email_address_visibility)) from users u
      where u.realm_id = ${asker.realm} and (u.id = any(${params.add(wanted.userIds, "bigint[]")})
        or lower(u.delivery_email) = any(${params.add(wanted.emails, "text[]")}))) as people,
    (
      select json_build_object('conversation_id', m.conversation_id, 'topic_id', m.topic_id)
      from messages m ${readerJoins(asker)}
      where m.id = ${params.add(wanted.messageId ?? null, "bigint")} and m.realm_id = ${asker.realm}
        and ${isReadable(asker)}) as place`;
  const [row] = await pageOf<Found>(ctx.db, text, params.values, true);
  if (!row?.is_current) throw new StaleSession();
  return row;
}
