-- Means by labels of the heuristic have no interval. What was kept of means is worked out again.
delete from figures where name like 'figures %' or name like 'groups %' or name like 'labellers %'
    or name like 'people as labellers %' or name = 'summary';
