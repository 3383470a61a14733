-- phase: expand
-- transaction: none

-- Before an account's row is deleted, PostgreSQL looks for rows that refer to it: without these indexes in whole tables.
create index concurrently message_edits_user on message_edits (user_id);
create index concurrently topic_edits_user on topic_edits (user_id);
create index concurrently submessages_sender on submessages (sender_id);
create index concurrently muted_users_muted_user on muted_users (muted_user_id);
