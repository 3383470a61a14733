-- Tries of a password are counted by where they come from. Earlier releases leave it empty and count them all.
alter table login_failures add column source text not null default '';
create index login_failures_from on login_failures (realm_id, source, at);
