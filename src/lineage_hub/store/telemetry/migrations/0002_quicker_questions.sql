-- Which spans have an attribute with a value: most blocks say of most values that they have none of it, so that the
-- map, two thirds of a span, is read where it may be only. A question names this expression: query/telemetry/asking.py.
ALTER TABLE traces ADD INDEX IF NOT EXISTS of_attributes
    arrayConcat(
        arrayMap((name, value) -> cityHash64(name, value), mapKeys(attributes), mapValues(attributes)),
        arrayMap((name, value) -> cityHash64(name, value), mapKeys(resource_attributes), mapValues(resource_attributes))
    ) TYPE bloom_filter(0.01) GRANULARITY 1;

ALTER TABLE logs ADD INDEX IF NOT EXISTS of_attributes
    arrayConcat(
        arrayMap((name, value) -> cityHash64(name, value), mapKeys(attributes), mapValues(attributes)),
        arrayMap((name, value) -> cityHash64(name, value), mapKeys(resource_attributes), mapValues(resource_attributes))
    ) TYPE bloom_filter(0.01) GRANULARITY 1;

-- Who was still at work at a moment may have begun a day before: few blocks have such a span.
ALTER TABLE traces ADD INDEX IF NOT EXISTS of_end toUnixTimestamp64Nano(timestamp) + duration_ns TYPE minmax GRANULARITY 1;

-- One trace is read from one such block: a quarter of the size is read four times as quickly, for a few bytes a span.
ALTER TABLE traces MODIFY COLUMN attributes MODIFY SETTING min_compress_block_size = 1048576, max_compress_block_size = 1048576;

-- What a stage of Spark used, in the order of query/telemetry/resources.py; empty for other spans. Where it was not
-- written yet, it is made from the attributes when it is read.
ALTER TABLE traces ADD COLUMN IF NOT EXISTS spark_use Array(UInt64) MATERIALIZED
    if(
        startsWith(operation_name, 'spark stage '),
        arrayMap(
            name -> toUInt64OrZero(attributes[name]),
            [
                'spark.tasks', 'spark.executor.cpu_ns', 'spark.executor.gc_ms', 'spark.memory.peak_bytes',
                'spark.records.in', 'spark.bytes.in', 'spark.records.out', 'spark.bytes.out',
                'spark.shuffle.read_bytes', 'spark.shuffle.written_bytes', 'spark.spill.bytes'
            ]
        ),
        emptyArrayUInt64()
    ) CODEC(T64, ZSTD(1));
