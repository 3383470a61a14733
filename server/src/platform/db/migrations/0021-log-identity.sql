-- Which history the event log carries. The stream has the same in its metadata and entries; when the two disagree, either
-- the database or the stream was restored, rewound or replaced, and a new epoch begins. Relays of an earlier version, still
-- running, leave these columns as they are.
alter table event_log
  -- Random, chosen with every new epoch.
  add column generation text,
  -- The PostgreSQL cluster that the entries come from, and the timeline it was on.
  add column system_identifier text,
  add column timeline bigint,
  -- How far the replication slot was about to be confirmed, and the confirmed_sequence that was noted with it. A slot that is
  -- further than this was moved, replaced or copied by somebody else.
  add column confirmed_lsn text,
  add column confirmed_lsn_sequence bigint;
