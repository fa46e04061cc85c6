-- What a run store in SQLite has beside its tables.
pragma application_id = 1347179853;  -- "PLUM": tells a run store from any other SQLite file.

-- Triggers, so that no door to the store can forget it.
create trigger runs_begin after insert on runs begin
    insert into revisions (run_id, revision, stored_samples)
    values (new.id, 0, (select count(*) from samples where fingerprint = new.fingerprint
                        and typeof(position) = 'integer'));
end;
create trigger results_come after insert on results begin
    update revisions set revision = revision + 1, results = results + 1,
        stored_results = stored_results + 1 where run_id = new.run_id;
    delete from viewed where run_id = new.run_id and position = new.position and model = new.model;
end;
create trigger results_change after update on results begin
    update revisions set revision = revision + 1, results = results + 1 where run_id = new.run_id;
    delete from viewed where run_id = new.run_id and position = new.position and model = new.model;
end;
create trigger person_labels_come after insert on person_labels begin
    update revisions set revision = revision + 1, stored_labels = stored_labels + 1
        where run_id = new.run_id;
    delete from viewed where run_id = new.run_id and position = new.position and model = new.model;
end;
create trigger person_labels_go after update on person_labels begin
    update revisions set revision = revision + 1 where run_id = new.run_id;
    delete from viewed where run_id = new.run_id and position = new.position and model = new.model;
end;
