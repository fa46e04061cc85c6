-- Batches over files: where their results lie, and what these came to; one for each folder of results.
create table file_batches (
    id text primary key,
    workspace text not null,
    folder text not null,
    created text not null,
    body text not null,
    unique (workspace, folder)
);
