-- phase: expand

-- Keys have names, scopes and possibly an end. The previous release creates keys without them: keys of devices, with all
-- scopes, which do not expire.
alter table api_keys
  -- Null: the name of the client.
  add column name text,
  -- 'device' or 'personal'. The keys of bots are those whose account is a bot.
  add column kind text not null default 'device',
  -- Null: all.
  add column scopes text[],
  add column expires_at timestamptz,
  -- Within the hour.
  add column last_used_at timestamptz,
  add column last_used_ip text;

-- Recording a use must not make the nodes forget the account.
create or replace trigger api_key_removed after delete or update of user_id, key_hash, scopes, expires_at on api_keys
  for each row execute function raise_version_of_key_holder();

-- Where a browser signed in. Null: the previous release did not record it.
alter table browser_sessions
  add column ip text,
  add column user_agent text;

-- 0: no limit.
alter table realms add column api_key_max_days integer not null default 0;
