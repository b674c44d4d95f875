-- The map of attributes is two thirds of a span. Its keys lie in a few groups, once parts are merged: a question for
-- one of them reads a quarter. A server that doesn't know of this keeps the map as it is, and its questions take longer.
-- needs the setting map_buckets_min_avg_size
ALTER TABLE traces MODIFY SETTING map_serialization_version = 'with_buckets', map_buckets_min_avg_size = 8;

-- To put keys into groups makes a merge dearer: parts wait until more of them can be merged at once, and a span is merged
-- less often.
-- needs the setting merge_selector_base
ALTER TABLE traces MODIFY SETTING merge_selector_base = 10;

-- One trace is read from one or two blocks of a group; smaller blocks are read more quickly, for next to nothing on disk.
ALTER TABLE traces MODIFY COLUMN attributes MODIFY SETTING min_compress_block_size = 262144, max_compress_block_size = 262144;

-- Whether any span's resource has an attribute with a value: nearly always none has, and the column isn't read at all.
-- A question names this expression: query/telemetry/trace_list.py.
ALTER TABLE traces ADD INDEX IF NOT EXISTS of_resource
    arrayMap((name, value) -> cityHash64(name, value), mapKeys(resource_attributes), mapValues(resource_attributes))
    TYPE bloom_filter(0.01) GRANULARITY 1;

-- Who was still at work at a moment may have begun a day before: few blocks have such a span.
ALTER TABLE traces ADD INDEX IF NOT EXISTS of_end toUnixTimestamp64Nano(timestamp) + duration_ns TYPE minmax GRANULARITY 1;

-- What a stage of Spark used, in the order of query/telemetry/resources.py; empty for other spans. Where it was not
-- written yet, it is made from the attributes when it is read.
-- Names are chosen first: what is done for each of them is then done for no other span.
ALTER TABLE traces ADD COLUMN IF NOT EXISTS spark_use Array(UInt64) MATERIALIZED
    arrayMap(
        name -> toUInt64OrZero(attributes[name]),
        if(
            startsWith(operation_name, 'spark stage '),
            [
                'spark.tasks', 'spark.executor.cpu_ns', 'spark.executor.gc_ms', 'spark.memory.peak_bytes',
                'spark.records.in', 'spark.bytes.in', 'spark.records.out', 'spark.bytes.out',
                'spark.shuffle.read_bytes', 'spark.shuffle.written_bytes', 'spark.spill.bytes'
            ],
            emptyArrayString()
        )
    ) CODEC(T64, ZSTD(1));
