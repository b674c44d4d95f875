"""Nothing that a program writes into an address or a path as a secret is told."""

import pytest

from lineage_hub.connectors.databricks.sources import read_program

KAFKA = "spark.readStream.format('kafka').option('subscribe', 't').option('kafka.bootstrap.servers', "


@pytest.mark.parametrize(
    "source",
    [
        "spark.table('a').write.save('s3a://AKIA:s3cret@b/p')",
        "spark.table('a').write.format('csv').save('s3a://AKIA:s3/cret@b/p')",
        KAFKA + "'SASL_SSL://u:s3cret@h:9092,SASL_SSL://u:s3cret@i:9092').load().writeStream.toTable('t')",
        "spark.readStream.format('pulsar').option('service.url', 'pulsar://u:s3cret@h:1').option('topic', 't').load()",
        'spark.sql("INSERT INTO delta.`s3://AKIA:s3cret@b/p` SELECT * FROM a")',
        "# MAGIC %sql\n# MAGIC MERGE INTO delta.`s3://A:s3cret@b/q` t USING s ON t.i = s.i WHEN MATCHED THEN DELETE",
        "spark.sql(\"INSERT OVERWRITE DIRECTORY 's3://AKIA:s3cret@b/p' USING csv SELECT * FROM a\")",
        "spark.sql(\"CREATE TEMP VIEW v USING snowflake OPTIONS (sfUrl 'u:s3cret@h', dbtable 'x')\")",
    ],
)
def test_no_password_or_key_of_an_address_is_in_what_is_read(source: str) -> None:
    reading = read_program("# Databricks notebook source\n" + source)
    assert reading.sources
    assert "cret" not in str(reading)


def test_what_stands_before_the_host_is_all_that_goes() -> None:
    brokers = "'SASL_SSL://u:s3cret@h:9092,i:9092').load().writeStream.toTable('t')"
    assert [one.bootstrap for one in read_program(KAFKA + brokers).sources] == ["SASL_SSL://h:9092,i:9092"]
    [source] = read_program("spark.table('a').write.save('abfss://box@account.dfs.core.windows.net/p')").sources
    assert source.target_table == "abfss://box@account.dfs.core.windows.net/p"
