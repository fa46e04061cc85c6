-- Counts results alone: who labelled and what a labeller's own labels give stay as they were worked
-- out when a person labels. It begins where the common number is, so that what is kept still holds.
alter table revisions add column results integer not null default 0;
update revisions set results = revision;

drop trigger runs_begin;
drop trigger results_come;
drop trigger results_change;
create trigger runs_begin after insert on runs begin
    insert into revisions (run_id, revision, results) values (new.id, 0, 0);
end;
create trigger results_come after insert on results begin
    update revisions set revision = revision + 1, results = results + 1 where run_id = new.run_id;
    delete from viewed where run_id = new.run_id and position = new.position and model = new.model;
end;
create trigger results_change after update on results begin
    update revisions set revision = revision + 1, results = results + 1 where run_id = new.run_id;
    delete from viewed where run_id = new.run_id and position = new.position and model = new.model;
end;
