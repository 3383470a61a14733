-- Addresses that are secrets are kept sealed. While a worker of an earlier release lives, which reads the plain columns,
-- those are filled as well; afterwards they are empty ('-' for a device, whose column must not be).
alter table outgoing_webhooks add column sealed_base_url text;
alter table push_devices add column sealed_token text;
alter table job_workers add column reads_sealed_addresses boolean not null default false;
create index outgoing_webhooks_unsealed on outgoing_webhooks (bot_id) where base_url <> '';
create index push_devices_unsealed on push_devices (id) where token <> '-';
