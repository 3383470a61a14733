-- How many queues somebody has is asked at each registration. The table holds live queues only, so this takes a moment.
create index event_queues_user on event_queues (user_id);
