/**
 * What a search asks for, as SQL over a message `m` and its topic `t`. The words of a message are those of its content
 * and of its topic together; a part in quotation marks must also stand there as it is written.
 */
import type { Parameters } from "../narrow/parameters.ts";

/** What is searched for, and the text search configuration that says what a word is. */
export interface Wanted {
  params: Parameters;
  language: string;
  text: string;
}

/** SQL for the text search configuration, for all words at once as a tsquery, and for any of them. */
function wordsSql({ params, language, text }: Wanted) {
  const lang = params.add(language, "text");
  const words = params.add(text, "text");
  return {
    language: lang,
    all: `plainto_tsquery(${lang}::regconfig, ${words})`,
    any: `any_word_of(${lang}, ${words})`,
  };
}

const escapeLike = (text: string): string => text.replaceAll(/[\\%_]/g, "\\$&");

/** Whether the message has what is asked for, by its words as stored, or where none are stored yet by its content. */
export function hasWords(wanted: Wanted): string {
  const { language, all } = wordsSql(wanted);
  const phrases = [...wanted.text.matchAll(/"([^"]+)"/g)].map((match) => {
    const pattern = wanted.params.add(`%${escapeLike(match[1] ?? "")}%`, "text");
    return `(m.content ilike ${pattern} or coalesce(t.name, '') ilike ${pattern})`;
  });
  return `(${[
    ...phrases,
    `(coalesce((select indexed.vector from message_search indexed where indexed.message_id = m.id),
        words_of(${language}, m.rendered_content)) || coalesce(t.words, '')) @@ ${all}`,
  ].join(" and ")})`;
}

/**
 * Messages that may have what is asked for: those the index knows of; those it does not know yet; and those of topics
 * that hold some of the words, for their names are not in the index. Up to where it knows all of them is given as a
 * value, or the planner would take the others for a third of all messages there are.
 */
export function candidates(wanted: Wanted & { indexedUpTo: number }, realm: string): string {
  const { all, any } = wordsSql(wanted);
  return `
    select indexed.message_id as id from message_search indexed
    where indexed.vector @@ (${all} && quote_literal(realm_word(${realm}))::tsquery) and indexed.realm_id = ${realm}
    union
    select fresh.id from messages fresh
    where fresh.id > ${wanted.params.add(wanted.indexedUpTo, "bigint")} and fresh.realm_id = ${realm}
    union
    select placed.id from topics about join messages placed on placed.topic_id = about.id
    where about.words @@ ${any} and about.realm_id = ${realm}`;
}
