-- What a person changed in the labels of one sample, beside what the labellers said; undone by deleting the row.
create table corrections (
    id integer primary key,
    run_id text not null references runs (id) on delete cascade,
    position integer not null,
    model integer not null,
    created text not null,
    label text not null,
    key text not null,
    value text not null
);
create index corrections_by_cell on corrections (run_id, position, model);

-- Who gave the labels that count; before the body, so that lists need not read past it.
create table results_by_labeller (
    run_id text not null references runs (id) on delete cascade,
    position integer not null,
    model integer not null,
    status text not null,
    "values" text,
    labeller text not null,
    body text not null,
    primary key (run_id, position, model)
);
insert into results_by_labeller select run_id, position, model, status, "values", '', body from results;
drop table results;
alter table results_by_labeller rename to results;

-- A run may have several judges.
update runs set body = json_remove(
    json_set(body, '$.judges', json_array(json_extract(body, '$.judge'))), '$.judge'
) where json_extract(body, '$.judge') is not null;
update runs set body = json_remove(body, '$.judge') where json_type(body, '$.judge') is not null;
