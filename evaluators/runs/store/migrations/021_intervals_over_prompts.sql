-- Intervals over questions that repeat: copies of one answer tell as much as one, and people's labels
-- of one question as the fewer that tell the same. What was kept of both is worked out again.
delete from figures where name like 'groups %' or name like 'check %';
