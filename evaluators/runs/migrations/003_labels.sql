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

-- A run may have several judges.
update runs set body = json_remove(
    json_set(body, '$.judges', json_array(json_extract(body, '$.judge'))), '$.judge'
) where json_extract(body, '$.judge') is not null;
update runs set body = json_remove(body, '$.judge') where json_type(body, '$.judge') is not null;
