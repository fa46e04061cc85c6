-- Metrics from a prompt that a workspace keeps, by title.
create table saved_metrics (
    workspace text not null,
    title text not null,
    body text not null,
    primary key (workspace, title)
);
