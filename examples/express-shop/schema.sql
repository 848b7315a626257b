-- The tables of the shop. Run once as shop_owner.
create schema shop;

create table shop.item (
  name text primary key,
  stock int not null check (stock >= 0)
);

create table shop.customer_order (
  id uuid primary key,
  item text not null references shop.item,
  quantity int not null check (quantity > 0),
  state text not null default 'placed' check (state in ('placed', 'packed', 'cancelled')),
  tracking_number text,
  task_id uuid not null
);

insert into shop.item values ('teapot', 10), ('kettle', 3);

grant usage on schema shop to shop_app;
grant select, insert, update on shop.item, shop.customer_order to shop_app;
