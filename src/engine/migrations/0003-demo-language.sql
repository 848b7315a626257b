-- The language of the demo's texts and names, chosen when the demo is created.
alter table pawl.demo add column language text not null default 'en'
  constraint demo_language_known check (language in ('en', 'ru'));
