-- phase: expand

-- Who must have a second factor: nobody, owners, administrators, moderators, members or everyone. Roles with more
-- permissions are included.
alter table realms add column second_factor_required_for text not null default 'nobody';

-- When the person in this browser last proved who they are, by signing in or later.
alter table browser_sessions add column confirmed_at timestamptz not null default now();
