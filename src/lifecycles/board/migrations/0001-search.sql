-- Full text of tasks and comments. A journal row is written once, so moves of a task cost no further index entry: an index of the task's own
-- row would compute the text again for every move. The row of a creation or an edit contains the title and the description.
-- The text is cut, because a vector has at most 1 MB and a longer one would fail the write.
-- Words are separated by single spaces: the parser of PostgreSQL takes quadratic time for texts such as `<!--<!--<!--`.
-- `russian` stems Cyrillic words as Russian and all others as English, so one configuration finds both languages.
create index board_event_text on pawl.event using gin (
  to_tsvector('pg_catalog.russian'::regconfig, regexp_replace(
    left(coalesce(patch ->> 'title', '') || ' ' || coalesce(patch #>> '{data,description}', '') || ' ' || coalesce(comment, ''), 100000),
    '[^[:alnum:]]+', ' ', 'g'))
) where lifecycle = 'board' and action <> 'expire';
