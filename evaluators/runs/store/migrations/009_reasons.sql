-- Why a run stopped has a kind for programs, so that nothing is decided by the words, and each model
-- of a run may have its own reason. Only a reached cap was recognised by its words before: such a run
-- still offers to raise it.
update runs set stopped = json_array(json_object(
    'kind', case when instr(stopped, 'Raise the cap and resume.') then 'cap' else '' end,
    'message', stopped
)) where typeof(stopped) = 'text' and stopped <> '';  -- JSON holds no damaged bytes
