-- What reading and finding messages needs.

-- Mentions of a whole channel: found in a channel without looking at its other messages.
create index messages_mentioning_channel on messages (conversation_id, id) where mentions_channel;
create index message_flags_mentioned on message_flags (user_id, message_id)
  where mentioned or topic_wildcard_mentioned;
create index message_flags_alerted on message_flags (user_id, message_id) where has_alert_word;

-- Who has left a channel may have read what was said before.
create index subscriptions_ended on subscriptions (channel_id, user_id) where not active;

-- A topic of that name in any channel.
create index topics_by_name on topics (realm_id, lower(name));

-- The words of a message, out of its HTML: the parser passes over tags. What is cut off here could not be stored.
create function words_of(language text, html text) returns tsvector
  language sql stable parallel safe cost 2000
  return to_tsvector(language::regconfig, left(html, 250000));

-- Any of the words of a text, each quoted as the type wants it; null where there are none, which nothing matches.
create function any_word_of(language text, words text) returns tsquery
  language sql stable parallel safe
  return (
    select string_agg('''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''', ' | ')::tsquery
    from unnest(to_tsvector(language::regconfig, words)));

-- The words of a topic's name are kept with the topic, so that renaming one changes no message.
alter table topics add column words tsvector;
create function keep_topic_words() returns trigger language plpgsql as $$
begin
  new.words := words_of((select search_language from realms where id = new.realm_id), new.name);
  return new;
end $$;
create trigger topic_words before insert or update of name on topics
  for each row execute function keep_topic_words();
update topics set name = name;
create index topics_words on topics using gin (words);

-- A word no text contains stands for the organization, so that the index finds words of one organization only.
create function realm_word(realm bigint) returns text language sql immutable parallel safe
  return 'realm#' || realm;
