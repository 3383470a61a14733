/** Reading many messages: one statement finds them and gathers all that the answer shows. */
import { newestAnchor, type FoundMessage } from "@skein/api/fetch-messages.ts";
import type { Narrow } from "@skein/api/narrow.ts";
import { CompiledQuery } from "kysely";
import type { Context } from "../../context.ts";
import { StaleSession, type User } from "../../http/sessions.ts";
import { pageOf } from "../../platform/db/connect.ts";
import { flagColumns, flagsJoin, type FlagRow } from "../flags/rules.ts";
import { compileNarrow, type Compiled, type CompileOptions } from "../narrow/compile.ts";
import { Parameters } from "../narrow/parameters.ts";
import { resolveTerms, type ResolvedTerm } from "../narrow/resolve.ts";
import { nearest } from "../narrow/sources.ts";
import { readTerms } from "../narrow/terms.ts";
import { highlightColumns, toMatches, type HighlightRow, type Matches } from "../search/highlight.ts";
import { searchExtent } from "../search/extent.ts";
import { asker, isCurrent, readerJoins } from "./access.ts";
import { messageColumns, messageJoins, toMessages, type MessageRow } from "./fetch.ts";
import { cut, type Range, type Stretch } from "./fetch-range.ts";
import type { MessageForm } from "./object.ts";

/** A narrow, ready for a statement. */
interface Prepared extends Compiled {
  params: Parameters;
  /** What is searched for, all of it. */
  words: string | undefined;
  /** Whether it is one of the few that clients ask for all day. */
  isUsual: boolean;
}

/** Everything, one thing, or a topic of a channel. */
const areUsual = (terms: readonly ResolvedTerm[]): boolean =>
  terms.every(({ negated }) => !negated) &&
  (terms.length <= 1 || (terms.length === 2 && terms.every(({ kind }) => kind === "channel" || kind === "topic")));

async function prepare(ctx: Context, user: User, narrow: Narrow, reach?: CompileOptions["reach"]): Promise<Prepared> {
  const terms = await resolveTerms(ctx, user, readTerms(narrow));
  const params = new Parameters(user);
  const searches = terms.flatMap((term) => (term.kind === "search" && !term.negated ? [term.text] : []));
  const words = searches.length > 0 ? searches.join(" ") : undefined;
  const language = user.realm.search_language;
  const search =
    words === undefined ? undefined : { words, extent: await searchExtent(ctx.db, user.realm_id, language, words) };
  const options = { params, language, search, reach };
  return { params, words, isUsual: areUsual(terms), ...compileNarrow(terms, options) };
}

/** The common table expressions `anchor (id)` and `page (id)`. */
function pageSql(narrow: Prepared, range: Range): string {
  const { params, conditions } = narrow;
  const at = "(select id from anchor)";
  const anchor =
    range.anchor === "first_unread"
      ? `select coalesce((${nearest(narrow.unread(), "after", "0", "1")}), ${newestAnchor}) as id`
      : `select ${params.add(range.anchor, "bigint")} as id`;
  const search = range.before + range.after > 0 ? narrow.search() : { sources: [], conditions };
  const before = range.before > 0 ? [nearest(search, "before", `${at} - 1`, params.add(range.before, "integer"))] : [];
  // One more than asked for, since the first may be the anchor.
  const after = range.after > 0 ? [nearest(search, "after", at, params.add(range.after + 1, "integer"))] : [];
  const itself =
    range.isAnchorIn && range.after === 0
      ? [nearest({ sources: [{ ids: "select id from anchor" }], conditions }, "before", at, "1")]
      : [];
  const parts = [...before, ...itself, ...after].map((part) => `(${part})`);
  return `anchor as materialized (${anchor}),
  page as materialized (${parts.join(" union ")})`;
}

type Found = { is_current: boolean; anchor: number } & ((MessageRow & FlagRow & HighlightRow) | { id: null });

const isThere = (row: Found): row is Extract<Found, { sender: unknown }> => row.id !== null;

/** Finds the messages of a page and gathers what is shown of them. */
function pageStatement(page: string, { params, words }: Prepared, user: User): CompiledQuery<Found> {
  const highlights = words === undefined ? "" : `, ${highlightColumns(params, user.realm.search_language, words)}`;
  const text = `with ${page}
    select current.is_current, anchor.id as anchor, found.*
    from (select ${isCurrent} as is_current) as current cross join anchor
      left join (
        select ${messageColumns}, ${flagColumns(asker)}${highlights}
        from page join messages m on m.id = page.id ${readerJoins(asker)} ${flagsJoin(asker)} ${messageJoins}
      ) as found on true
    order by found.id`;
  return CompiledQuery.raw(text, params.values);
}

async function runPage(ctx: Context, statement: CompiledQuery<Found>, { isUsual }: Prepared): Promise<Found[]> {
  const rows = await pageOf<Found>(ctx.db, statement.sql, [...statement.parameters], isUsual);
  if (!rows[0]?.is_current) throw new StaleSession();
  return rows;
}

/** The statement that fetches a range; its plan must hold for large organizations. */
export async function rangeStatement(ctx: Context, user: User, narrow: Narrow, range: Range): Promise<CompiledQuery> {
  const prepared = await prepare(ctx, user, narrow);
  return pageStatement(pageSql(prepared, range), prepared, user);
}

export interface Page extends Stretch {
  anchor: number;
  messages: FoundMessage[];
}

export async function fetchRange(
  ctx: Context,
  user: User,
  narrow: Narrow,
  range: Range,
  form: MessageForm,
): Promise<Page> {
  const prepared = await prepare(ctx, user, narrow);
  const rows = await runPage(ctx, pageStatement(pageSql(prepared, range), prepared, user), prepared);
  const anchor = rows[0]?.anchor ?? newestAnchor;
  const there = rows.filter(isThere);
  const stretch = cut(
    there.map((row) => row.id),
    anchor,
    range,
  );
  const kept = new Set(stretch.ids);
  const messages = await toFound(
    ctx,
    user,
    there.filter((row) => kept.has(row.id)),
    prepared,
    form,
  );
  return { ...stretch, anchor, messages };
}

/** Which messages are in a range, without the messages. */
export async function findRange(ctx: Context, user: User, narrow: Narrow, range: Range): Promise<Stretch> {
  const prepared = await prepare(ctx, user, narrow);
  const text = `with ${pageSql(prepared, range)}
    select ${isCurrent} as is_current, anchor.id as anchor, array(select id from page order by id) as ids from anchor`;
  type Row = { is_current: boolean; anchor: number; ids: number[] };
  const [row] = await pageOf<Row>(ctx.db, text, prepared.params.values, prepared.isUsual);
  if (!row?.is_current) throw new StaleSession();
  return cut(row.ids, row.anchor, range);
}

/** Those of some messages that the user may read and the narrow means. */
export async function fetchListed(
  ctx: Context,
  user: User,
  narrow: Narrow,
  messageIds: number[],
  form: MessageForm,
): Promise<FoundMessage[]> {
  const prepared = await prepare(ctx, user, narrow, "readable");
  const rows = await runPage(ctx, pageStatement(listedSql(prepared, messageIds), prepared, user), prepared);
  return toFound(ctx, user, rows.filter(isThere), prepared, form);
}

/** Those of some messages that the user was sent and the narrow means, with what a search found in them. */
export async function findMatches(
  ctx: Context,
  user: User,
  narrow: Narrow,
  messageIds: number[],
): Promise<Record<string, Matches>> {
  const prepared = await prepare(ctx, user, narrow, "received");
  const marked = { ...prepared, words: prepared.words ?? "" };
  const rows = await runPage(ctx, pageStatement(listedSql(prepared, messageIds), marked, user), marked);
  const form = { empty_topic_name: true };
  return Object.fromEntries(rows.filter(isThere).map((row) => [row.id, toMatches(row, form)]));
}

function listedSql({ params, conditions }: Prepared, messageIds: number[]): string {
  const ids = `select distinct id from unnest(${params.add(messageIds, "bigint[]")}) as id`;
  const limit = params.add(messageIds.length, "integer");
  return `anchor as materialized (select 0::bigint as id),
  page as materialized (${nearest({ sources: [{ ids }], conditions }, "after", "0", limit)})`;
}

async function toFound(
  ctx: Context,
  user: User,
  rows: (MessageRow & FlagRow & HighlightRow)[],
  { words }: Prepared,
  form: MessageForm,
): Promise<FoundMessage[]> {
  const messages = await toMessages(ctx, user, rows, form);
  if (words === undefined) return messages;
  return messages.map((message, n) => {
    const row = rows[n];
    if (!row) throw new Error("unreachable: each message comes of its row");
    return { ...message, ...toMatches(row, form) };
  });
}
