-- What a run store in PostgreSQL has beside its tables.
create table plumbline (version integer not null);

-- What depends on a result or on a person's label, as in SQLite.
create function run_begins() returns trigger language plpgsql as $$ begin
    insert into revisions (run_id, revision, stored_samples)
    values (new.id, 0, (select count(*) from samples where fingerprint = new.fingerprint));
    return null;
end $$;
create trigger runs_begin after insert on runs for each row execute function run_begins();

create function result_comes() returns trigger language plpgsql as $$ begin
    update revisions set revision = revision + 1, results = results + 1,
        stored_results = stored_results + (tg_op = 'INSERT')::integer where run_id = new.run_id;
    delete from viewed where run_id = new.run_id and position = new.position and model = new.model;
    return null;
end $$;
create trigger results_come after insert or update on results
    for each row execute function result_comes();

create function person_label_comes() returns trigger language plpgsql as $$ begin
    update revisions set revision = revision + 1,
        stored_labels = stored_labels + (tg_op = 'INSERT')::integer where run_id = new.run_id;
    delete from viewed where run_id = new.run_id and position = new.position and model = new.model;
    return null;
end $$;
create trigger person_labels_come after insert or update on person_labels
    for each row execute function person_label_comes();

-- Functions that SQLite has under these names, as far as the store uses them.

-- PostgreSQL keeps no character 0 in JSON that it looks into.
create function stored_json(body text) returns jsonb language plpgsql immutable strict as $$ begin
    return body::jsonb;
exception when untranslatable_character then
    return replace(body, '\u0000', '\ufffd')::jsonb;
end $$;

create function json_valid(body text) returns boolean language plpgsql immutable strict as $$ begin
    perform stored_json(body);
    return true;
exception when others then
    return false;
end $$;

create function json_extract(body text, path text) returns text
language sql immutable strict as $$
    select jsonb_path_query_first(stored_json(body), path::jsonpath) #>> '{}'
$$;

-- What SQLite's `json_quote` makes of what `json_extract` gives.
create function json_part(body text, path text) returns text language sql immutable strict as $$
    select coalesce(jsonb_path_query_first(stored_json(body), path::jsonpath)::text, 'null')
$$;

create function json_set(body text, path text, value text) returns text
language sql immutable strict as $$
    select jsonb_set(stored_json(body), array[substr(path, 3)], to_jsonb(value))::text
$$;

create function json_each(body text) returns table (key text, value text, type text)
language plpgsql immutable strict rows 10 as $$
declare
    document jsonb := stored_json(body);
begin
    if jsonb_typeof(document) = 'array' then
        return query select (place - 1)::text, item #>> '{}', json_type_name(item)
        from jsonb_array_elements(document) with ordinality as items (item, place);
    else
        return query select name, item #>> '{}', json_type_name(item)
        from jsonb_each(document) as items (name, item);
    end if;
end $$;

create function json_type_name(item jsonb) returns text language sql immutable strict as $$
    select case jsonb_typeof(item) when 'number' then 'real' when 'string' then 'text'
           when 'boolean' then item::text else jsonb_typeof(item) end
$$;

-- Whether the text holds the words, in whichever case; the words are folded already.
create function holds(body text, folded text) returns integer language sql immutable as $$
    select coalesce((position(folded in replace(
        lower(upper(body collate "und-x-icu") collate "und-x-icu"), 'ς', 'σ')) > 0)::integer, 0)
$$;
