"""Your own table: the files in data/raw/table, described by settings alone."""

from crivo import TableDataset, block


@block
class Table(TableDataset):
    """Reads CSV, Parquet or Excel files and finds out what the columns are.

    `target`: the column to predict; `task`, and `positive`, the class of interest, are guessed
    when left out. `files`: which files of data/raw/table count (`*.csv`); all by default.

    Roles: `id` names the row, in one column or several; without one, a hash of its content
    does. `time` orders a split; rows of one `group` stay in one split; `weight` is how much a
    row counts; `outcome` columns are known only afterwards; `info` ones are for people to
    read; those to `drop` are left out. All others are features, and so are those time, group
    and weight columns that `also_feature` names.

    Reading: `types` corrects a guessed type (number, category, boolean, date, text); `missing`
    lists cells that mean missing, in addition to the usual ones; `delimiter`, `encoding`, `decimal`
    and `day_first` are guessed when left out; without a `header` columns are `column_1` and so on;
    `sheet` is one of an Excel file that has several. Rows of a class with fewer than
    `min_class_rows` rows go to quarantine. `words` are the report's for rows and classes.
    """
