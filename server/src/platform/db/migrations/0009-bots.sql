-- Bots beyond being accounts: whose key is shown again, where they write by default, what they ask of the outside world.

create table bots (
  user_id bigint primary key references users (id),
  realm_id bigint not null references realms (id),
  -- The key as its owner can see it again, sealed with the server's secret; what signs in is the hash in api_keys.
  sealed_api_key text not null,
  default_sending_channel_id bigint references channels (id),
  default_events_register_channel_id bigint references channels (id),
  default_all_public_channels boolean not null default false,
  config jsonb not null default '{}'
);
create index bots_of_realm on bots (realm_id, user_id);

-- Where an outgoing-webhook bot hands on what is said to it. `interface`: 1 our own form, 2 Slack's.
create table outgoing_webhooks (
  bot_id bigint primary key references bots (user_id),
  realm_id bigint not null references realms (id),
  name text not null check (char_length(name) <= 100),
  base_url text not null check (char_length(base_url) <= 2000),
  interface smallint not null check (interface in (1, 2)),
  sealed_token text not null
);

-- A message that is to be handed on. The row is there until that is over; what is posted in answer, and the row's end,
-- are one transaction, so that a worker that dies half-way posts nothing twice.
create table webhook_deliveries (
  message_id bigint not null,
  bot_id bigint not null references bots (user_id),
  realm_id bigint not null references realms (id),
  tries smallint not null default 0,
  -- Until then a worker is at it.
  taken_until timestamptz,
  primary key (message_id, bot_id)
);

-- What bots remember. Sizes are counted in characters.
create table bot_storage (
  user_id bigint not null references users (id),
  key text not null,
  value text not null,
  realm_id bigint not null references realms (id),
  primary key (user_id, key)
);

-- A bot speaks for its owner, too: it may write where the owner may. Asked only where its own rights do not suffice.
create function account_in_group(person bigint, wanted bigint) returns boolean language sql stable as $$
  select exists (
    select from users u join realms r on r.id = u.realm_id
    where u.id = person and u.is_active
      and in_group(u.id, rank_of(u.role, u.date_joined, r.waiting_period_threshold), wanted))
$$;
