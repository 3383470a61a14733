-- What services outside have delivered to incoming-webhook bots, for a day: a delivery that comes again is posted once.

create table incoming_deliveries (
  bot_id bigint not null references users (id),
  -- A hash of the name the service gave the delivery and of where it was to go; see domain/incoming-webhooks/once.ts.
  key bytea not null,
  realm_id bigint not null references realms (id),
  received_at timestamptz not null default now(),
  primary key (bot_id, key)
);
create index incoming_deliveries_by_age on incoming_deliveries (received_at);
