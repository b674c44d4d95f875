-- A merge is done before the disk has it, and on a full disk it may never have it: what it was made from stays for some
-- time. The embedded engine would remove it at once; a server keeps it longer, and takes more room.
ALTER TABLE traces MODIFY SETTING old_parts_lifetime = 120;
ALTER TABLE trace_ranges MODIFY SETTING old_parts_lifetime = 120;
ALTER TABLE operation_minutes MODIFY SETTING old_parts_lifetime = 120;
ALTER TABLE operation_hours MODIFY SETTING old_parts_lifetime = 120;
ALTER TABLE metrics MODIFY SETTING old_parts_lifetime = 120;
ALTER TABLE logs MODIFY SETTING old_parts_lifetime = 120;
ALTER TABLE pipeline_runs MODIFY SETTING old_parts_lifetime = 120;
