-- Tells a run store from any other SQLite file ("PLUM").
pragma application_id = 1347179853;

-- "Newest first" is by order of creation (rowid, which every index ends with): a clock may go back.
drop index runs_by_workspace;
create index runs_by_workspace on runs (workspace);

-- Where documents are from did not count in the fingerprint, so that samples with and without it, or with another
-- file's name, were taken for the same. New samples must never meet these rows; runs over them keep them.
create temp table with_sources as
    select distinct fingerprint from samples
    where instr(body, '"sources":') and case when json_valid(body) then json_type(body, '$.sources') is not null end;
update samples set fingerprint = fingerprint || '+sources' where fingerprint in (select fingerprint from with_sources);
update runs set
    fingerprint = fingerprint || '+sources',
    body = case when json_valid(body)
           then json_set(body, '$.fingerprint', fingerprint || '+sources') else body end
where fingerprint in (select fingerprint from with_sources);
drop table with_sources;
