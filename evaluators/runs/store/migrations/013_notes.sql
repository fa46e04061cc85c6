-- What a person writes down about an answer: one note each, the last word of it; tags as a JSON array.
-- No figure depends on it, so that the revision of the run stays.
create table notes (
    run_id text not null references runs (id) on delete cascade,
    position integer not null,
    model integer not null,
    created text not null,
    person text not null,
    text text not null,
    tags text not null,
    primary key (run_id, position, model)
);
