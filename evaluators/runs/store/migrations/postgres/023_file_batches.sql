-- Batches over files: where their results lie, and what these came to; one for each folder of results.
create table file_batches (
    id text collate "C" primary key,
    workspace text collate "C" not null,
    folder text collate "C" not null,
    created text collate "C" not null,
    body text collate "C" not null,
    unique (workspace, folder)
);
