-- Run once as an administrator of PostgreSQL. The owner migrates; the app only reads and writes rows.
create role shop_owner login password 'owner-secret';
create role shop_app login password 'app-secret';
create database shop owner shop_owner;
