-- The run that others are compared with: of which data and kind of evaluator it is the baseline, else null.
alter table runs add column baseline_of text;
create unique index runs_by_baseline on runs (workspace, baseline_of) where baseline_of is not null;
