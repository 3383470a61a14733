-- phase: expand

-- Which picture people get who have none: G for Gravatar or a pattern, J for a pattern of this server.
alter table realms add column default_avatar_source text not null default 'G';

-- Whether clients look for users by the values of this field, too.
alter table custom_profile_fields add column use_for_user_matching boolean not null default false;

-- The settings that somebody has changed for themselves, which administrators can leave alone. What the previous release changes
-- is not recorded.
alter table users add column chosen_settings text[] not null default '{}';

-- The previous release takes J for G.
alter table users drop constraint users_avatar_source_check;
alter table users add constraint users_avatar_source_check check (avatar_source in ('G', 'U', 'J')) not valid;
