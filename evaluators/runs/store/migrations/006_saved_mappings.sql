-- Which column means what, as a person said for files with the same columns; `columns` is a hash of their names.
create table saved_mappings (
    workspace text not null,
    columns text not null,
    created text not null,
    body text not null,
    primary key (workspace, columns)
);
