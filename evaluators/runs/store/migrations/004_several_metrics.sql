-- A run may have several metrics, so a result belongs to a sample, a model and a metric (by its number, from 0).
create table results_by_metric (
    run_id text not null references runs (id) on delete cascade,
    position integer not null,
    model integer not null,
    metric integer not null,
    status text not null,
    "values" text,
    labeller text not null,
    body text not null,
    primary key (run_id, position, model, metric)
);
insert into results_by_metric select run_id, position, model, 0, status, "values", labeller, body from results;
drop table results;
alter table results_by_metric rename to results;

update runs set body = json_remove(
    json_set(body, '$.evaluators', json_array(json_extract(body, '$.evaluator'))), '$.evaluator'
);
