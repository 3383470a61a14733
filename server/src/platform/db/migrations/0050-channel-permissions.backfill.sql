-- table: channels
-- key: id
insert into channel_subscriber_counts (channel_id, realm_id, subscribers)
select id, realm_id, count_subscribers(id) from channels where id > $1 and id <= $2
on conflict (channel_id) do nothing;
