-- What lists and charts show of a result beside its values, as JSON: who gave the labels that count,
-- and which options changed a verdict. It stands before the body, so that lists need not read past it.
alter table results rename column labeller to facets;

-- What a score was counted from is typed ("evidence"). Labels were kept twice where one judge gave
-- them; now the labelling that counts is the first of all. Metrics are told by the shape of what
-- they kept, so that those derived from ours are taken along, and "labels" or "verdicts" of a
-- metric with other things in mind stay as they are.
update results set
    facets = json_object('by', coalesce(json_extract(body, '$.score.details.by'), 'heuristic')),
    body = json_set(
        json_remove(
            body,
            '$.score.details.labels', '$.score.details.labellings', '$.score.details.sentences',
            '$.score.details.by'
        ),
        '$.score.evidence',
        json_object(
            'sentences', json_extract(body, '$.score.details.sentences'),
            'labellings', json((
                select json_group_array(json(labelling)) from (
                    select
                        json_extract(kept.value, '$.by') is not coalesce(
                            json_extract(body, '$.score.details.by'), 'heuristic'
                        ) as turn,
                        kept.key as place, kept.value as labelling
                    from json_each(body, '$.score.details.labellings') as kept
                    union all
                    select 0, -1, json_object(
                        'by', coalesce(json_extract(body, '$.score.details.by'), 'heuristic'),
                        'labels', json_extract(body, '$.score.details.labels')
                    )
                    where not exists (
                        select 1 from json_each(body, '$.score.details.labellings') as kept
                        where json_extract(kept.value, '$.by') is coalesce(
                            json_extract(body, '$.score.details.by'), 'heuristic'
                        )
                    )
                    order by 1, 2
                )
            ))
        )
    )
where case when json_valid(body) then
    json_type(body, '$.score.details.labels.relevant_keys') is 'array'
    and json_type(body, '$.score.details.labels.utilized_keys') is 'array'
    and json_type(body, '$.score.details.labels.sentence_support') is 'array'
    and coalesce(json_type(body, '$.score.details.by'), 'text') = 'text'
    and coalesce(json_type(body, '$.score.details.labellings'), 'array') = 'array'
    and coalesce(json_type(body, '$.score.details.sentences'), 'object') = 'object'
    and not exists (
        select 1 from json_each(body, '$.score.details.labellings') where type <> 'object'
    )
end;

update results set
    facets = case
        when json_type(body, '$.score.details.flips') is null then ''
        else json_object('flips', json_extract(body, '$.score.details.flips')) end,
    body = json_set(
        json_remove(
            body,
            '$.score.details.verdicts', '$.score.details.judge', '$.score.details.flips'
        ),
        '$.score.evidence',
        json_object(
            'verdicts', json_extract(body, '$.score.details.verdicts'),
            'judged', json(coalesce(json_extract(body, '$.score.details.judge'), '{}')),
            'flips', json(coalesce(json_extract(body, '$.score.details.flips'), '[]'))
        )
    )
where case when json_valid(body) then
    json_type(body, '$.score.details.verdicts') is 'object'
    and coalesce(json_type(body, '$.score.details.judge'), 'object') = 'object'
    and coalesce(json_type(body, '$.score.details.flips'), 'array') = 'array'
    and not exists (
        select 1 from json_each(body, '$.score.details.verdicts') as verdict
        where case when verdict.type = 'object'
            then json_type(verdict.value, '$.rule') is not 'text' else true end
    )
end;

-- What is left stood in "by" of metrics that label nothing.
update results set facets = '' where facets <> '' and not json_valid(facets);
