-- phase: expand

-- Which cell this database belongs to, if it is one of several (docs/operating/cells.md).
create table cell (
  is_the_only_row boolean primary key default true check (is_the_only_row),
  -- New ids begin at number * 2^40.
  number integer not null check (number between 0 and 8191),
  -- A known text sealed with the cell's secret, which shows whether two cells have the same one.
  sealed_check text not null
);
