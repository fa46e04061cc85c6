-- Rounds: answers of a run that a class labels together. One label of each participant for each
-- sentence, which changes until the round is closed; `revision` grows with all that happens.
create table rounds (
    id text primary key,
    run_id text not null references runs (id) on delete cascade,
    join_token text not null unique,
    code text not null unique,
    state text not null,
    revision integer not null,
    body text not null
);
create index rounds_by_run on rounds (run_id);

create table round_participants (
    number integer primary key,
    round_id text not null references rounds (id) on delete cascade,
    token text not null unique,
    nickname text not null,
    folded text not null,
    unique (round_id, folded)
);

create table round_labels (
    participant integer not null references round_participants (number) on delete cascade,
    answer integer not null,
    "key" text not null,
    support text not null,
    created text not null,
    primary key (participant, answer, "key")
) without rowid;
