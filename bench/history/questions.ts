/**
 * Queries of clients on a long history, and the same queries as SQL that somebody who knows the tables would write by hand,
 * without access rules, flags and response formats.
 */
import { apiRequest } from "../request.ts";
import type { History } from "./fill.ts";
import { commonWord, rareWord } from "./text.ts";

export interface Question {
  what: string;
  /** The request of the n-th run, each time for a different object if there is more than one. */
  request: (history: History, n: number) => Buffer;
  sql: { text: string; values: (history: History, n: number) => unknown[] };
  /** The number of runs. */
  times: number;
  /** Common words match a large part of all messages, so a different target applies. */
  isExempt?: boolean;
}

const pageLength = 100;

type Term = { operator: string; operand: unknown };

function page(history: History, narrow: Term[], anchor = "newest", after = 0): Buffer {
  const fields = { anchor, num_before: pageLength, num_after: after, narrow: JSON.stringify(narrow) };
  return apiRequest(history.reader, "GET", "/messages", fields);
}

const at = <T>(values: readonly T[], n: number): T => {
  const value = values[n % values.length];
  if (value === undefined) throw new Error("there are some");
  return value;
};

const columns = `m.id, m.sender_id, m.conversation_id, m.topic_id, m.date_sent, m.rendered_content, u.full_name,
    u.delivery_email, t.name,
    (select json_agg(r) from reactions r where r.message_id = m.id) as reactions,
    (select json_agg(f) from message_flags f where f.message_id = m.id and f.user_id = $1) as flags`;
const joins = "join users u on u.id = m.sender_id left join topics t on t.id = m.topic_id";
const newest = (condition: string) =>
  `select ${columns} from messages m ${joins} where ${condition} order by m.id desc limit ${pageLength}`;

/** For a reader who is in most channels, a page is found by scanning all messages. */
const isInOwnChannel =
  "m.conversation_id = any(array(select channel_id from subscriptions where user_id = $1 and active))";

const searchFor = (word: string): Pick<Question, "request" | "sql"> => ({
  request: (history) => page(history, [{ operator: "search", operand: word }]),
  sql: {
    // By default PostgreSQL would search for a rare word backwards from the newest message.
    text: `with found as materialized (select message_id from message_search where vector @@ plainto_tsquery('english', $2))
      select ${columns}, ts_headline('english', m.rendered_content, plainto_tsquery('english', $2))
      from (select message_id from found order by 1 desc limit ${pageLength}) f join messages m on m.id = f.message_id ${joins}
      order by m.id desc`,
    values: (history) => [history.reader.id, word],
  },
});

const flagged = (flag: "mentioned" | "starred"): Pick<Question, "request" | "sql"> => ({
  request: (history) => page(history, [{ operator: "is", operand: flag }]),
  sql: {
    text: newest(`m.id in (
      select message_id from message_flags where user_id = $1 and ${flag} order by message_id desc limit ${pageLength})`),
    values: (history) => [history.reader.id],
  },
});

export const questions: Question[] = [
  {
    what: "open a channel",
    request: (history, n) => page(history, [{ operator: "channel", operand: at(history.channels, n) }]),
    sql: {
      text: newest("m.conversation_id = $2"),
      values: (history, n) => [history.reader.id, at(history.channels, n)],
    },
    times: 300,
  },
  {
    what: "open a topic",
    request: (history, n) => {
      const { channel, name } = at(history.topics, n);
      return page(history, [
        { operator: "channel", operand: channel },
        { operator: "topic", operand: name },
      ]);
    },
    sql: {
      text: newest("m.topic_id = $2"),
      values: (history, n) => [history.reader.id, at(history.topics, n).topic],
    },
    times: 300,
  },
  {
    what: "open a direct conversation",
    request: (history, n) => page(history, [{ operator: "dm", operand: [at(history.partners, n)] }]),
    sql: {
      text: newest("m.conversation_id = (select id from conversations where realm_id = $2 and direct_key = $3)"),
      values: (history, n) => [history.reader.id, history.realm, `${history.reader.id},${at(history.partners, n)}`],
    },
    times: 300,
  },
  {
    what: "combined feed, 500 channels",
    request: (history) => page(history, []),
    sql: {
      text: newest(isInOwnChannel),
      values: (history) => [history.reader.id],
    },
    times: 100,
  },
  {
    what: "first unread after a month away",
    request: (history) => page(history, [], "first_unread", pageLength),
    sql: {
      text: `with first as materialized (
          select min(oldest.id) as id from subscriptions s cross join lateral (
            select id from messages
            where (conversation_id, id) >= (s.channel_id, upper(s.read)) and (conversation_id, id) < (s.channel_id + 1, 0)
            order by conversation_id, id limit 1
          ) oldest where s.user_id = $1 and s.active)
        (select ${columns} from messages m ${joins}
          where m.id >= (select id from first) and ${isInOwnChannel} order by m.id limit ${pageLength + 1})
        union all
        (select ${columns} from messages m ${joins}
          where m.id < (select id from first) and ${isInOwnChannel} order by m.id desc limit ${pageLength})`,
      values: (history) => [history.reader.id],
    },
    times: 40,
  },
  { what: "is:mentioned", ...flagged("mentioned"), times: 200 },
  { what: "is:starred", ...flagged("starred"), times: 200 },
  { what: "search for a rare word", ...searchFor(rareWord), times: 100 },
  { what: "search for a common word", ...searchFor(commonWord), times: 5, isExempt: true },
  {
    what: "list the topics of a channel with 5,000",
    request: (history) => apiRequest(history.reader, "GET", `/users/me/${history.broadChannel}/topics`),
    sql: {
      text: `select t.name, (select max(id) from messages where topic_id = t.id) as max_id
        from topics t where t.channel_id = $1 order by max_id desc`,
      values: (history) => [history.broadChannel],
    },
    times: 50,
  },
];
