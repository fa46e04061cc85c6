-- What a run may depend on beside its settings: the versions it worked with, when it ended, the models'
-- prices then and the names under which they answered; of an opened run file also what it had paid.
create table environments (
    run_id text primary key references runs (id) on delete cascade,
    body text not null
);
