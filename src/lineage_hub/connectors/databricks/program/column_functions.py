"""Names of Spark's functions enter; which of their arguments are names of columns, if they are texts, leaves."""

# Every text is a column.
EVERY = frozenset({
    "array", "arrays_zip", "atan2", "coalesce", "concat", "corr", "count_distinct", "countDistinct", "covar_pop",
    "create_map", "datediff", "date_diff", "greatest", "hash", "hypot", "least", "levenshtein", "map_from_arrays",
    "months_between", "nanvl", "struct", "xxhash64", "array_union", "array_except", "array_intersect", "ifnull", "nvl",
})  # fmt: skip
# The first is a column; other texts are formats, patterns and names.
FIRST = frozenset({
    "abs", "acos", "add_months", "approx_count_distinct", "array_contains", "array_distinct", "array_join", "array_max",
    "array_min", "array_sort", "ascii", "asin", "atan", "avg", "base64", "bin", "cbrt", "ceil", "collect_list",
    "collect_set", "cos", "count", "crc32", "date_add", "date_format", "date_sub", "dayofmonth", "dayofweek",
    "dayofyear", "day", "decode", "degrees", "desc", "asc", "element_at", "encode", "exp", "explode", "explode_outer",
    "first", "flatten", "floor", "from_avro", "from_json", "from_csv", "from_unixtime", "from_utc_timestamp",
    "get_json_object", "hex", "hour", "initcap", "instr", "isnan", "isnull", "json_tuple", "kurtosis", "lag", "last",
    "last_day", "lead", "length", "log10", "log2", "lower", "lpad", "ltrim", "map_keys", "map_values", "max", "md5",
    "mean", "min", "minute", "month", "negative", "nth_value", "parse_json", "posexplode", "quarter", "radians",
    "regexp_extract", "regexp_replace", "repeat", "reverse", "round", "rpad", "rtrim", "second", "sha1", "sha2",
    "signum", "sin", "size", "skewness", "slice", "sort_array", "soundex", "split", "sqrt", "stddev", "stddev_pop",
    "stddev_samp", "substring", "sum", "sum_distinct", "sumDistinct", "tan", "timestamp_seconds", "to_avro", "to_csv",
    "to_date", "to_json", "to_timestamp", "to_utc_timestamp", "translate", "trim", "unbase64", "unhex",
    "unix_timestamp", "upper", "var_pop", "var_samp", "variance", "weekofyear", "window", "year", "count_if",
    "bool_and", "bool_or", "median", "mode", "percentile_approx", "try_to_timestamp",
})  # fmt: skip
SECOND = frozenset({"date_trunc", "locate"})
AFTER_FIRST = frozenset({"concat_ws", "format_string", "printf"})
# No text is a column; what is a column says so itself.
NONE = frozenset({
    "lit", "typedLit", "typedlit", "current_timestamp", "current_date", "now", "localtimestamp", "uuid", "when", "rand",
    "randn", "monotonically_increasing_id", "input_file_name", "spark_partition_id", "row_number", "rank", "dense_rank",
    "percent_rank", "cume_dist", "ntile", "current_user", "input_file_block_start",
})  # fmt: skip
