"""Your own table: the files in data/raw/table, described only by settings."""

from crivo import TableDataset, block


@block
class Table(TableDataset):
    """Reads CSV, Parquet or Excel files and infers what the columns are.

    `target` is the column to predict. If `task` and `positive` (the class of interest) are left
    out, they are guessed. `files` selects files of data/raw/table (`*.csv`); by default, all.

    Roles: `id` identifies the row with one or several columns; without it, the id is a hash of the
    row's content. Rows can be split by `time`; rows of one `group` stay in one split; `weight` is
    the weight of a row; `outcome` columns are known only afterwards; `info` columns are for people
    to read; `drop` columns are left out. All other columns are features, and so are time, group and
    weight columns that `also_feature` names.

    Reading: `types` corrects a guessed type (number, category, boolean, date, text); `missing`
    lists cells that mean missing, in addition to the usual ones; `delimiter`, `encoding`, `decimal`
    and `day_first` are guessed if they are left out; `marks` are the decimal marks of columns that
    use a different one; without a `header`, columns are called `column_1` and so on; `sheet` is the
    sheet of an Excel file with several. Rows of a class with fewer than `min_class_rows` rows go to
    quarantine. The report takes its names for rows and classes from `words`.
    """
