"""Points of gauges and sums enter; what they say for each step of time leaves, worked out by the engine.

A stream is what one sender tells of one set of attributes; sums are taken apart stream by stream, then added.
"""

from __future__ import annotations

# A point that is older is no neighbour of the first one in a stretch of time.
LOOK_BACK_NS = 3_600_000_000_000

# A point may say that there is no value any more; it isn't zero then.
HAS_VALUE = "bitAnd(flags, 1) = 0"

STREAM = """sipHash128(namespace, service_name, metric_name, metric_type, unit, temporality, is_monotonic, scope_name,
    scope_version, mapSort(attributes), mapSort(resource_attributes))"""

# What each point adds to what was before it. Of a cumulative stream the first point of all adds its value only if it
# began within the stretch; one that is less than before, or has a later beginning, has been reset.
INCREASES = f"""
SELECT * FROM (
    SELECT namespace, service_name, metric_name, attributes, resource_attributes, at,
        multiIf(
            temporality = 'DELTA', value,
            nth = 1, if(began >= {{{{since:Int64}}}} AND began > 0, value, 0),
            value < value_before OR (began > began_before AND began >= at_before), value,
            value - value_before) AS increase,
        temporality = 'DELTA' OR nth > 1 OR (began >= {{{{since:Int64}}}} AND began > 0) AS known
    FROM (
        SELECT namespace, service_name, metric_name, attributes, resource_attributes, temporality, value, at, began,
            row_number() OVER of_stream AS nth,
            lagInFrame(value) OVER of_stream AS value_before,
            lagInFrame(at) OVER of_stream AS at_before,
            lagInFrame(began) OVER of_stream AS began_before
        FROM (
            SELECT namespace, service_name, metric_name, attributes, resource_attributes, temporality, value,
                {STREAM} AS stream,
                toUnixTimestamp64Nano(timestamp) AS at, toUnixTimestamp64Nano(start_timestamp) AS began
            FROM metrics
            WHERE {{where}} AND metric_type = 'sum'
                AND timestamp >= fromUnixTimestamp64Nano(greatest({{{{since:Int64}}}} - {LOOK_BACK_NS}, 0), 'UTC')
                AND timestamp < fromUnixTimestamp64Nano({{{{until:Int64}}}}, 'UTC')
        )
        WINDOW of_stream AS (PARTITION BY stream ORDER BY at ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
    )
) WHERE at >= {{{{since:Int64}}}} AND known
"""
