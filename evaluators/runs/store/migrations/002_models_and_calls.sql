-- A run may ask several models, so a result belongs to a sample and a model (by its number in the run, from 0).
create table results_by_model (
    run_id text not null references runs (id) on delete cascade,
    position integer not null,
    model integer not null,
    status text not null,
    "values" text,
    body text not null,
    primary key (run_id, position, model)
);
insert into results_by_model select run_id, position, 0, status, "values", body from results;
drop table results;
alter table results_by_model rename to results;

-- What was paid for, written once: the bill of a run, and the answer for whoever asks the same again.
-- It outlives its run; "answer" is null where it may not serve again.
create table calls (
    id integer primary key,
    workspace text not null,
    run_id text not null,
    key text not null,
    model text not null,
    created text not null,
    cost real,
    prompt_tokens integer not null,
    answer_tokens integer not null,
    answer text
);
create index calls_by_key on calls (workspace, key) where answer is not null;
create index calls_by_run on calls (run_id);

-- Why a run stopped by itself; empty where it did not.
alter table runs add column stopped text not null default '';

update runs set body = json_remove(
    json_set(
        body,
        '$.models', json_array(json_object('provider', 'offline', 'model', json_extract(body, '$.generator.model'))),
        '$.prompt', json_extract(body, '$.generator.prompt')
    ),
    '$.generator'
) where json_extract(body, '$.generator') is not null;
