-- People's labels may change the values of any metric, and how many labels they changed stands beside
-- the values. What was kept here is worked out again.
drop table viewed;
create table viewed (
    run_id text not null references runs (id) on delete cascade,
    view text not null,
    position integer not null,
    model integer not null,
    metric integer not null,
    "values" text not null,
    changed integer not null,
    primary key (run_id, view, position, model, metric)
) without rowid;
create index viewed_by_answer on viewed (run_id, position, model);
