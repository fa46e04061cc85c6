-- Samples are stored once per data set (by fingerprint); facets are what lists and charts need without the texts.
create table samples (
    fingerprint text not null,
    position integer not null,
    sample_id text not null,
    question text not null,
    facets text not null,
    body text not null,
    primary key (fingerprint, position)
);

create table uploads (
    workspace text not null,
    name text not null,
    created text not null,
    body text not null,
    primary key (workspace, name)
);

create table runs (
    id text primary key,
    workspace text not null,
    created text not null,
    fingerprint text not null,
    body text not null
);
create index runs_by_workspace on runs (workspace, created);

create table results (
    run_id text not null references runs (id) on delete cascade,
    position integer not null,
    status text not null,
    "values" text,
    body text not null,
    primary key (run_id, position)
);
