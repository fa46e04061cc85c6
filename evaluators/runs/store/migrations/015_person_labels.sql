-- What people say of answers, each label with its author: nothing is overwritten, what is taken
-- back is withdrawn. A metric by its number in the run, 0 for labels of sentences.
create table person_labels (
    id integer primary key,
    run_id text not null references runs (id) on delete cascade,
    position integer not null,
    model integer not null,
    metric integer not null,
    person text not null,
    label text not null,
    key text not null,
    value text not null,
    sentence text not null,  -- a hash of its text
    created text not null,
    blind integer not null,
    drawn text not null,
    probability real,
    queue text not null,
    withdrawn text
);
create index person_labels_by_cell on person_labels (run_id, position, model);

-- Corrections were by nobody in particular. They go on changing the labels that count.
insert into person_labels
select id, run_id, position, model, 0, 'you', label, key, value, '', created,
       0, 'by hand', null, '', null
from corrections;
drop table corrections;

create trigger person_labels_come after insert on person_labels begin
    update revisions set revision = revision + 1 where run_id = new.run_id;
    delete from viewed where run_id = new.run_id and position = new.position and model = new.model;
end;
create trigger person_labels_go after update on person_labels begin
    update revisions set revision = revision + 1 where run_id = new.run_id;
    delete from viewed where run_id = new.run_id and position = new.position and model = new.model;
end;
