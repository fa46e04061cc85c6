"""Batches: files of any size judged as a stream, by processes, into Parquet files of results."""
