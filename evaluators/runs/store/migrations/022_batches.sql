-- Requests of a run that were put into a batch, answered by tomorrow: written before anything is sent.
-- "requests" are those that are on their way, by the key of their answer; of a batch that has ended,
-- those that came back without one.
create table batches (
    id integer primary key,
    run_id text not null references runs (id) on delete cascade,
    body text not null,
    requests text not null
);
create index batches_by_run on batches (run_id);
