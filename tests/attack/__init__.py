"""The attack: what strangers may send, all of it against the readers and against a live app; `make
attack`.
"""
