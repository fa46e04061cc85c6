-- Answers that people label one after the other: how they were drawn, and which they are.
create table label_queues (
    id text primary key,
    run_id text not null references runs (id) on delete cascade,
    created text not null,
    body text not null
);
create index label_queues_by_run on label_queues (run_id);
