-- Spans, by time: those of a trace lie together, so one is read from a few small granules, and its ids compress well.
-- Questions about services and operations go to the rollups. Nothing here uses Date or DateTime for when something
-- happened: they end in 2149 and 2106.
CREATE TABLE IF NOT EXISTS traces
(
    timestamp                DateTime64(9, 'UTC') CODEC(Delta(8), ZSTD(1)),
    trace_id                 String CODEC(ZSTD(1)),
    span_id                  String CODEC(ZSTD(1)),
    parent_span_id           String CODEC(ZSTD(1)),
    trace_state              String CODEC(ZSTD(1)),
    operation_name           LowCardinality(String) CODEC(ZSTD(1)),
    duration_ns              UInt64 CODEC(T64, ZSTD(1)),
    status_code              LowCardinality(String) CODEC(ZSTD(1)),
    status_message           String CODEC(ZSTD(1)),
    span_kind                LowCardinality(String) CODEC(ZSTD(1)),
    flags                    UInt32 CODEC(ZSTD(1)),
    events                   Array(Tuple(timestamp DateTime64(9, 'UTC'), name String, attributes Map(String, String))) CODEC(ZSTD(1)),
    links                    Array(Tuple(trace_id String, span_id String, trace_state String, attributes Map(String, String))) CODEC(ZSTD(1)),
    dropped_attributes       UInt32 CODEC(ZSTD(1)),
    dropped_events           UInt32 CODEC(ZSTD(1)),
    dropped_links            UInt32 CODEC(ZSTD(1)),
    run_id                   String CODEC(ZSTD(1)),
    pipeline_run_id          String CODEC(ZSTD(1)),
    namespace                LowCardinality(String) CODEC(ZSTD(1)),
    service_name             LowCardinality(String) CODEC(ZSTD(1)),
    -- Two thirds of a span: in blocks of 4 MB a value is often met again.
    attributes               Map(LowCardinality(String), String) CODEC(ZSTD(1, 23)) SETTINGS (min_compress_block_size = 4194304, max_compress_block_size = 4194304),
    attribute_types          Map(LowCardinality(String), LowCardinality(String)) CODEC(ZSTD(1)),
    resource_attributes      Map(LowCardinality(String), String) CODEC(ZSTD(1)),
    resource_attribute_types Map(LowCardinality(String), LowCardinality(String)) CODEC(ZSTD(1)),
    scope_name               LowCardinality(String) CODEC(ZSTD(1)),
    scope_version            LowCardinality(String) CODEC(ZSTD(1)),
    batch                    UInt64 CODEC(Delta(8), ZSTD(1)),
    expires_at               Date CODEC(ZSTD(1)),
    INDEX of_trace trace_id TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX of_run run_id TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX of_pipeline_run pipeline_run_id TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX of_batch batch TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMMDD(timestamp)
ORDER BY (namespace, timestamp)
TTL expires_at
SETTINGS index_granularity = 2048, fsync_after_insert = 1, fsync_part_directory = 1;

-- Where in time a trace is. A row for each hour that it touches, so that an hour can be made anew. A page of traces looks
-- up a hundred of them: each in a granule of its own, which is therefore small.
CREATE TABLE IF NOT EXISTS trace_ranges
(
    trace_id   String CODEC(ZSTD(1)),
    namespace  LowCardinality(String) CODEC(ZSTD(1)),
    hour       UInt32 CODEC(Delta(4), ZSTD(1)),
    started_at SimpleAggregateFunction(min, DateTime64(9, 'UTC')) CODEC(Delta(8), ZSTD(1)),
    ended_at   SimpleAggregateFunction(max, DateTime64(9, 'UTC')) CODEC(Delta(8), ZSTD(1)),
    spans      SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
    errors     SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
    expires_at SimpleAggregateFunction(max, Date) CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY intDiv(hour, 24)
ORDER BY (trace_id, namespace, hour)
TTL expires_at
SETTINGS index_granularity = 512, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS operation_minutes
(
    namespace      LowCardinality(String) CODEC(ZSTD(1)),
    service_name   LowCardinality(String) CODEC(ZSTD(1)),
    operation_name LowCardinality(String) CODEC(ZSTD(1)),
    span_kind      LowCardinality(String) CODEC(ZSTD(1)),
    at             DateTime64(0, 'UTC') CODEC(Delta(8), ZSTD(1)),
    spans          SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
    errors         SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
    duration_sum   SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
    duration_max   SimpleAggregateFunction(max, UInt64) CODEC(T64, ZSTD(1)),
    durations      AggregateFunction(quantilesBFloat16(0.5, 0.95, 0.99), UInt64) CODEC(ZSTD(1)),
    expires_at     SimpleAggregateFunction(max, Date) CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(at)
ORDER BY (namespace, service_name, operation_name, span_kind, at)
TTL expires_at
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS operation_hours AS operation_minutes;

CREATE MATERIALIZED VIEW IF NOT EXISTS trace_ranges_of_traces TO trace_ranges AS
SELECT
    trace_id,
    namespace,
    toUInt32(intDiv(toUnixTimestamp64Nano(timestamp), 3600000000000)) AS hour,
    min(timestamp) AS started_at,
    max(fromUnixTimestamp64Nano(toInt64(least(toUInt64(toUnixTimestamp64Nano(timestamp)) + duration_ns, 9223372036854775807)), 'UTC')) AS ended_at,
    count() AS spans,
    countIf(status_code = 'ERROR') AS errors,
    max(traces.expires_at) AS expires_at
FROM traces
GROUP BY trace_id, namespace, hour;

CREATE MATERIALIZED VIEW IF NOT EXISTS operation_minutes_of_traces TO operation_minutes AS
SELECT
    namespace,
    service_name,
    operation_name,
    span_kind,
    toDateTime64(intDiv(toUnixTimestamp64Nano(timestamp), 60000000000) * 60, 0, 'UTC') AS at,
    count() AS spans,
    countIf(status_code = 'ERROR') AS errors,
    sum(duration_ns) AS duration_sum,
    max(duration_ns) AS duration_max,
    quantilesBFloat16State(0.5, 0.95, 0.99)(duration_ns) AS durations,
    max(traces.expires_at) AS expires_at
FROM traces
GROUP BY namespace, service_name, operation_name, span_kind, at;

-- What is written into the minutes is written into the hours, by whomever: who makes minutes anew leaves the hours out.
CREATE MATERIALIZED VIEW IF NOT EXISTS operation_hours_of_minutes TO operation_hours AS
SELECT
    namespace,
    service_name,
    operation_name,
    span_kind,
    toDateTime64(intDiv(toUnixTimestamp64Second(minutes.at), 3600) * 3600, 0, 'UTC') AS at,
    sum(minutes.spans) AS spans,
    sum(minutes.errors) AS errors,
    sum(minutes.duration_sum) AS duration_sum,
    max(minutes.duration_max) AS duration_max,
    quantilesBFloat16MergeState(0.5, 0.95, 0.99)(minutes.durations) AS durations,
    max(minutes.expires_at) AS expires_at
FROM operation_minutes AS minutes
GROUP BY namespace, service_name, operation_name, span_kind, at;

-- Points of metrics: those of a metric and a service lie together.
CREATE TABLE IF NOT EXISTS metrics
(
    timestamp                DateTime64(9, 'UTC') CODEC(Delta(8), ZSTD(1)),
    start_timestamp          DateTime64(9, 'UTC') CODEC(Delta(8), ZSTD(1)),
    metric_name              LowCardinality(String) CODEC(ZSTD(1)),
    metric_type              LowCardinality(String) CODEC(ZSTD(1)),
    value                    Float64 CODEC(ZSTD(1)),
    int_value                Int64 CODEC(ZSTD(1)),
    is_int                   Bool CODEC(ZSTD(1)),
    unit                     LowCardinality(String) CODEC(ZSTD(1)),
    description              LowCardinality(String) CODEC(ZSTD(1)),
    temporality              LowCardinality(String) CODEC(ZSTD(1)),
    is_monotonic             Bool CODEC(ZSTD(1)),
    count                    UInt64 CODEC(ZSTD(1)),
    min                      Float64 CODEC(ZSTD(1)),
    max                      Float64 CODEC(ZSTD(1)),
    has_sum                  Bool CODEC(ZSTD(1)),
    has_min                  Bool CODEC(ZSTD(1)),
    has_max                  Bool CODEC(ZSTD(1)),
    bucket_counts            Array(UInt64) CODEC(ZSTD(1)),
    explicit_bounds          Array(Float64) CODEC(ZSTD(1)),
    scale                    Int32 CODEC(ZSTD(1)),
    zero_count               UInt64 CODEC(ZSTD(1)),
    zero_threshold           Float64 CODEC(ZSTD(1)),
    positive_offset          Int32 CODEC(ZSTD(1)),
    positive_counts          Array(UInt64) CODEC(ZSTD(1)),
    negative_offset          Int32 CODEC(ZSTD(1)),
    negative_counts          Array(UInt64) CODEC(ZSTD(1)),
    quantiles                Array(Tuple(Float64, Float64)) CODEC(ZSTD(1)),
    exemplars                Array(Tuple(timestamp DateTime64(9, 'UTC'), value Float64, trace_id String, span_id String, attributes Map(String, String))) CODEC(ZSTD(1)),
    flags                    UInt32 CODEC(ZSTD(1)),
    namespace                LowCardinality(String) CODEC(ZSTD(1)),
    service_name             LowCardinality(String) CODEC(ZSTD(1)),
    attributes               Map(LowCardinality(String), String) CODEC(ZSTD(1)),
    attribute_types          Map(LowCardinality(String), LowCardinality(String)) CODEC(ZSTD(1)),
    resource_attributes      Map(LowCardinality(String), String) CODEC(ZSTD(1)),
    resource_attribute_types Map(LowCardinality(String), LowCardinality(String)) CODEC(ZSTD(1)),
    scope_name               LowCardinality(String) CODEC(ZSTD(1)),
    scope_version            LowCardinality(String) CODEC(ZSTD(1)),
    batch                    UInt64 CODEC(Delta(8), ZSTD(1)),
    expires_at               Date CODEC(ZSTD(1)),
    INDEX at_time timestamp TYPE minmax GRANULARITY 1,
    INDEX of_batch batch TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMMDD(timestamp)
ORDER BY (namespace, metric_name, service_name, timestamp)
TTL expires_at
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- Words of a log are looked for in lower case: hasToken(lower(body), 'timeout').
CREATE TABLE IF NOT EXISTS logs
(
    timestamp                DateTime64(9, 'UTC') CODEC(Delta(8), ZSTD(1)),
    observed_timestamp       DateTime64(9, 'UTC') CODEC(Delta(8), ZSTD(1)),
    trace_id                 String CODEC(ZSTD(1)),
    span_id                  String CODEC(ZSTD(1)),
    flags                    UInt32 CODEC(ZSTD(1)),
    severity_number          UInt8 CODEC(ZSTD(1)),
    severity_text            LowCardinality(String) CODEC(ZSTD(1)),
    body                     String CODEC(ZSTD(1)),
    body_type                LowCardinality(String) CODEC(ZSTD(1)),
    event_name               LowCardinality(String) CODEC(ZSTD(1)),
    run_id                   String CODEC(ZSTD(1)),
    namespace                LowCardinality(String) CODEC(ZSTD(1)),
    service_name             LowCardinality(String) CODEC(ZSTD(1)),
    attributes               Map(LowCardinality(String), String) CODEC(ZSTD(1)),
    attribute_types          Map(LowCardinality(String), LowCardinality(String)) CODEC(ZSTD(1)),
    resource_attributes      Map(LowCardinality(String), String) CODEC(ZSTD(1)),
    resource_attribute_types Map(LowCardinality(String), LowCardinality(String)) CODEC(ZSTD(1)),
    scope_name               LowCardinality(String) CODEC(ZSTD(1)),
    scope_version            LowCardinality(String) CODEC(ZSTD(1)),
    batch                    UInt64 CODEC(Delta(8), ZSTD(1)),
    expires_at               Date CODEC(ZSTD(1)),
    INDEX of_trace trace_id TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX of_run run_id TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX words lower(body) TYPE tokenbf_v1(32768, 3, 0) GRANULARITY 1,
    INDEX of_batch batch TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMMDD(timestamp)
ORDER BY (namespace, timestamp)
TTL expires_at
SETTINGS index_granularity = 2048, fsync_after_insert = 1, fsync_part_directory = 1;

-- The last word about a run of a pipeline and its stages: the row with the greatest version stays.
CREATE TABLE IF NOT EXISTS pipeline_runs
(
    timestamp         DateTime64(9, 'UTC') CODEC(Delta(8), ZSTD(1)),
    run_id            String CODEC(ZSTD(1)),
    pipeline_name     LowCardinality(String) CODEC(ZSTD(1)),
    stage             LowCardinality(String) CODEC(ZSTD(1)),
    status            LowCardinality(String) CODEC(ZSTD(1)),
    namespace         LowCardinality(String) CODEC(ZSTD(1)),
    duration_ms       UInt64 CODEC(T64, ZSTD(1)),
    records_processed UInt64 CODEC(T64, ZSTD(1)),
    bytes_processed   UInt64 CODEC(T64, ZSTD(1)),
    error_message     String CODEC(ZSTD(1)),
    job_namespace     LowCardinality(String) CODEC(ZSTD(1)),
    ended_at          DateTime64(9, 'UTC') CODEC(Delta(8), ZSTD(1)),
    parent_run_id     String CODEC(ZSTD(1)),
    version           UInt64 CODEC(ZSTD(1)),
    expires_at        Date CODEC(ZSTD(1)),
    INDEX at_time timestamp TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (namespace, run_id, pipeline_name, stage)
TTL expires_at
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
