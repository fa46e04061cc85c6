-- Counts by status are looked up at every tick of every page, without reading what was said.
create index results_by_status on results (run_id, status);

-- Goes up with all that the figures of a run depend on: what was worked out at a revision holds while it stays.
create table revisions (
    run_id text primary key references runs (id) on delete cascade,
    revision integer not null
) without rowid;
insert into revisions select id, 0 from runs;

-- What was worked out of a run: means, spreads, who labelled, as JSON by name.
create table figures (
    run_id text not null references runs (id) on delete cascade,
    name text not null,
    revision integer not null,
    body text not null,
    primary key (run_id, name)
) without rowid;

-- The TRACE values of answers by other labels or formulas than those that the results are stored by.
create table viewed (
    run_id text not null references runs (id) on delete cascade,
    view text not null,
    position integer not null,
    model integer not null,
    "values" text not null,
    primary key (run_id, view, position, model)
) without rowid;
create index viewed_by_answer on viewed (run_id, position, model);

-- Triggers, so that no door to the store can forget it.
create trigger runs_begin after insert on runs begin
    insert into revisions values (new.id, 0);
end;
create trigger results_come after insert on results begin
    update revisions set revision = revision + 1 where run_id = new.run_id;
    delete from viewed where run_id = new.run_id and position = new.position and model = new.model;
end;
create trigger results_change after update on results begin
    update revisions set revision = revision + 1 where run_id = new.run_id;
    delete from viewed where run_id = new.run_id and position = new.position and model = new.model;
end;
create trigger corrections_come after insert on corrections begin
    update revisions set revision = revision + 1 where run_id = new.run_id;
    delete from viewed where run_id = new.run_id and position = new.position and model = new.model;
end;
create trigger corrections_go after delete on corrections begin
    update revisions set revision = revision + 1 where run_id = old.run_id;
    delete from viewed where run_id = old.run_id and position = old.position and model = old.model;
end;
