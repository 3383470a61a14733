-- Who works on jobs. A worker pushes `seen_at` on while it lives; what a dead one had taken is given back.
create table job_workers (
  id text primary key,
  seen_at timestamptz not null default now()
);
