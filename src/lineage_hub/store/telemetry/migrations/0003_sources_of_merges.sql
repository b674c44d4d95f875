-- A merge is done before the disk has it, and on a full disk it may never have it: what it was made from stays for as
-- long as a server of ClickHouse keeps it. The embedded engine would remove it at once.
ALTER TABLE traces MODIFY SETTING old_parts_lifetime = 480;
ALTER TABLE trace_ranges MODIFY SETTING old_parts_lifetime = 480;
ALTER TABLE operation_minutes MODIFY SETTING old_parts_lifetime = 480;
ALTER TABLE operation_hours MODIFY SETTING old_parts_lifetime = 480;
ALTER TABLE metrics MODIFY SETTING old_parts_lifetime = 480;
ALTER TABLE logs MODIFY SETTING old_parts_lifetime = 480;
ALTER TABLE pipeline_runs MODIFY SETTING old_parts_lifetime = 480;
