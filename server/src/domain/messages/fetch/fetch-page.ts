/** Reading a page of messages: one statement finds them and collects everything the response shows. */
import { newestAnchor, type FoundMessage } from "@skein/api/fetch-messages.ts";
import type { Narrow } from "@skein/api/narrow.ts";
import { CompiledQuery } from "kysely";
import type { Context } from "../../../context.ts";
import { StaleSession } from "../../../identity/sessions.ts";
import type { User } from "../../../identity/account.ts";
import { queryPage } from "../../../platform/db/connect.ts";
import { firstIdSince } from "../../channels/activity.ts";
import { flagColumns, flagsJoin, type FlagRow } from "../flags/rules.ts";
import { compileNarrow, type Compiled, type CompileOptions } from "../narrow/compile.ts";
import { Parameters } from "../narrow/parameters.ts";
import { resolveTerms, type ResolvedTerm } from "../narrow/resolve.ts";
import { nearest } from "../narrow/sources.ts";
import { readTerms } from "../narrow/terms.ts";
import { highlightColumns, toMatches, type HighlightRow, type Matches } from "../search/highlight.ts";
import { searchExtent } from "../search/extent.ts";
import { caller, isCurrent, readerJoins } from "../access.ts";
import { messageColumns, messageJoins, toMessages, type MessageRow } from "./fetch.ts";
import { selectRange, type Range, type RangeResult } from "./fetch-range.ts";
import type { MessageForm } from "../object.ts";

/** A narrow compiled for a statement. */
interface Prepared extends Compiled {
  params: Parameters;
  /** All search terms together. */
  words: string | undefined;
  /** Whether it is one of the few kinds that clients request all the time. */
  isCommon: boolean;
}

/** No term, a single term, or a topic of a channel. */
const areCommon = (terms: readonly ResolvedTerm[]): boolean =>
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
  return { params, words, isCommon: areCommon(terms), ...compileNarrow(terms, options) };
}

/** SQL for a row `(id)`: the message at which a range begins. */
function anchorSql(narrow: Prepared, { anchor }: Range, firstSince: number): string {
  const { params, conditions } = narrow;
  if (typeof anchor === "number") return `select ${params.add(anchor, "bigint")} as id`;
  if (anchor === "first_unread")
    return `select coalesce((${nearest(narrow.unread(), "after", "0", "1")}), ${newestAnchor}) as id`;
  const { sources } = narrow.search();
  const sentSince = `m.date_sent >= ${params.add(anchor.since, "timestamptz")}`;
  const first = nearest(
    { sources, conditions: [...conditions, sentSince] },
    "after",
    params.add(firstSince, "bigint"),
    "1",
  );
  const newest = nearest({ sources, conditions }, "before", String(newestAnchor), "1");
  return `select coalesce((${first}), (${newest}), ${newestAnchor}) as id`;
}

/** SQL for the common table expressions `anchor (id)` and `page (id)`. */
function pageSql(narrow: Prepared, range: Range, firstSince = 0): string {
  const { params, conditions } = narrow;
  const at = "(select id from anchor)";
  const anchor = anchorSql(narrow, range, firstSince);
  const search = range.before + range.after > 0 ? narrow.search() : { sources: [], conditions };
  const before = range.before > 0 ? [nearest(search, "before", `${at} - 1`, params.add(range.before, "integer"))] : [];
  // One more than requested, since the first may be the anchor.
  const after = range.after > 0 ? [nearest(search, "after", at, params.add(range.after + 1, "integer"))] : [];
  const itself =
    range.isAnchorIn && range.after === 0
      ? [nearest({ sources: [{ ids: "select id from anchor" }], conditions }, "before", at, "1")]
      : [];
  const parts = [...before, ...itself, ...after].map((part) => `(${part})`);
  return `anchor as materialized (${anchor}),
  page as materialized (${parts.join(" union ")})`;
}

type PageRow = { is_current: boolean; anchor: number } & ((MessageRow & FlagRow & HighlightRow) | { id: null });

const isMessage = (row: PageRow): row is Extract<PageRow, { sender: unknown }> => row.id !== null;

/** The statement that finds the messages of a page and collects what is shown of them. */
function pageStatement(page: string, { params, words }: Prepared, user: User): CompiledQuery<PageRow> {
  const highlights = words === undefined ? "" : `, ${highlightColumns(params, user.realm.search_language, words)}`;
  const text = `with ${page}
    select current.is_current, anchor.id as anchor, found.*
    from (select ${isCurrent} as is_current) as current cross join anchor
      left join (
        select ${messageColumns}, ${flagColumns(caller)}${highlights}
        from page join messages m on m.id = page.id ${readerJoins(caller)} ${flagsJoin(caller)} ${messageJoins}
      ) as found on true
    order by found.id`;
  return CompiledQuery.raw(text, params.values);
}

async function runPage(ctx: Context, statement: CompiledQuery<PageRow>, { isCommon }: Prepared): Promise<PageRow[]> {
  const rows = await queryPage<PageRow>(ctx.db, statement.sql, [...statement.parameters], isCommon);
  if (!rows[0]?.is_current) throw new StaleSession();
  return rows;
}

/** The statement that fetches a range. A test checks that its plan is good for large organizations. */
export async function rangeStatement(ctx: Context, user: User, narrow: Narrow, range: Range): Promise<CompiledQuery> {
  const prepared = await prepare(ctx, user, narrow);
  return pageStatement(pageSql(prepared, range), prepared, user);
}

export interface Page extends RangeResult {
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
  const firstSince =
    typeof range.anchor === "object" ? await firstIdSince(ctx.db, user.realm_id, range.anchor.since) : 0;
  const rows = await runPage(ctx, pageStatement(pageSql(prepared, range, firstSince), prepared, user), prepared);
  const anchor = rows[0]?.anchor ?? newestAnchor;
  const found = rows.filter(isMessage);
  const result = selectRange(
    found.map((row) => row.id),
    anchor,
    range,
  );
  const kept = new Set(result.ids);
  const messages = await toFoundMessages(
    ctx,
    user,
    found.filter((row) => kept.has(row.id)),
    prepared,
    form,
  );
  return { ...result, anchor, messages };
}

/** The ids of the messages in a range, without the messages. */
export async function findRange(ctx: Context, user: User, narrow: Narrow, range: Range): Promise<RangeResult> {
  const prepared = await prepare(ctx, user, narrow);
  const text = `with ${pageSql(prepared, range)}
    select ${isCurrent} as is_current, anchor.id as anchor, array(select id from page order by id) as ids from anchor`;
  type Row = { is_current: boolean; anchor: number; ids: number[] };
  const [row] = await queryPage<Row>(ctx.db, text, prepared.params.values, prepared.isCommon);
  if (!row?.is_current) throw new StaleSession();
  return selectRange(row.ids, row.anchor, range);
}

/** Of the listed messages, those the user may read and the narrow matches. */
export async function fetchListed(
  ctx: Context,
  user: User,
  narrow: Narrow,
  messageIds: number[],
  form: MessageForm,
): Promise<FoundMessage[]> {
  const prepared = await prepare(ctx, user, narrow, "readable");
  const rows = await runPage(ctx, pageStatement(listedSql(prepared, messageIds), prepared, user), prepared);
  return toFoundMessages(ctx, user, rows.filter(isMessage), prepared, form);
}

/** Of the listed messages, those the user was sent and the narrow matches, with the search matches marked. */
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
  return Object.fromEntries(rows.filter(isMessage).map((row) => [row.id, toMatches(row, form)]));
}

function listedSql({ params, conditions }: Prepared, messageIds: number[]): string {
  const ids = `select distinct id from unnest(${params.add(messageIds, "bigint[]")}) as id`;
  const limit = params.add(messageIds.length, "integer");
  return `anchor as materialized (select 0::bigint as id),
  page as materialized (${nearest({ sources: [{ ids }], conditions }, "after", "0", limit)})`;
}

async function toFoundMessages(
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
    if (!row) throw new Error("unreachable: there is a row for each message");
    return { ...message, ...toMatches(row, form) };
  });
}
