-- The tables of a run store, in SQLite and in PostgreSQL alike; what begins with a dollar is the own of each.
-- Text is compared by its bytes; "rowid" is the order in which rows came, in which a row that takes the
-- place of another stands where that one stood.

-- Samples are stored once for each data set, by its fingerprint. Facets are what lists and charts need
-- without the texts. A digest, here and below, is of all other columns: a row that it does not fit is
-- damaged.
create table samples (
    fingerprint $text not null,
    position integer not null,
    sample_id $text not null,
    question $text not null,
    facets $text not null,
    body $text not null,
    digest $text not null$order,
    primary key (fingerprint, position)
);

-- "Newest first" is by order of creation (rowid, which every index ends with): a clock may go back.
-- `stopped` is why a run stopped by itself, as JSON; `baseline_of` of which data and kind of evaluator
-- it is the run that others are compared with, else null.
create table runs (
    id $text primary key,
    workspace $text not null,
    created $text not null,
    fingerprint $text not null,
    body $text not null,
    stopped $text not null default '',
    baseline_of $text$order
);
create index runs_by_workspace on runs (workspace$then_order);
create index runs_by_fingerprint on runs (fingerprint);
create unique index runs_by_baseline on runs (workspace, baseline_of) where baseline_of is not null;

-- What a workspace or a run keeps of one kind, each under a key of its own (see documents.py): of a
-- workspace its uploads, metrics, mappings and batches over files; of a run its environment, notes,
-- queues of labels with who is in them, and what is answered by tomorrow. One of the owners is null.
create table documents (
    workspace $text,
    run_id $text references runs (id) on delete cascade,
    kind $text not null,
    key $text not null,
    created $text not null,
    body $text not null$order,
    unique (workspace, kind, key),
    unique (run_id, kind, key)
);
create index documents_by_key on documents (kind, key);

-- A result belongs to a sample, a model and a metric, by their numbers in the run. Facets stand before
-- the body, so that lists need not read past it.
create table results (
    run_id $text not null references runs (id) on delete cascade,
    position integer not null,
    model integer not null,
    metric integer not null,
    status $text not null,
    "values" $text,
    facets $text not null,
    body $text not null,
    digest $text not null$order,
    primary key (run_id, position, model, metric)
);
-- Counts by status are looked up at every tick of every page, without reading what was said.
create index results_by_status on results (run_id, status);

-- What was paid for, written once: the bill of its payer, a run or a batch over files, and the answer for
-- whoever asks the same again. It outlives its payer; "answer" is null where it may not serve again.
create table calls (
    id $serial,
    workspace $text not null,
    payer $text not null,
    key $text not null,
    model $text not null,
    created $text not null,
    cost double precision,
    prompt_tokens bigint not null,
    answer_tokens bigint not null,
    answer $text$order_of_id
);
create index calls_by_key on calls (workspace, key) where answer is not null;
create index calls_by_payer on calls (payer);
create index calls_by_workspace on calls (workspace);

-- Who comes back to a public host: a token is known here from the moment something is kept under it.
create table workspaces (
    token $text primary key,
    created $text not null,
    last_visit $text not null
);
create index workspaces_by_visit on workspaces (last_visit);
create index workspaces_by_creation on workspaces (created);

-- Goes up with all that the figures of a run depend on: what was worked out at a revision holds while
-- it stays. `results` counts results alone: who labelled stays as it was when a person labels. The last
-- three are how many rows were stored, whatever an index or a damaged page shows of them.
create table revisions (
    run_id $text primary key references runs (id) on delete cascade,
    revision integer not null,
    results integer not null default 0,
    stored_samples integer not null,
    stored_results integer not null default 0,
    stored_labels integer not null default 0
)$unordered;

-- What was worked out of a run: means, spreads, who labelled, as JSON by name.
create table figures (
    run_id $text not null references runs (id) on delete cascade,
    name $text not null,
    revision integer not null,
    body $text not null,
    primary key (run_id, name)
)$unordered;

-- The values of answers by other labels or formulas than those that the results are stored by, and how
-- many labels people changed.
create table viewed (
    run_id $text not null references runs (id) on delete cascade,
    view $text not null,
    position integer not null,
    model integer not null,
    metric integer not null,
    "values" $text not null,
    changed integer not null,
    primary key (run_id, view, position, model, metric)
)$unordered;
create index viewed_by_answer on viewed (run_id, position, model);

-- What people say of answers, each label with its author: nothing is overwritten, what is taken back is
-- withdrawn. A metric by its number in the run, 0 for labels of sentences.
create table person_labels (
    id $serial,
    run_id $text not null references runs (id) on delete cascade,
    position integer not null,
    model integer not null,
    metric integer not null,
    person $text not null,
    label $text not null,
    key $text not null,
    value $text not null,
    sentence $text not null,  -- a hash of its text
    created $text not null,
    blind boolean not null,
    drawn $text not null,
    probability double precision,
    queue $text not null,
    withdrawn $text$order_of_id
);
create index person_labels_by_cell on person_labels (run_id, position, model);

-- Rounds: answers of a run that a class labels together. One label of each participant for each
-- sentence, which changes until the round is closed; `revision` grows with all that happens.
create table rounds (
    id $text primary key,
    run_id $text not null references runs (id) on delete cascade,
    join_token $text not null unique,
    code $text not null unique,
    state $text not null,
    revision integer not null,
    body $text not null$order
);
create index rounds_by_run on rounds (run_id);

create table round_participants (
    number $serial,
    round_id $text not null references rounds (id) on delete cascade,
    token $text not null unique,
    nickname $text not null,
    folded $text not null,
    joined $text not null,
    unique (round_id, folded)
);

create table round_labels (
    participant bigint not null references round_participants (number) on delete cascade,
    answer integer not null,
    "key" $text not null,
    support $text not null,
    created $text not null,
    primary key (participant, answer, "key")
)$unordered;
