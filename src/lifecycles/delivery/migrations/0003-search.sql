-- An index of trigrams for search. Not pg_trgm: an extension needs privileges that a role with its own schema does not have.
alter table pawl.delivery_file add column grams text[] not null default '{}';
update pawl.delivery_file f set grams = array(
  select distinct substr(f.sought_as, n.start, 3) from generate_series(1, length(f.sought_as) - 2) as n(start));
create index delivery_file_grams on pawl.delivery_file using gin (grams);

-- The words of all names, to find similar ones for a misspelled word. The next scan of the storage fills it.
create table pawl.delivery_word (
  org_id text not null,
  word text not null,
  -- The trigrams of the word with a space on both sides.
  grams text[] not null,
  constraint delivery_word_pkey primary key (org_id, word)
);
create index delivery_word_grams on pawl.delivery_word using gin (grams);
