"""Traces of what people really run, as samples: rows -> spans -> one sample for each trace.

`texts` knows how programs write what was asked, answered and found, `spans` how they write the
steps of a request, and `requests` what becomes of all steps of one.
"""
