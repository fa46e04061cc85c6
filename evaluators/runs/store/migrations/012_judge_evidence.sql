-- What a judge said of a sample is typed evidence, as labels and rules are: its reason, its raw
-- answers, how JSON was asked for. Told by their shape, so that metrics of one's own that kept the
-- same come along, and others stay as they are.
update results set
    body = json_set(
        json_remove(
            body, '$.score.details.outputs', '$.score.details.mode',
            case when json_type(body, '$.score.details.reason') is 'text'
                then '$.score.details.reason' else '$.score.details.mode' end
        ),
        '$.score.evidence',
        json_object(
            'reason', case when json_type(body, '$.score.details.reason') is 'text'
                then json_extract(body, '$.score.details.reason') else '' end,
            'outputs', json(json_extract(body, '$.score.details.outputs')),
            'mode', coalesce(json_extract(body, '$.score.details.mode'), '')
        )
    )
where case when json_valid(body) then
    json_type(body, '$.score.details.outputs') is 'array'
    and json_array_length(body, '$.score.details.outputs') > 0
    and coalesce(json_type(body, '$.score.details.mode'), 'text') = 'text'
    and coalesce(json_type(body, '$.score.evidence'), 'null') = 'null'
    and not exists (
        select 1 from json_each(body, '$.score.details.outputs') as output
        where output.type <> 'text'
    )
end;
