-- Who comes back to a public host: a token is known here from the moment something is kept under it.
create table workspaces (
    token text primary key,
    created text not null,
    last_visit text not null
);
insert into workspaces
select workspace, coalesce(min(created), strftime('%Y-%m-%dT%H:%M:%S+00:00', 'now')),
       strftime('%Y-%m-%dT%H:%M:%S+00:00', 'now')
from (
    select workspace, created from runs union all
    select workspace, created from uploads union all
    select workspace, created from saved_mappings union all
    select workspace, null from saved_metrics
)
group by workspace;
create index workspaces_by_visit on workspaces (last_visit);
create index workspaces_by_creation on workspaces (created);

-- What belongs to a workspace, and which samples are still in use, is found without reading everything.
create index calls_by_workspace on calls (workspace);
create index runs_by_fingerprint on runs (fingerprint);
