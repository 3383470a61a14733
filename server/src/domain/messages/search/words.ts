/**
 * A search as SQL over a message `m` and its topic `t`. The words of a message are those of its content and its topic
 * together; a quoted part must also occur literally.
 */
import type { Parameters } from "../narrow/parameters.ts";

/** The searched text, and the text search configuration that defines what a word is. */
export interface SearchText {
  params: Parameters;
  language: string;
  text: string;
}

/** SQL for the text search configuration, and for tsqueries that match all words or any of them. */
function wordsSql({ params, language, text }: SearchText) {
  const lang = params.add(language, "text");
  const words = params.add(text, "text");
  return {
    language: lang,
    all: `plainto_tsquery(${lang}::regconfig, ${words})`,
    any: `any_word_of(${lang}, ${words})`,
  };
}

const escapeLike = (text: string): string => text.replaceAll(/[\\%_]/g, "\\$&");

/** Whether the message matches, by its stored words or, where none are stored yet, by its content. */
export function hasWords(search: SearchText): string {
  const { language, all } = wordsSql(search);
  const phrases = [...search.text.matchAll(/"([^"]+)"/g)].map((match) => {
    const pattern = search.params.add(`%${escapeLike(match[1] ?? "")}%`, "text");
    return `(m.content ilike ${pattern} or coalesce(t.name, '') ilike ${pattern})`;
  });
  return `(${[
    ...phrases,
    `(coalesce((select indexed.vector from message_search indexed where indexed.message_id = m.id),
        words_of(${language}, m.rendered_content)) || coalesce(t.words, '')) @@ ${all}`,
  ].join(" and ")})`;
}

/**
 * Messages that may match: those in the index, those not indexed yet, and those of topics with some of the words, since
 * topic names are not in the index. The id up to which all are indexed is passed as a value; otherwise the planner
 * would assume that a third of all messages are not.
 */
export function candidates(search: SearchText & { indexedUpTo: number }, realm: string): string {
  const { all, any } = wordsSql(search);
  return `
    select indexed.message_id as id from message_search indexed
    where indexed.vector @@ (${all} && quote_literal(realm_word(${realm}))::tsquery) and indexed.realm_id = ${realm}
    union
    select fresh.id from messages fresh
    where fresh.id > ${search.params.add(search.indexedUpTo, "bigint")} and fresh.realm_id = ${realm}
    union
    select placed.id from topics about join messages placed on placed.topic_id = about.id
    where about.words @@ ${any} and about.realm_id = ${realm}`;
}
